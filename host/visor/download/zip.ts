/** Reads zip. The same as of tar is refused; yauzl refuses names that lead elsewhere, and bytes that are not what the entry says. */
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { refused } from "./entry-name.js";
import type { Tree, TreeEntry } from "./tree.js";

const PIECE_BYTES = 1_048_576;
/** The kind of a file, in the upper half of a Unix entry's attributes. */
const KIND_BITS = 0o170000;
const FOLDER = 0o040000;
const REGULAR = 0o100000;
const ENCRYPTED = 1;
/** Who made the entry, in the upper byte: Unix and macOS say what kind of file it is. */
const UNIX_MAKERS: ReadonlySet<number> = new Set([3, 19]);

/** @throws UpgradeError UPG_INVALID_PLAN_INFO; what the disk says */
export async function readZip(files: Files, path: string, tree: Tree): Promise<void> {
  const zip = await openZip(files, path);
  try {
    for await (const entry of entriesOf(zip)) {
      tree.count();
      await addEntry(zip, entry, tree);
    }
  } finally {
    zip.close();
  }
}

async function addEntry(zip: ZipFile, entry: Entry, tree: Tree): Promise<void> {
  const { fileName: name } = entry;
  const kind = kindOf(entry);
  if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw refused(name, "it is encrypted");
  const body = await new Promise<Readable>((resolve, reject) =>
    zip.openReadStream(entry, (error, stream) => (error ? reject(unreadable(error)) : resolve(stream))),
  );
  try {
    await tree.add({ name, kind, mode: entry.externalFileAttributes >>> 16 }, readable(body, entry));
  } finally {
    body.destroy();
  }
}

/** yauzl compares the number of bytes, not their sum. */
async function* readable(body: Readable, { crc32: expected }: Entry): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      sum = crc32(piece, sum);
      yield piece;
    }
    if (sum !== expected) throw new Error(`its bytes have the CRC ${sum}, and it says ${expected}`);
  } catch (cause) {
    throw unreadable(cause);
  }
}

function kindOf({ fileName, versionMadeBy, externalFileAttributes }: Entry): TreeEntry["kind"] {
  const isFolderByName = fileName.endsWith("/");
  const said = UNIX_MAKERS.has(versionMadeBy >>> 8) ? (externalFileAttributes >>> 16) & KIND_BITS : 0;
  if (said !== 0 && said !== (isFolderByName ? FOLDER : REGULAR)) {
    throw refused(fileName, "it is neither a file nor a folder");
  }
  return isFolderByName ? "folder" : "file";
}

async function openZip(files: Files, path: string): Promise<ZipFile> {
  const { fromRandomAccessReader, RandomAccessReader } = await import("yauzl").then((all) => all.default);
  class PartReader extends RandomAccessReader {
    override _readStreamForRange(from: number, to: number): Readable {
      return Readable.from(partsOf(files, path, from, to));
    }
  }
  const bytes = files.facts(path)?.bytes ?? 0;
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true };
  return new Promise((resolve, reject) =>
    fromRandomAccessReader(new PartReader(), bytes, options, (error, zip) =>
      error ? reject(unreadable(error)) : resolve(zip),
    ),
  );
}

function* partsOf(files: Files, path: string, from: number, to: number): Generator<Uint8Array> {
  for (let at = from; at < to; ) {
    const piece = files.readPart(path, at, Math.min(PIECE_BYTES, to - at));
    if (piece.length === 0) return;
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    at += piece.length;
  }
}

/** One after the other: the next is read when the one before it was taken. */
async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      const settle = (work: () => void) => {
        zip.removeAllListeners();
        work();
      };
      zip.once("entry", (next: Entry) => settle(() => resolve(next)));
      zip.once("end", () => settle(() => resolve(undefined)));
      zip.once("error", (error) => settle(() => reject(unreadable(error))));
      zip.readEntry();
    });
    if (!entry) return;
    yield entry;
  }
}

function unreadable(cause: unknown): unknown {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  if (isUpgradeError(cause) || /^E[A-Z]+$/.test(code ?? "")) return cause;
  return new UpgradeError("UPG_INVALID_PLAN_INFO", `the download is no zip, or is damaged: ${messageOf(cause)}`, {
    cause,
  });
}
