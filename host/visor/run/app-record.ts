/**
 * Which process is the application, in a file: a sidecar that is killed leaves it running, where a validator goes on signing.
 * The next sidecar ends it before it starts another: two would sign for one key.
 */
import { utf8 } from "../../bytes.js";
import type { Files } from "../../programs/files.js";
import type { AppProcess, Processes } from "../../sidecar/machine.js";
import { decodeText } from "../../text.js";

const FILE_MODE = 0o644;
const BYTES_MAX = 4_096;

/** Needs no sync: after a loss of power there is no process either. */
export function recordApp(files: Files, path: string, { pid, startedAt }: AppProcess): void {
  if (pid === undefined || startedAt === undefined) return;
  const temporary = `${path}.tmp`;
  files.remove(temporary);
  const file = files.open(temporary, "new", FILE_MODE);
  try {
    file.write(utf8(`${JSON.stringify({ pid, started_at: startedAt })}\n`));
  } finally {
    file.close();
  }
  files.rename(temporary, path);
}

/** The application of a sidecar that was killed, where it still runs. @throws what the system says */
export function leftApp(files: Files, processes: Processes, path: string): AppProcess | undefined {
  const bytes = files.read(path, BYTES_MAX);
  if (!bytes) return undefined;
  const { pid, startedAt } = recordIn(bytes);
  return pid === undefined || startedAt === undefined ? undefined : processes.adopt(pid, startedAt);
}

/** What is no record names no process. */
function recordIn(bytes: Uint8Array): { readonly pid?: number; readonly startedAt?: string } {
  try {
    const { pid, started_at: startedAt } = JSON.parse(decodeText(bytes)) as Record<string, unknown>;
    const isRecord = Number.isSafeInteger(pid) && Number(pid) > 1 && typeof startedAt === "string";
    return isRecord ? { pid: Number(pid), startedAt } : {};
  } catch {
    return {};
  }
}
