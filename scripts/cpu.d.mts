export const CPU_MINUTES: number;
export const CPU_MINUTES_MAX: number;
export function cpuSeconds(): { readonly own: number; readonly children: number } | undefined;
export function cpuReport(
  minutes: number,
  files: readonly { readonly file: string; readonly seconds: number }[],
  count?: number,
): string[];
