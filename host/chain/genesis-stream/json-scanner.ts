/**
 * Walks JSON text of any size a window at a time and keeps nothing of it: its callers learn where values begin and end,
 * and read those that they want. What it passes over is held to the grammar of RFC 8259, byte by byte.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { type ByteSource, readRange } from "../../base/files/byte-source.js";
import { decodeText } from "../../base/text/text.js";

const WINDOW_BYTES = 262_144;
/** Objects and arrays in one another. */
const DEPTH_MAX = 256;
/** A key is kept while its value is walked over. */
const KEY_BYTES_MAX = 65_536;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const SMALL_E = 0x65;
const SMALL_U = 0x75;
const LITERALS: Readonly<Record<number, string>> = { 116: "true", 102: "false", 110: "null" };
/** Characters that may follow a backslash: `"\/bfnrt`. */
const ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));
const END = -1;

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= ZERO + 9;
const isHexDigit = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

export class JsonScanner {
  readonly #window: Uint8Array;
  #windowAt = 0;
  #filled = 0;
  /** Next byte, counted in the window. */
  #next = 0;
  #depth = 0;
  #members = 0;

  /** `name`: of the document, for messages; `windowBytes`: what is read at once. */
  constructor(
    private readonly source: ByteSource,
    private readonly name: string,
    windowBytes: number = WINDOW_BYTES,
  ) {
    this.#window = new Uint8Array(windowBytes);
  }

  /** Offset in the document of the byte that comes next. */
  get at(): number {
    return this.#windowAt + this.#next;
  }

  /** Members of all objects so far, each as often as it is given. */
  get members(): number {
    return this.#members;
  }

  /** First byte of the value that comes next, END when there is none. */
  peekValue(): number {
    return this.#passBlanks();
  }

  /** The value that comes next is an object? Then its members: `visit` walks over each value. */
  object(visit: (key: string) => void): void {
    this.#enter(OPEN_OBJECT);
    let hasMore = this.#passBlanks() !== CLOSE_OBJECT;
    while (hasMore) {
      const key = this.#key();
      this.#passColon();
      visit(key);
      hasMore = this.#hasMore(CLOSE_OBJECT);
    }
    this.#leave();
  }

  /** The same when nobody wants to know: keys are walked over too, and not read. */
  #skipObject(): void {
    this.#enter(OPEN_OBJECT);
    let hasMore = this.#passBlanks() !== CLOSE_OBJECT;
    while (hasMore) {
      if (this.#passBlanks() !== QUOTE) throw this.#wrong("expected a key");
      this.#string();
      this.#passColon();
      this.skip();
      hasMore = this.#hasMore(CLOSE_OBJECT);
    }
    this.#leave();
  }

  #passColon(): void {
    if (this.#passBlanks() !== COLON) throw this.#wrong("expected a colon");
    this.#next++;
    this.#members++;
  }

  /** The value that comes next is an array? Then its elements: `visit` walks over each. */
  array(visit: () => void): void {
    this.#enter(OPEN_ARRAY);
    let hasMore = this.#passBlanks() !== CLOSE_ARRAY;
    while (hasMore) {
      visit();
      hasMore = this.#hasMore(CLOSE_ARRAY);
    }
    this.#leave();
  }

  /** Walks over one value of any kind. */
  skip(): void {
    const byte = this.#passBlanks();
    if (byte === QUOTE) this.#string();
    else if (byte === OPEN_OBJECT) this.#skipObject();
    else if (byte === OPEN_ARRAY) this.array(this.#skipElement);
    else if (byte === MINUS || isDigit(byte)) this.#number();
    else this.#literal(byte);
  }

  /** Nothing but blanks may come any more. */
  end(): void {
    if (this.#passBlanks() !== END) throw this.#wrong("expected the end of the document");
  }

  readonly #skipElement = (): void => this.skip();

  #enter(bracket: number): void {
    if (this.#passBlanks() !== bracket) throw this.#wrong(`expected "${String.fromCharCode(bracket)}"`);
    if (++this.#depth > DEPTH_MAX) throw this.#wrong(`more than ${DEPTH_MAX} objects and arrays in one another`);
    this.#next++;
  }

  /** A comma: one more comes; the closing bracket: none does. */
  #hasMore(close: number): boolean {
    const byte = this.#passBlanks();
    if (byte === close) return false;
    if (byte !== COMMA) throw this.#wrong(`expected "," or "${String.fromCharCode(close)}"`);
    this.#next++;
    return true;
  }

  #leave(): void {
    this.#depth--;
    this.#next++;
  }

  #key(): string {
    if (this.#passBlanks() !== QUOTE) throw this.#wrong("expected a key");
    const start = this.at;
    this.#string();
    if (this.at - start > KEY_BYTES_MAX) throw this.#wrong(`a key has more than ${KEY_BYTES_MAX} bytes`);
    return JSON.parse(
      decodeText(readRange(this.source, start, this.at), () => this.#wrong("a key is not UTF-8")),
    ) as string;
  }

  #string(): void {
    this.#next++;
    for (;;) {
      const byte = this.#plainCharacters();
      if (byte === QUOTE) {
        this.#next++;
        return;
      }
      if (byte !== BACKSLASH) throw this.#wrong(byte === END ? "a text has no end" : "a control character in a text");
      this.#next++;
      this.#escape();
    }
  }

  /** Passes over what a text consists of mostly; returns the byte that ends it. */
  #plainCharacters(): number {
    const window = this.#window;
    for (;;) {
      let next = this.#next;
      const end = this.#filled;
      while (next < end) {
        const byte = window[next] as number;
        if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) {
          this.#next = next;
          return byte;
        }
        next++;
      }
      this.#next = next;
      if (this.#peek() === END) return END;
    }
  }

  #escape(): void {
    const byte = this.#peek();
    if (byte === SMALL_U) {
      for (let i = 0; i < 4; i++) {
        this.#next++;
        if (!isHexDigit(this.#peek())) throw this.#wrong("four hexadecimal digits follow \\u");
      }
    } else if (!ESCAPES.has(byte)) throw this.#wrong("no such escape in a text");
    this.#next++;
  }

  #number(): void {
    if (this.#peek() === MINUS) this.#next++;
    if (this.#peek() === ZERO) this.#next++;
    else this.#digits();
    if (this.#peek() === POINT) {
      this.#next++;
      this.#digits();
    }
    if ((this.#peek() | 0x20) !== SMALL_E || this.#peek() === END) return;
    this.#next++;
    if (this.#peek() === MINUS || this.#peek() === PLUS) this.#next++;
    this.#digits();
  }

  /** One or more. */
  #digits(): void {
    if (!isDigit(this.#peek())) throw this.#wrong("expected a digit");
    while (isDigit(this.#peek())) this.#next++;
  }

  #literal(first: number): void {
    const word = LITERALS[first];
    if (word === undefined)
      throw this.#wrong(first === END ? "expected a value, the document ends" : "expected a value");
    for (let i = 0; i < word.length; i++) {
      if (this.#peek() !== word.charCodeAt(i)) throw this.#wrong(`expected ${word}`);
      this.#next++;
    }
  }

  #passBlanks(): number {
    for (;;) {
      const byte = this.#peek();
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#next++;
    }
  }

  #peek(): number {
    if (this.#next < this.#filled) return this.#window[this.#next] as number;
    this.#windowAt += this.#filled;
    this.#next = 0;
    this.#filled = this.source.read(this.#windowAt, this.#window);
    return this.#filled === 0 ? END : (this.#window[0] as number);
  }

  #wrong(what: string): UpgradeError {
    return new UpgradeError("UPG_INVALID_GENESIS", `${this.name} is not JSON: byte ${this.at}: ${what}`);
  }
}
