/** Files about which engines differ, or hosts once did. Every host says of each what the node says. */
import type { ErrorCode } from "../../../host/base/errors/errors.js";
import { concatBytes } from "../../../host/base/text/bytes.js";
import { WASM_NAME_BYTES_MAX } from "../../../host/upgrade/wasm/limits.js";
import { build, customSection, guest } from "../../guest/build.js";

interface FileByHand {
  readonly what: string;
  readonly bytes: () => Uint8Array;
  /** Undefined: the file is taken. */
  readonly code?: ErrorCode;
}

/** Short forms of the instructions with the prefix 0xfc. Engines differ on longer forms of the number after it. */
const PREFIXED: readonly (readonly [wat: string, short: readonly number[]])[] = [
  ["memory.init $d (i32.const 0) (i32.const 0) (i32.const 0)", [0xfc, 0x08, 0, 0]],
  ["data.drop $d", [0xfc, 0x09, 0]],
  ["memory.copy (i32.const 0) (i32.const 0) (i32.const 0)", [0xfc, 0x0a, 0, 0]],
  ["memory.fill (i32.const 0) (i32.const 0) (i32.const 0)", [0xfc, 0x0b, 0]],
];

/** Taken and refused ones in turn, then refused ones: a caller that runs every second file runs those that are taken. */
export const FILES_BY_HAND: readonly FileByHand[] = [
  { what: "call_indirect with its table's index in five bytes, as rustc and LLVM write it", bytes: paddedTableIndex },
  {
    what: "an export's name of a byte too many",
    bytes: () => withExport(WASM_NAME_BYTES_MAX + 1),
    code: "UPG_HANDLER_LIMIT",
  },
  { what: "br_table to labels of two types, in dead code", bytes: branchesOfTwoTypes },
  {
    what: "a custom section's name of a byte too many",
    bytes: () => withCustom(WASM_NAME_BYTES_MAX + 1),
    code: "UPG_HANDLER_LIMIT",
  },
  {
    what: "names as long as may be",
    bytes: () => concatBytes(withExport(WASM_NAME_BYTES_MAX), noise(WASM_NAME_BYTES_MAX)),
  },
  {
    what: "a manifest of which the message ends inside a character",
    bytes: () => build(guest(), `{"${"a".repeat(16_329)}":é`),
    code: "UPG_HANDLER_MANIFEST",
  },
  ...PREFIXED.flatMap(([wat, short]) =>
    [2, 3, 4, 5].map((length): FileByHand => {
      const bytes = () => paddedNumber(wat, short, length);
      return { what: `${wat.split(" ")[0]} with its number in ${length} bytes`, bytes, code: "UPG_HANDLER_FORMAT" };
    }),
  ),
];

/** As a difference names a file: the round of a mutated one, else what was made by hand. */
export function fileName(index: number, mutated: number): string {
  return index < mutated ? `round ${index}` : (FILES_BY_HAND[index - mutated]?.what ?? "no file");
}

function paddedTableIndex(): Uint8Array {
  const run = "(call_indirect (type $t) (i32.const 0)) nop nop nop nop (i32.const 0)";
  const file = build(guest({ run, more: "(type $t (func)) (func $f) (table 1 funcref) (elem (i32.const 0) $f)" }));
  const short = [0x00, 0x01, 0x01, 0x01, 0x01];
  const at = file.findIndex((byte, i) => byte === 0x11 && short.every((due, n) => file[i + 2 + n] === due));
  if (at < 0) throw new Error("there is no call_indirect");
  file.set([0x80, 0x80, 0x80, 0x80, 0x00], at + 2);
  return file;
}

/** An instruction whose number after the prefix has more bytes than it needs: they take the place of nops after it. */
function paddedNumber(wat: string, short: readonly number[], length: number): Uint8Array {
  const nops = Array.from({ length: length - 1 }, () => 0x01);
  const run = `(${wat}) ${"nop ".repeat(nops.length)} (i32.const 0)`;
  const file = build(guest({ run, more: '(data $d "x")' }));
  const [prefix = 0, number = 0, ...operands] = short;
  const at = Buffer.from(file).indexOf(Uint8Array.of(...short, ...nops));
  if (at < 0) throw new Error(`there is no ${wat}`);
  const zeros = Array.from({ length: length - 2 }, () => 0x80);
  file.set([prefix, number | 0x80, ...zeros, 0x00, ...operands], at);
  return file;
}

function branchesOfTwoTypes(): Uint8Array {
  const inner = "(block (result i64) unreachable (br_table 0 1))";
  const dead = `(drop (block (result i32) ${inner} drop (i32.const 0)))`;
  return build(guest({ run: `(if (i32.eqz (local.get $len)) (then ${dead})) (i32.const 0)` }));
}

function withExport(nameBytes: number): Uint8Array {
  return build(guest({ more: `(func (export "${"a".repeat(nameBytes)}"))` }));
}

const noise = (nameBytes: number): Uint8Array => customSection("a".repeat(nameBytes), new Uint8Array(0));

function withCustom(nameBytes: number): Uint8Array {
  return concatBytes(build(guest()), noise(nameBytes));
}
