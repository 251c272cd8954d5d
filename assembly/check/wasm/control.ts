// Open blocks of a function and the height of the operand stack inside them. Twin of host/upgrade/wasm/control-stack.ts.
import { bad, text } from "../text/message";
import { ELSE, IF, LOOP, OP_BLOCK } from "./opcodes";
import { malformed } from "./reader";

/** The function's own body, and one block more than may be open: the limit is checked before it is entered. */
const LEVEL_BYTES: u32 = 8;
const levels: usize = memory.data(8 * 258, 4);

/** Open blocks, the body among them; 0 after the function's last `end`. */
export let depth: u32 = 0;
/** Operands on the stack, in the view of the innermost block that is all there is below unreachable code. */
export let height: i32 = 0;
export let heightMax: i32 = 0;
/** Loops among the open blocks. */
export let loops: u32 = 0;

function row(level: u32): usize {
  return levels + level * LEVEL_BYTES;
}

/** Of a level: i32 base, u8 opcode, u8 results, u8 reachable. */
function base(level: u32): i32 {
  return load<i32>(row(level));
}

function opcode(level: u32): u32 {
  return load<u8>(row(level), 4);
}

function results(level: u32): u32 {
  return load<u8>(row(level), 5);
}

function isReachable(level: u32): bool {
  return load<u8>(row(level), 6) != 0;
}

export function openFunction(resultCount: u32): void {
  depth = 0;
  height = 0;
  heightMax = 0;
  loops = 0;
  enter(OP_BLOCK, resultCount);
}

/** Callers keep `depth` within its limit. */
export function enter(op: u32, resultCount: u32): void {
  const at = row(depth++);
  if (op == LOOP) loops++;
  store<i32>(at, height);
  store<u8>(at, op, 4);
  store<u8>(at, resultCount, 5);
  store<u8>(at, 1, 6);
}

/** Operands that a branch to `label` takes: a loop begins again and takes none. */
export function branchOperands(label: u32): u32 {
  const level = depth - 1 - label;
  return opcode(level) == LOOP ? 0 : results(level);
}

export function pop(count: u32, at: usize): void {
  if (bad) return;
  const floor = base(depth - 1);
  if (height - <i32>count >= floor) height -= <i32>count;
  else if (!isReachable(depth - 1)) height = floor;
  else {
    malformed(at);
    text("an instruction takes more operands than there are");
  }
}

export function push(count: u32): void {
  height += <i32>count;
  if (height > heightMax) heightMax = height;
}

/** After an unconditional branch. */
export function leave(): void {
  height = base(depth - 1);
  store<u8>(row(depth - 1), 0, 6);
}

export function enterElse(at: usize): void {
  const level = depth - 1;
  if (opcode(level) != IF) {
    malformed(at);
    text("else without its if");
    return;
  }
  requireResults(at);
  store<u8>(row(level), ELSE, 4);
  store<u8>(row(level), 1, 6);
  height = base(level);
}

export function closeBlock(at: usize): void {
  const level = depth - 1;
  if (opcode(level) == IF && results(level) > 0) {
    malformed(at);
    text("an if that gives a value needs an else");
    return;
  }
  requireResults(at);
  height = base(level);
  if (opcode(level) == LOOP) loops--;
  depth--;
  push(results(level));
}

function requireResults(at: usize): void {
  const level = depth - 1;
  const due = base(level) + <i32>results(level);
  if (isReachable(level) ? height == due : height <= due) return;
  malformed(at);
  text("a block ends with another number of operands than it gives");
}
