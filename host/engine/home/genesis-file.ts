/**
 * The genesis file for clients that ask for it. However large it is, it is looked through once for where its members
 * begin and end, a piece at a time; what is asked for is then read from its place.
 */

import { type FileHandle, open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { messageOf, UpgradeError } from "../../errors.js";
import { decodeText } from "../../text.js";

const PIECE_BYTES = 1_048_576;

/** Where something is in a file: bytes from its first to after its last. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface GenesisText {
  /** The values of the document's members, by name. */
  readonly members: ReadonlyMap<string, ByteRange>;
  /** @throws UpgradeError UPG_STORE_IO when the file is another by now */
  read(range: ByteRange): Promise<Uint8Array>;
}

/** A file that is not what it was is looked through again. */
export class GenesisFile {
  #known: { readonly identity: string; readonly text: Promise<GenesisText> } | undefined;

  constructor(private readonly path: string) {}

  /** The same object as long as the file is the same. @throws UpgradeError UPG_STORE_IO, UPG_INVALID_GENESIS */
  async text(): Promise<GenesisText> {
    const identity = await this.#withFile(identityOf);
    if (this.#known?.identity === identity) return this.#known.text;
    const text = this.#scan(identity);
    this.#known = { identity, text };
    // A file that could not be read is tried again by who asks next.
    text.catch(() => {
      if (this.#known?.text === text) this.#known = undefined;
    });
    return text;
  }

  async #scan(identity: string): Promise<GenesisText> {
    const members = await this.#withFile(membersOf);
    return { members, read: (range) => this.#withFile((file) => readRange(file, range, identity)) };
  }

  async #withFile<T>(use: (file: FileHandle) => Promise<T>): Promise<T> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.path, "r");
      return await use(file);
    } catch (cause) {
      if (cause instanceof UpgradeError) throw cause;
      const why = messageOf(cause);
      throw new UpgradeError("UPG_STORE_IO", `the genesis file cannot be read: ${why}`, { cause });
    } finally {
      await file?.close();
    }
  }
}

async function identityOf(file: FileHandle): Promise<string> {
  const { ino, size, mtimeMs } = await file.stat();
  return `${ino} ${size} ${mtimeMs}`;
}

async function readRange(file: FileHandle, { from, to }: ByteRange, identity: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(to - from);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  if ((await identityOf(file)) === identity) return bytes;
  throw new UpgradeError("UPG_STORE_IO", "the genesis file was changed while it was read: ask again");
}

async function membersOf(file: FileHandle): Promise<Map<string, ByteRange>> {
  const scanner = new MemberScanner();
  const piece = new Uint8Array(PIECE_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, at);
    if (bytesRead === 0) break;
    scanner.take(piece.subarray(0, bytesRead));
    at += bytesRead;
    await setImmediate();
  }
  return scanner.finish();
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Finds the members of the outermost object; the file was found to be JSON when the chain began. */
class MemberScanner {
  readonly #members = new Map<string, ByteRange>();
  #at = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** The bytes of the name that is being read; undefined between name and value. */
  #name: number[] | undefined = [];
  #from = 0;

  take(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isText) this.#inText(byte);
      else this.#outside(byte);
      this.#at++;
    }
  }

  /** @throws UpgradeError UPG_INVALID_GENESIS when the object has no end */
  finish(): Map<string, ByteRange> {
    if (this.#depth !== 0 || this.#isText || this.#members.size === 0) {
      throw new UpgradeError("UPG_INVALID_GENESIS", "the genesis file is no JSON object");
    }
    return this.#members;
  }

  #inText(byte: number): void {
    if (this.#depth === 1) this.#name?.push(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }

  #outside(byte: number): void {
    if (byte === QUOTE) {
      this.#isText = true;
      if (this.#depth === 1) this.#name?.push(byte);
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (--this.#depth === 0) this.#end();
    } else if (this.#depth === 1 && byte === COLON) {
      this.#from = this.#at + 1;
      this.#pending = String(JSON.parse(decodeText(Uint8Array.from(this.#name ?? []))));
      this.#name = undefined;
    } else if (this.#depth === 1 && byte === COMMA) {
      this.#end();
      this.#name = [];
    }
  }

  #pending: string | undefined;

  #end(): void {
    if (this.#pending !== undefined) this.#members.set(this.#pending, { from: this.#from, to: this.#at });
    this.#pending = undefined;
  }
}
