/**
 * The genesis file for clients that ask for it. However large it is, it is looked through once, a piece at a time: for its hash,
 * which must be that of the document that the chain began with, then for where its members begin and end. What is asked for is
 * then read from its place, as long as the file is the one that was looked through.
 */

import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { openRegularHandle } from "../../base/files/open-file.js";
import { equalBytes, toHex } from "../../base/text/bytes.js";
import { decodeText } from "../../base/text/text.js";
import type { GenesisDigest } from "./genesis-record.js";

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

  /** @param digest of the document that the chain began with */
  constructor(
    private readonly path: string,
    private readonly digest: GenesisDigest,
  ) {}

  /** The same object as long as the file is the same. @throws UpgradeError UPG_NOT_FOUND_GENESIS, UPG_STORE_IO */
  async text(): Promise<GenesisText> {
    const identity = await this.#withFile(identityOf);
    if (this.#known?.identity === identity) return this.#known.text;
    const text = this.#scan(identity);
    this.#known = { identity, text };
    // A file that could not be read is tried again by who asks next; another document is known to be another one.
    text.catch((error: UpgradeError) => {
      if (error.code !== "UPG_NOT_FOUND_GENESIS" && this.#known?.text === text) this.#known = undefined;
    });
    return text;
  }

  async #scan(identity: string): Promise<GenesisText> {
    const members = await this.#withFile((file) => this.#checkedMembers(file, identity));
    return { members, read: (range) => this.#withFile((file) => readRange(file, range, identity)) };
  }

  async #checkedMembers(file: FileHandle, identity: string): Promise<Map<string, ByteRange>> {
    const { size, sha256 } = this.digest;
    if ((await file.stat()).size !== size) throw this.#another();
    // Its members only when it is the right one: of a document that nobody checked anything might come.
    const hash = await hashOf(file);
    if ((await identityOf(file)) !== identity) throw changed();
    if (!equalBytes(hash, sha256)) throw this.#another();
    return await membersOf(file);
  }

  #another(): UpgradeError {
    return new UpgradeError(
      "UPG_NOT_FOUND_GENESIS",
      `genesis.json of this node is not the document that the chain began with, which has ${this.#began}`,
    );
  }

  get #began(): string {
    const { size, sha256 } = this.digest;
    return `${size} bytes and SHA-256 ${toHex(sha256)}: ask another node, or put that document back`;
  }

  async #withFile<T>(use: (file: FileHandle) => Promise<T>): Promise<T> {
    let file: FileHandle | undefined;
    try {
      file = await openRegularHandle(this.path);
      return await use(file);
    } catch (cause) {
      if (cause instanceof UpgradeError) throw cause;
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") {
        const missing = `this node has no genesis.json any more; the chain began with one that has ${this.#began}`;
        throw new UpgradeError("UPG_NOT_FOUND_GENESIS", missing, { cause });
      }
      const why = messageOf(cause);
      throw new UpgradeError("UPG_STORE_IO", `the genesis file cannot be read: ${why}`, { cause });
    } finally {
      await file?.close();
    }
  }
}

async function identityOf(file: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  // A program may set the time of the last write as it likes, that of the last change it may not.
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function changed(): UpgradeError {
  return new UpgradeError("UPG_STORE_IO", "the genesis file was changed while it was read: ask again");
}

async function readRange(file: FileHandle, { from, to }: ByteRange, identity: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(to - from);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  if ((await identityOf(file)) === identity) return bytes;
  throw changed();
}

async function hashOf(file: FileHandle): Promise<Uint8Array> {
  const hash = createHash("sha256");
  await eachPiece(file, (piece) => hash.update(piece));
  return new Uint8Array(hash.digest());
}

async function membersOf(file: FileHandle): Promise<Map<string, ByteRange>> {
  const scanner = new MemberScanner();
  await eachPiece(file, (piece) => scanner.take(piece));
  return scanner.finish();
}

async function eachPiece(file: FileHandle, take: (piece: Uint8Array) => void): Promise<void> {
  const piece = new Uint8Array(PIECE_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, at);
    if (bytesRead === 0) break;
    take(piece.subarray(0, bytesRead));
    at += bytesRead;
    await setImmediate();
  }
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
