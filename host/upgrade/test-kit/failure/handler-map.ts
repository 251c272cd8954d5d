/**
 * The side file of a build, `handler.map.json`: names of functions, and lines of the sources by the byte of the handler that
 * was made of them. The handler does without it; nodes never see it.
 */
import { UpgradeError } from "../../../base/errors/errors.js";

/** As the file has it. */
export interface MapDocument {
  readonly map: 1;
  /** SHA-256 of the handler that it belongs to. */
  readonly handler: string;
  /** By the index of the function. */
  readonly functions: Readonly<Record<string, string>>;
  readonly sources: readonly string[];
  /** `[byte of the file, number of the source, line, column]`, bytes ascending; lines and columns count from 1. */
  readonly lines: readonly (readonly [at: number, source: number, line: number, column: number])[];
}

export interface SourcePlace {
  readonly source: string;
  readonly line: number;
  readonly column: number;
  /** Of the library's code that the compiler put into a function of the author's: the author's last line before it. */
  readonly near?: SourcePlace;
}

export class HandlerMap {
  readonly handler: string;
  readonly #document: MapDocument;

  /** @throws UpgradeError UPG_INVALID_ARGUMENT when the text is no map */
  constructor(text: string) {
    this.#document = parseMap(text);
    this.handler = this.#document.handler;
  }

  functionName(index: number): string | undefined {
    const { functions } = this.#document;
    return Object.hasOwn(functions, index) ? functions[index] : undefined;
  }

  /** @param at byte of the handler's file, in the function that begins at byte `start` */
  placeOf(at: number, start: number): SourcePlace | undefined {
    const last = this.#lastLine(at);
    const place = this.#place(last, start);
    if (!place || !isLibrary(place)) return place;
    for (let i = last - 1; ; i--) {
      const before = this.#place(i, start);
      if (!before) return place;
      if (!isLibrary(before)) return { ...place, near: before };
    }
  }

  /** Where the code of a function begins, which is bytes `start` to `end` of the handler's file: the author's first line in it, if it has one. */
  startOf(start: number, end: number): SourcePlace | undefined {
    let first: SourcePlace | undefined;
    for (let i = this.#lastLine(start - 1) + 1; (this.#document.lines[i]?.[0] ?? end) < end; i++) {
      const place = this.#place(i, start);
      if (place && !isLibrary(place)) return place;
      first ??= place;
    }
    return first;
  }

  /** The number of the last line that begins at this byte or before it; -1 without one. */
  #lastLine(at: number): number {
    const { lines } = this.#document;
    let [low, high] = [0, lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lines[middle]?.[0] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #place(number: number, start: number): SourcePlace | undefined {
    const { lines, sources } = this.#document;
    const line = lines[number];
    const source = line && line[0] >= start ? sources[line[1]] : undefined;
    return line && source !== undefined ? { source, line: line[2], column: line[3] } : undefined;
  }
}

/** Not the author's own: the kit, and the library of the language. */
const isLibrary = ({ source }: SourcePlace) => source.startsWith("~lib/");

function parseMap(text: string): MapDocument {
  const document = parsed(text) as Partial<MapDocument> | null;
  const { map, handler, functions, sources, lines } = document ?? {};
  const isWhole =
    map === 1 &&
    typeof handler === "string" &&
    isRecordOfTexts(functions) &&
    Array.isArray(sources) &&
    sources.every((source) => typeof source === "string") &&
    Array.isArray(lines) &&
    lines.every(isLine);
  if (!isWhole) throw refuse("it is no map of version 1");
  return document as MapDocument;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refuse(`not JSON: ${String(cause)}`);
  }
}

const isRecordOfTexts = (value: unknown) =>
  typeof value === "object" && value !== null && Object.values(value).every((name) => typeof name === "string");

const isLine = (value: unknown) =>
  Array.isArray(value) && value.length === 4 && value.every((each) => Number.isSafeInteger(each) && each >= 0);

function refuse(what: string): UpgradeError {
  return new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `the map of the handler cannot be used: ${what}; build the handler again`,
  );
}
