/**
 * What is being fetched, in a folder beside its place and so on the same file system: the bytes that have come, and next to them what
 * is needed to go on after a cut. No plan's folder has this name, since `#` is escaped in those.
 */
import { join } from "node:path";
import { messageOf } from "../../base/errors/errors.js";
import type { Files, OpenFile } from "../../base/files/files.js";
import { writeWhole } from "../../base/files/whole-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import { type LastingCode, type Refusal, readRefusal, refusalFile } from "./refusal.js";
import { Reserve } from "./reserve.js";
import type { AttemptOptions } from "./retry.js";
import type { Revision } from "./web.js";

/** Of the file that the server has. */
export interface PartFacts {
  readonly url: string;
  readonly total: number | undefined;
  readonly validator: string | undefined;
  /** Undefined after a restart of this process: only a file that came in one piece is refused for good. */
  readonly revision: Revision | undefined;
}

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const FACTS_BYTES_MAX = 131_072;

export const partFolderOf = (folder: string) => `${folder}#part`;

export class Part {
  readonly file: string;
  /** What is unpacked of it. */
  readonly tree: string;
  readonly #factsFile: string;
  #facts: PartFacts | undefined;
  #bytes = 0;
  #open: OpenFile | undefined;
  #isPieced = false;
  /** Undefined: nothing was asked for yet. */
  #isPinned: boolean | undefined;
  #refusal: Refusal | undefined;
  readonly #reserve: Reserve;

  constructor(
    private readonly files: Files,
    readonly folder: string,
  ) {
    this.#reserve = new Reserve(files, folder);
    this.file = join(folder, "download");
    this.tree = join(folder, "tree");
    this.#factsFile = join(folder, "download.json");
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Its bytes came in more than one response, or from an earlier process. */
  get isPieced(): boolean {
    return this.#isPieced;
  }

  get facts(): PartFacts | undefined {
    return this.#facts;
  }

  /** Of the file that the server had at the last attempt. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** Keeps why the whole file was refused, so that the next attempt asks only whether it has changed. */
  refuse(judgedBy: string, code: LastingCode, message: string): void {
    const { url, revision } = this.#facts ?? {};
    if (url !== undefined && revision) this.#refusal ??= { url, judgedBy, revision, code, message };
  }

  /**
   * Takes what an earlier process left of this URL's file; else begins with nothing.
   * @param isPinned only then may it go on: of bytes that no digest checks, nobody knows whether a crash tore them
   */
  take(url: string, isPinned: boolean, judgedBy: string): void {
    this.files.remove(this.tree);
    const refusal = readRefusal(this.files, this.folder);
    this.#refusal = refusal?.url === url && refusal.judgedBy === judgedBy ? refusal : undefined;
    this.#isPinned = isPinned;
    const facts = isPinned ? this.#readFacts() : undefined;
    const had = this.files.linkFacts(this.file);
    if (facts?.url !== url || had?.kind !== "file" || (facts.total !== undefined && had.bytes > facts.total)) {
      this.restart(undefined);
      return;
    }
    this.#facts = facts;
    this.#bytes = had.bytes;
    this.#isPieced = true;
  }

  /** From the first byte again. */
  restart(facts: PartFacts | undefined): void {
    this.#closeFile();
    this.files.remove(this.file);
    this.#bytes = 0;
    this.#isPieced = false;
    this.#facts = facts;
    if (facts) this.#refusal = undefined;
    if (facts) writeWhole(this.files, this.#factsFile, utf8(JSON.stringify(facts)), FILE_MODE);
  }

  append(bytes: Uint8Array): void {
    if (!this.#open) {
      this.files.makeFolder(this.folder, FOLDER_MODE);
      this.#isPieced ||= this.#bytes > 0;
      this.#open = this.files.open(this.file, "append", FILE_MODE);
    }
    this.#reserve.spend(bytes.length);
    this.#open.write(bytes);
    this.#bytes += bytes.length;
  }

  /** Of one transfer; another may go on with it. @param isWhole what was written is made durable */
  end(isWhole: boolean): void {
    try {
      if (isWhole) this.#open?.sync();
    } finally {
      this.#closeFile();
    }
  }

  remove(): void {
    this.#closeFile();
    this.files.remove(this.folder);
  }

  /** After a failure that the next run may not have: it finds what it can go on with, and the disk has its room for the node. */
  leaveQuietly(log: AttemptOptions["log"]): void {
    if (this.#isPinned === false) this.removeQuietly(log);
    else this.#quietly(this.tree, log, () => this.files.remove(this.tree));
  }

  /** What failed first, or has succeeded, is what counts: the next run removes it, or goes on with it. */
  removeQuietly(log: AttemptOptions["log"]): void {
    this.#quietly(this.folder, log, () => this.remove());
  }

  /** After the room of the download is given back. It is a hint: without it the file is fetched again. */
  keepRefusal(log: AttemptOptions["log"]): void {
    const refusal = this.#refusal;
    const file = refusalFile(this.folder);
    this.#quietly(file, log, () => {
      if (!refusal) return this.files.remove(file);
      this.files.makeFolder(this.folder, FOLDER_MODE);
      writeWhole(this.files, file, utf8(JSON.stringify(refusal)), FILE_MODE);
    });
  }

  #quietly(what: string, log: AttemptOptions["log"], remove: () => void): void {
    try {
      remove();
    } catch (error) {
      log("warn", `${what} is not removed: ${messageOf(error)}`);
    }
  }

  #closeFile(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.close();
  }

  #readFacts(): PartFacts | undefined {
    try {
      const bytes = this.files.read(this.#factsFile, FACTS_BYTES_MAX);
      const { url, total, validator } = JSON.parse(decodeLossy(bytes ?? new Uint8Array())) as Record<string, unknown>;
      if (typeof url !== "string") return undefined;
      return {
        url,
        total: Number.isSafeInteger(total) ? (total as number) : undefined,
        validator: typeof validator === "string" ? validator : undefined,
        revision: undefined,
      };
    } catch {
      return undefined; // It is fetched from its beginning.
    }
  }
}
