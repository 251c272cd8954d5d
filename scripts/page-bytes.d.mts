export function writePageModule(folder?: string, out?: string): number;
