/** Large handlers made byte by byte: a text of a megabyte is more than the assembler likes. */
import { concatBytes, utf8 } from "../../../host/base/text/bytes.js";
import { leb, MINIMAL_MANIFEST, manifestSection, section } from "../build.js";

export interface Body {
  /** Declared locals, all i64; the parameter, an i32, comes before them. */
  readonly locals: number;
  /** Instructions that leave an i32, without the last `end`. */
  readonly code: Uint8Array;
}

const I32 = 0x7f;
const I64 = 0x7e;
const END = 0x0b;
/** The functions of the interface; those of the bomb come after them. */
const INTERFACE = 4;
const EXPORTS_OF_BODIES_MAX = 900;

const list = (items: readonly Uint8Array[]) => concatBytes(Uint8Array.from(leb(items.length)), ...items);
const bytes = (...values: number[]) => Uint8Array.from(values);
const sized = (body: Uint8Array) => concatBytes(bytes(...leb(body.length)), body);

function exported(name: string, kind: number, index: number): Uint8Array {
  return concatBytes(bytes(name.length), utf8(name), bytes(kind, ...leb(index)));
}

/** A whole handler with these functions, `(i32) -> i32`, exported as f0, f1, … so that an engine has a reason to compile them. */
export function moduleOf(bodies: readonly Body[]): Uint8Array {
  const own = bodies.slice(0, EXPORTS_OF_BODIES_MAX).map((_, i) => exported(`f${i}`, 0, INTERFACE + i));
  const constant = (value: number) => sized(bytes(0, 0x41, ...leb(value), END));
  return concatBytes(
    bytes(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0),
    section(1, list([bytes(0x60, 1, I32, 1, I32), bytes(0x60, 0, 0)])),
    section(3, list([bytes(1), bytes(0), bytes(0), bytes(0), ...bodies.map(() => bytes(0))])),
    section(5, list([bytes(1, 16, 16)])),
    section(6, list([bytes(I64, 1, 0x42, 0, END)])),
    section(
      7,
      list([
        exported("memory", 2, 0),
        exported("handler_abi_1", 0, 0),
        exported("handler_in", 0, 1),
        exported("handler_out", 0, 2),
        exported("handler_run", 0, 3),
        ...own,
      ]),
    ),
    section(
      10,
      list([
        sized(bytes(0, END)),
        constant(32),
        constant(48),
        constant(0),
        ...bodies.map(({ locals, code }) =>
          sized(concatBytes(locals > 0 ? bytes(1, ...leb(locals), I64) : bytes(0), code, bytes(END))),
        ),
      ]),
    ),
    manifestSection(MINIMAL_MANIFEST),
  );
}
