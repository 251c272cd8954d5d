/** What the bodies of a module ask of a compiler, counted apart from the decoder, which refuses metered modules for their size. */
import { ByteReader } from "../../host/upgrade/wasm/byte-reader.js";
import { type Instruction, instructionOf, OP } from "../../host/upgrade/wasm/opcodes.js";
import { SECTION } from "../../host/upgrade/wasm/wasm-module.js";

/** By the names of the table in docs/abi.md. */
export type Figures = Record<
  | "bytes"
  | "locals"
  | "blocks inside each other"
  | "loops"
  | "loops inside each other"
  | "branches"
  | "values"
  | "calls",
  number
>;

export const NOTHING: Figures = Object.freeze({
  ...{ bytes: 0, locals: 0, "blocks inside each other": 0, loops: 0, "loops inside each other": 0 },
  ...{ branches: 0, values: 0, calls: 0 },
});

const HEADER_BYTES = 8;
const PREFIXED = 0xfc00;
const IS_BRANCH = /^(block|loop|if|else|return)$|\.(div|rem)_|^memory\.(grow|copy|fill|init)$/;
const LOOP_BRANCHES = 4;

/** Of each body, in order. */
export function bodyFigures(module: Uint8Array): Figures[] {
  const reader = new ByteReader(module, HEADER_BYTES, module.length);
  while (!reader.isDone) {
    const id = reader.byte("a section");
    const size = reader.u32("its size");
    if (id !== SECTION.code) reader.skip(size, "a section");
    else return Array.from({ length: reader.u32("the number of bodies") }, () => figuresOf(reader, module));
  }
  return [];
}

function figuresOf(outer: ByteReader, module: Uint8Array): Figures {
  const bytes = outer.u32("the size of a body");
  const reader = new ByteReader(module, outer.at, outer.at + bytes);
  outer.skip(bytes, "a body");
  const figures = { ...NOTHING, bytes };
  for (let groups = reader.u32("groups"); groups > 0; groups--) {
    figures.locals += reader.u32("locals");
    reader.byte("their type");
  }
  const blocks: number[] = [];
  while (!reader.isDone) step(reader, figures, blocks);
  return figures;
}

function step(reader: ByteReader, figures: Figures, blocks: number[]): void {
  const first = reader.byte("an instruction");
  const opcode = first === OP.prefix ? PREFIXED + reader.u32("an opcode") : first;
  const instruction = instructionOf(opcode) as Instruction;
  const { name, immediate, pushes } = instruction;
  if (opcode === OP.end) blocks.pop();
  if (immediate === "block") blocks.push(opcode);
  const isCall = opcode === OP.call || opcode === OP.callIndirect;
  const open = blocks.filter((each) => each === OP.loop).length;
  figures["blocks inside each other"] = Math.max(figures["blocks inside each other"], blocks.length);
  figures["loops inside each other"] = Math.max(figures["loops inside each other"], open);
  if (opcode === OP.loop) figures.loops++;
  if (isCall) figures.calls++;
  if (isCall || (pushes > 0 && !name.startsWith("local."))) figures.values++;
  const branches = opcode === OP.loop ? LOOP_BRANCHES : Number(IS_BRANCH.test(name));
  figures.branches += branches + passImmediate(reader, instruction);
}

/** Goes past what follows an opcode; returns the number of labels. */
function passImmediate(reader: ByteReader, { immediate }: Instruction): number {
  if (immediate === "i32") reader.s32("a constant");
  else if (immediate === "i64") reader.skipS64("a constant");
  else if (immediate === "block") reader.byte("a type");
  else if (immediate === "labels") {
    const labels = reader.u32("the number of labels") + 1;
    for (let i = 0; i < labels; i++) reader.u32("a label");
    return labels;
  } else if (immediate !== "none") {
    const hasTwo = ["type-and-table", "memory-access", "two-memories", "data-and-memory"].includes(immediate);
    for (let i = hasTwo ? 2 : 1; i > 0; i--) reader.u32("an index");
  }
  return immediate === "label" ? 1 : 0;
}
