/** The chain id in `config/genesis.json`, without the whole file in memory: state in it may have gigabytes. */
import type { Files } from "../../../base/files/files.js";
import { decodeLossy } from "../../../base/text/text.js";

const PART_BYTES = 1_024 * 1_024;
/** Every tool writes the id before the state, unless keys are sorted and the state is longer than this. */
const BYTES_MAX = 64 * PART_BYTES;
const TEXT_BYTES_MAX = 256;
const KEY = "chain_id";

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** @param pause between two parts. Undefined: there is no such file, or it does not say. @throws what the system says */
export async function genesisChainId(
  files: Files,
  path: string,
  pause: () => Promise<void>,
): Promise<string | undefined> {
  if (!files.facts(path)) return undefined;
  const search = new Search();
  for (let position = 0; position < BYTES_MAX; position += PART_BYTES) {
    const part = files.readPart(path, position, PART_BYTES);
    search.take(part);
    if (search.found !== undefined || part.length < PART_BYTES) break;
    await pause();
  }
  return search.found;
}

/** The value of one key of the outermost object. */
class Search {
  found: string | undefined;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #text: number[] = [];
  #key: string | undefined;
  #isValue = false;

  take(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isInText) this.#inText(byte);
      else this.#between(byte);
      if (this.found !== undefined) return;
    }
  }

  #between(byte: number): void {
    if (byte === QUOTE) {
      this.#isInText = true;
      this.#text = [];
    } else if (byte === OPEN || byte === OPEN_LIST) this.#depth++;
    else if (byte === CLOSE || byte === CLOSE_LIST) this.#depth--;
    else if (this.#depth !== 1) return;
    else if (byte === COLON) this.#isValue = true;
    else if (byte === COMMA) this.#isValue = false;
  }

  #inText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#endText();
    if (this.#isInText && this.#depth === 1 && this.#text.length < TEXT_BYTES_MAX) this.#text.push(byte);
  }

  #endText(): void {
    this.#isInText = false;
    if (this.#depth !== 1) return;
    const text = decodeLossy(Uint8Array.from(this.#text));
    if (!this.#isValue) this.#key = text;
    else if (this.#key === KEY) this.found = text;
  }
}
