/**
 * A genesis document of any size. Its long lists stay where they are and are read a part at a time, as often as they are
 * walked over; what else is read is small and held in memory; what no module reads is checked to be JSON, and dropped.
 */

import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { type ByteSource, readRange } from "../../base/files/byte-source.js";
import { decodeText } from "../../base/text/text.js";
import { JsonReader } from "../values/json-reader.js";
import { JsonScanner } from "./json-scanner.js";
import { LongList } from "./long-list.js";
import { requireNamesOnce, requireNew } from "./names-once.js";

/** Everything that is read but the long lists, together. */
const HELD_BYTES_MAX = 256 * 1_048_576;

const ROOT_PATH = "genesis";
const STATE_PATH = `${ROOT_PATH}.app_state`;
/** A section with nothing in it, and the most bytes in which one is looked for. */
const NOTHING = /^(?:null|\{\s*\}|\[\s*\])$/;
const NOTHING_BYTES_MAX = 1_024;

const OBJECT = 0x7b;
const ARRAY = 0x5b;

/**
 * A part of the document: how it is read. "unread" members are known and dropped. Any other member of a module's section or of the
 * document itself is an error, elsewhere it is dropped.
 */
export type Part = "held" | "list" | "unread" | { readonly [name: string]: Part };

/** A member of the document, or of a module's section, that nothing reads. */
export interface UnknownMember {
  readonly path: string;
  readonly name: string;
  /** The names that may be there. */
  readonly valid: readonly string[];
}

/** @param modules the sections that are read */
const partsOf = (modules: Readonly<Record<string, Part>>): Part => ({
  genesis_time: "held",
  chain_id: "held",
  initial_height: "held",
  consensus: "held",
  validators: "held",
  // Fields of the Cosmos SDK's and CometBFT's documents that decide nothing here.
  ...{ app_name: "unread", app_version: "unread", app_hash: "unread", consensus_params: "unread" },
  app_state: { ...modules, raw: { stores: "held", module_versions: "held", pairs: "list" } },
});

export class GenesisDocument {
  /** The document without its long lists. */
  readonly root: JsonReader;
  /** Offset of the bracket that opens the document. */
  readonly start: number;
  /** Where the value of `chain_id` is; undefined when there is none. */
  readonly chainIdRange: readonly [start: number, end: number] | undefined;
  /** Sections below `app_state` that have something in them, and are not read. */
  readonly unread: readonly string[];
  readonly unknownMember: UnknownMember | undefined;
  readonly #lists: ReadonlyMap<string, LongList>;

  /**
   * @param parts how the section of each module is read
   * @throws UpgradeError UPG_INVALID_GENESIS when it is not JSON
   */
  constructor(
    readonly source: ByteSource,
    parts: Readonly<Record<string, Part>>,
  ) {
    const index = new DocumentIndex(source, partsOf(parts));
    const value = index.run();
    this.root = new JsonReader(value, "genesis");
    this.start = index.start;
    this.chainIdRange = index.chainIdRange;
    this.unread = index.unread;
    this.unknownMember = index.unknownMember;
    this.#lists = index.lists;
  }

  /** Elements of a long list by its path below `app_state`; absence and null count as empty. */
  list(module: string, name: string): Iterable<JsonReader> & { readonly length: number } {
    const found = this.#lists.get(`genesis.app_state.${module}.${name}`);
    return found ?? this.root.get("app_state").get(module).get(name).items();
  }
}

/** One walk over the whole document. */
class DocumentIndex {
  readonly lists = new Map<string, LongList>();
  readonly unread: string[] = [];
  /** The first one. */
  unknownMember: UnknownMember | undefined;
  start = 0;
  chainIdRange: readonly [start: number, end: number] | undefined;
  readonly #scanner: JsonScanner;
  #held = 0;

  constructor(
    private readonly source: ByteSource,
    private readonly parts: Part,
  ) {
    this.#scanner = new JsonScanner(source, "the genesis document");
  }

  run(): unknown {
    this.#scanner.peekValue();
    this.start = this.#scanner.at;
    const value = this.#value(ROOT_PATH, this.parts);
    this.#scanner.end();
    return value;
  }

  #value(path: string, part: Part): unknown {
    const first = this.#scanner.peekValue();
    if (part === "list" && first === ARRAY) return this.#list(path);
    if (typeof part === "object" && first === OBJECT) return this.#object(path, part);
    // What has another shape than expected is held, so that its reader can say what it is.
    return this.#hold(path);
  }

  #object(path: string, parts: Readonly<Record<string, Part>>): unknown {
    const members: Record<string, unknown> = {};
    const seen = new Set<string>();
    this.#scanner.object((key) => {
      requireNew(seen, key, path);
      const part = Object.hasOwn(parts, key) ? parts[key] : undefined;
      if (part === undefined && (path === ROOT_PATH || path.startsWith(`${STATE_PATH}.`))) {
        this.unknownMember ??= { path, name: key, valid: Object.keys(parts) };
      }
      if (part === undefined || part === "unread") this.#pass(path, key);
      else members[key] = this.#value(`${path}.${key}`, part);
    });
    return members;
  }

  /** Passes over what is not read. */
  #pass(path: string, key: string): void {
    this.#scanner.peekValue();
    const start = this.#scanner.at;
    this.#scanner.skip();
    const { at: end } = this.#scanner;
    if (path !== STATE_PATH) return;
    const isShort = end - start <= NOTHING_BYTES_MAX;
    const isNothing = isShort && NOTHING.test(decodeText(readRange(this.source, start, end)));
    if (!isNothing) this.unread.push(key);
  }

  #list(path: string): undefined {
    const list = new LongList(this.source, path);
    list.index(this.#scanner);
    this.lists.set(path, list);
    return undefined;
  }

  #hold(path: string): unknown {
    const start = this.#scanner.at;
    const { members } = this.#scanner;
    this.#scanner.skip();
    const end = this.#scanner.at;
    if (path === "genesis.chain_id") this.chainIdRange = [start, end];
    this.#held += end - start;
    if (this.#held > HELD_BYTES_MAX) {
      throw new UpgradeError(
        "UPG_INVALID_GENESIS",
        `${path}: too large: all but the lists that are read a part at a time may have ${HELD_BYTES_MAX} bytes together`,
      );
    }
    const { text, value } = parsed(path, readRange(this.source, start, end));
    requireNamesOnce({ text, value, members: this.#scanner.members - members, path });
    return value;
  }
}

function parsed(path: string, bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    const text = decodeText(bytes);
    return { text, value: JSON.parse(text) };
  } catch (cause) {
    const what = messageOf(cause);
    throw new UpgradeError("UPG_INVALID_GENESIS", `${path}: ${what}`, { cause });
  }
}
