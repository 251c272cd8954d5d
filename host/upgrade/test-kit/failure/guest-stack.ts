/** Which functions of a guest were running when it ended: the engine's stack, in the words of the author's sources. */
import type { WasmHandler } from "../../handler/handler.js";
import { meterModule } from "../../handler/meter/meter.js";
import { METER_EXPORTS } from "../../handler/meter/meter-exports.js";
import { TracedWriter } from "../../handler/meter/traced-writer.js";
import { ByteReader } from "../../wasm/byte-reader.js";
import { readModule } from "../../wasm/decode.js";
import { functionNamer } from "../../wasm/function-names.js";
import { SECTION, type WasmModule } from "../../wasm/wasm-module.js";
import type { HandlerMap, SourcePlace } from "./handler-map.js";

export interface GuestFrame {
  /** Of the build's map, of the file's name section, or `func[3]`. */
  readonly function: string;
  /** Undefined without a map, and for code that belongs to no line. */
  readonly place: SourcePlace | undefined;
}

/** V8, SpiderMonkey and JavaScriptCore all name a frame of a guest like this; the number is a byte of the module. */
const FRAME = /wasm-function\[(\d+)\](?::0x([0-9a-f]+))?/g;
const HEADER_BYTES = 8;

/** @param thrown what ended the guest; frames innermost first, none when the engine does not give them */
export function guestFrames(handler: WasmHandler, map: HandlerMap | undefined, thrown: unknown): GuestFrame[] {
  const frames = innermostFrames(thrown);
  if (frames.length === 0) return [];
  const code = new MeteredCode(handler);
  return frames.map(({ index, at }) => code.frame(index, at, map));
}

interface EngineFrame {
  readonly index: number;
  readonly at: number;
}

/** The first error that was thrown is the last in the chain of causes. */
function innermostFrames(thrown: unknown): EngineFrame[] {
  let frames: EngineFrame[] = [];
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const found = [...(error.stack ?? "").matchAll(FRAME)].map(([, index, at]) => ({
      index: Number(index),
      at: Number.parseInt(at ?? "0", 16),
    }));
    if (found.length > 0) frames = found;
  }
  return frames;
}

/** What runs is the metered module: its functions have the indices of the original, their bytes are elsewhere. */
class MeteredCode {
  readonly #module: WasmModule;
  readonly #writer = new TracedWriter();
  /** First byte of each metered body. */
  readonly #starts: readonly number[];
  readonly #nameOf: (index: number) => string;

  constructor({ bytes }: WasmHandler) {
    this.#module = readModule(bytes);
    this.#starts = bodyStarts(meterModule(this.#module, this.#writer));
    this.#nameOf = functionNamer(this.#module);
  }

  frame(index: number, at: number, map: HandlerMap | undefined): GuestFrame {
    const number = index - this.#module.functionImports.length;
    const body = this.#module.bodies[number];
    if (!body) return { function: `memory.grow (${METER_EXPORTS.gas})`, place: undefined };
    const origin = this.#writer.originOf(number, at - (this.#starts[number] ?? at));
    const place = origin === undefined ? undefined : map?.placeOf(origin, body.start);
    return { function: map?.functionName(index) ?? this.#nameOf(index), place };
  }
}

/** Of a module that the meter wrote: nothing in it can be malformed. */
function bodyStarts(metered: Uint8Array): number[] {
  const reader = new ByteReader(metered, HEADER_BYTES);
  while (reader.byte("a section") !== SECTION.code) reader.skip(reader.u32("its size"), "a section");
  reader.u32("its size");
  const count = reader.u32("functions");
  return Array.from({ length: count }, () => {
    const size = reader.u32("the size of a body");
    const start = reader.at;
    reader.skip(size, "a body");
    return start;
  });
}
