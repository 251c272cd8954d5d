/**
 * An LMDB file read page by page, without LMDB: no lock file, no map, no signal that ends the process when a page is
 * damaged. It sees the last transaction at the moment when it is opened; nobody may write to the file meanwhile.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { openRegularFile } from "../../../base/files/open-file.js";
import { checkLmdbHead } from "./lmdb-head.js";
import { checkLongHead, damaged, LmdbPage, type LongValue, PAGE_HEADER_BYTES } from "./lmdb-page.js";

const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const META_BYTES = 168;
/** Free pages at the end need not be in the file. */
const FREE_TAIL_PAGES = 1_048_576;
const FREE_AT = 48;
const MAIN_AT = 96;
/** In the head of a page: the transaction that wrote it. */
const TRANSACTION_AT = 8;

/** One of the two trees that a file has: records, or pages that are free. */
export interface LmdbTree {
  /** Undefined: it is empty. */
  readonly root: number | undefined;
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly longPages: number;
  readonly entries: number;
}

export interface LmdbMeta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly free: LmdbTree;
  readonly main: LmdbTree;
}

/** What the file holds as one of its two meta pages has it. */
export class LmdbSnapshot {
  constructor(
    readonly meta: LmdbMeta,
    private readonly read: (at: number, length: number) => Uint8Array,
  ) {}

  /** A page of keys. @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
  page(number: number): LmdbPage {
    return new LmdbPage(number, this.#pages(number, 1));
  }

  /** @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
  longValue(value: LongValue): Uint8Array {
    const bytes = this.#pages(value.page, value.pages);
    checkLongHead(bytes, value, this.meta.pageBytes);
    return bytes.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + value.length);
  }

  /** Checks a long value's first page and reads no more of it. */
  checkLongValue(value: LongValue): void {
    if (value.page + value.pages > this.meta.lastPage + 1) throw damaged(`a long value lies after the last page`);
    checkLongHead(this.read(value.page * this.meta.pageBytes, PAGE_HEADER_BYTES), value, this.meta.pageBytes);
  }

  /** The transaction that the head of a page names. @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
  writer(page: number): number {
    const head = this.read(page * this.meta.pageBytes, PAGE_HEADER_BYTES);
    return Number(new DataView(head.buffer).getBigUint64(TRANSACTION_AT, true));
  }

  /** The same file by another meta page. */
  as(meta: LmdbMeta): LmdbSnapshot {
    return new LmdbSnapshot(meta, this.read);
  }

  #pages(number: number, count: number): Uint8Array {
    const { pageBytes, lastPage } = this.meta;
    if (number < 2 || count < 1 || number + count > lastPage + 1) throw damaged(`there is no page ${number}`);
    return this.read(number * pageBytes, count * pageBytes);
  }
}

export class LmdbFile {
  /** The last transaction. */
  readonly last: LmdbSnapshot;
  /** What the other meta page says: the transaction before, over whose pages the next one may have written. */
  readonly before: LmdbSnapshot;
  /** Which of the two meta pages is that of the last one. */
  readonly metaPage: number;
  readonly fileBytes: number;
  readonly #file: number;

  /** @throws UpgradeError UPG_STORE_IO, UPG_STORE_CORRUPT */
  constructor(readonly path: string) {
    checkLmdbHead(path);
    this.#file = opened(path);
    try {
      this.fileBytes = fstatSync(this.#file).size;
      const first = this.#readMeta(0);
      const second = this.#readMeta(first.pageBytes);
      this.metaPage = second.transaction > first.transaction ? 1 : 0;
      const read = (at: number, length: number) => this.#read(at, length);
      const [last, before] = this.metaPage === 1 ? [second, first] : [first, second];
      this.last = new LmdbSnapshot(last, read);
      this.before = new LmdbSnapshot(before, read);
      this.#checkMetas(first, second);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Of the last transaction. */
  get meta(): LmdbMeta {
    return this.last.meta;
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(at: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const read = readSome(this.#file, this.path, bytes, done, at + done);
      if (read === 0) throw damaged(`the file ends at byte ${at + done}, inside a page that is in use`);
      done += read;
    }
    return bytes;
  }

  #readMeta(at: number): LmdbMeta {
    const bytes = this.#read(at, META_BYTES);
    const view = new DataView(bytes.buffer);
    const number = (offset: number) => Number(view.getBigUint64(offset, true));
    const tree = (offset: number): LmdbTree => ({
      root: view.getBigUint64(offset + 40, true) === NO_PAGE ? undefined : number(offset + 40),
      depth: view.getUint16(offset + 6, true),
      branches: number(offset + 8),
      leaves: number(offset + 16),
      longPages: number(offset + 24),
      entries: number(offset + 32),
    });
    const pageBytes = view.getUint32(FREE_AT, true);
    if (number(0) * pageBytes !== at) throw damaged("a meta page calls itself by another number");
    return { pageBytes, lastPage: number(144), transaction: number(152), free: tree(FREE_AT), main: tree(MAIN_AT) };
  }

  /** They are written in turn, the one of transaction n to page n mod 2. */
  #checkMetas(first: LmdbMeta, second: LmdbMeta): void {
    const isFresh = first.transaction === 0 && second.transaction === 0;
    const isTurn =
      Math.abs(first.transaction - second.transaction) === 1 && this.meta.transaction % 2 === this.metaPage;
    // A compacting copy has all of it in its second meta page, under an odd number; the first one is that of an empty file.
    const isCopy = first.transaction === 0 && isEmpty(first) && this.meta.transaction % 2 === 1;
    if (!isFresh && !isTurn && !isCopy) {
      throw damaged(`its meta pages are of transactions ${first.transaction} and ${second.transaction}`);
    }
    if (first.pageBytes !== second.pageBytes) throw damaged("its meta pages do not agree on the size of a page");
    const pages = this.fileBytes / first.pageBytes;
    const { lastPage } = this.meta;
    if (lastPage < 1 || lastPage > pages + FREE_TAIL_PAGES) throw damaged(`its last page has number ${lastPage}`);
  }
}

const isEmpty = ({ main, free }: LmdbMeta) => main.root === undefined && free.root === undefined && main.entries === 0;

function opened(path: string): number {
  try {
    return openRegularFile(path);
  } catch (cause) {
    throw ioError(path, cause);
  }
}

function readSome(file: number, path: string, bytes: Uint8Array, offset: number, at: number): number {
  try {
    return readSync(file, bytes, offset, bytes.length - offset, at);
  } catch (cause) {
    throw ioError(path, cause);
  }
}

function ioError(path: string, cause: unknown): UpgradeError {
  const message = messageOf(cause);
  return new UpgradeError("UPG_STORE_IO", `cannot read the database ${path}: ${message}`, { cause });
}
