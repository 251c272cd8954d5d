/** The handler that a plan pins, put where the next version looks for it at the height. */
import { dirname, join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import type { PlanHandler } from "../../upgrade/plan-info/plan-document.js";
import { parsePlanInfo } from "../../upgrade/plan-info/plan-info.js";
import { parsePlanUrl } from "../../upgrade/plan-info/plan-url.js";
import { type FetchBounds, type Fetching, fetching, judged } from "./fetching.js";
import type { Part } from "./part.js";
import { digestsOf } from "./pieces.js";
import { otherSum } from "./small-text.js";
import { transfer } from "./transfer.js";

export interface HandlerOptions extends Omit<FetchBounds, "folder"> {
  readonly home: string;
  readonly info: string;
  /** Of the file that is fetched, without `.wasm`. */
  readonly name: string;
  /** False: what the home has is looked at, and nothing is fetched. */
  readonly isDownloadAllowed: boolean;
}

export interface StagedHandler {
  readonly file: string;
  readonly sha256: string;
  readonly isFetched: boolean;
}

const FILE_MODE = 0o644;

/**
 * Looks in `<home>/handlers` and `<home>/handlers/staged` for a file with the pinned hash, under any name; else it is fetched to
 * `<home>/handlers/staged/<name>.wasm`. Only the plan's own text pins: what a reference leads to does not.
 * @returns undefined: the plan pins none
 * @throws UpgradeError UPG_NOT_FOUND_FILE: it is not here, and the plan does not say where it is, or nothing may be fetched;
 * UPG_HANDLER_HASH: the URL leads to another file; as `fetchProgram`
 */
export async function stageHandler(options: HandlerOptions): Promise<StagedHandler | undefined> {
  const { home, name, info } = options;
  const read = parsePlanInfo(info);
  const handler = read.kind === "document" ? read.handler : undefined;
  if (!handler) return undefined;
  const file = join(home, "handlers", "staged", `${name}.wasm`);
  return fetching({ ...options, folder: file }, async (part, inner) => {
    const folders = [join(home, "handlers"), dirname(file)];
    const present = await withHash(inner.files, folders, handler.sha256, inner.signal);
    if (present === undefined) await fetchHandler(handler, file, part, inner);
    part.removeQuietly(inner.log);
    return { file: present ?? file, sha256: handler.sha256, isFetched: present === undefined };
  });
}

async function fetchHandler(
  handler: PlanHandler,
  file: string,
  part: Part,
  options: Fetching<HandlerOptions>,
): Promise<void> {
  const { files, signal, log, isDownloadAllowed } = options;
  const { url, sha256: hex } = handler;
  if (url === undefined || !isDownloadAllowed) throw absent(handler, dirname(file));
  const { source } = parsePlanUrl(url, { checksumRequired: false });
  log("info", `fetching the handler: ${source}`);
  const judgedBy = JSON.stringify([hex, options.bytesMax]);
  await judged(part, judgedBy, async () => {
    for (;;) {
      await transfer(part, { ...options, url: source, isPinned: true, judgedBy });
      const [found = ""] = await digestsOf(files, part.file, ["sha256"], signal);
      if (found === hex) break;
      const { message } = otherSum(source, { algorithm: "sha256", hex }, found);
      if (!part.isPieced) throw new UpgradeError("UPG_HANDLER_HASH", message);
      part.restart(undefined);
    }
  });
  files.makeFolder(dirname(file));
  files.chmod(part.file, FILE_MODE);
  files.rename(part.file, file);
  files.syncFolder(dirname(file));
}

async function withHash(
  files: Files,
  folders: readonly string[],
  sha256: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const folder of folders) {
    for (const name of files.list(folder) ?? []) {
      const file = join(folder, name);
      if (!name.endsWith(".wasm") || files.facts(file)?.kind !== "file") continue;
      const [found] = await digestsOf(files, file, ["sha256"], signal);
      if (found === sha256) return file;
    }
  }
  return undefined;
}

function absent({ sha256, url }: PlanHandler, folder: string): UpgradeError {
  const where = url === undefined ? "the plan does not say where it is" : `it may be fetched from ${url}`;
  return new UpgradeError(
    "UPG_NOT_FOUND_FILE",
    `the plan's handler, sha256 ${sha256}, is not in ${folder}: ${where}; put the file there`,
  );
}
