export const CPU_MINUTES: number;
export const CPU_MINUTES_MAX: number;
export const EMPTY_SCRIPT_SECONDS: number;
export function cpuSeconds(): { readonly own: number; readonly children: number } | undefined;
export function emptyScriptSeconds(): number | undefined;
export function budgetMinutes(minutes: number, emptyScript: number): number;
export function cpuReport(
  minutes: number,
  emptyScript: number,
  files: readonly { readonly file: string; readonly seconds: number }[],
  count?: number,
): string[];
