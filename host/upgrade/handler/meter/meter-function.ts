/**
 * Writes a new function, metered. Its code is copied; nothing in it is renumbered:
 *
 *     block                 ;; a branch to here: the gas or the stack is gone
 *       take the entry's gas, reserve stack
 *       block (result)      ;; what the function's own label now means
 *         the code, with its edits
 *       end
 *       give the gas and the stack back
 *       return
 *     end
 *     give the gas back, unreachable
 */
import { ByteReader } from "../../wasm/byte-reader.js";
import { OP } from "../../wasm/opcodes.js";
import type { FunctionBody } from "../../wasm/wasm-module.js";
import type { CodeWriter } from "./code-writer.js";
import { EDIT, type Edits } from "./edits.js";
import type { FunctionFacts } from "./function-facts.js";
import type { Added, Injector } from "./injected.js";

const EMPTY_BLOCK = 0x40;
/** Branches from inside the code pass its own block first. */
const INNER_BLOCK = 1;
/**
 * A function that costs more looks at the gas when it begins, also when it calls nobody: a caller looks only when it
 * begins and in its loops, and may call it a hundred thousand times in a row.
 */
const UNCHECKED_GAS_MAX = 1_000;

export interface MeteredFunction {
  readonly body: FunctionBody;
  readonly facts: FunctionFacts;
  /** Undefined: its stack is not counted. */
  readonly reserve: number | undefined;
  readonly edits: Edits;
  /** Its callers have paid for its beginning. */
  readonly isEntryPaid: boolean;
}

/** A function that is paid for where it is called: only what costs by an operand is put in. */
export function writeFlat(
  bytes: Uint8Array,
  { body, facts, edits }: MeteredFunction,
  out: CodeWriter,
  inject: Injector,
  added: Added,
): void {
  if (!facts.hasBulk) {
    out.copy(bytes, body.start, body.end);
    return;
  }
  inject.local = body.type.params.length + body.locals;
  inject.isGlobal = true;
  writeLocals(bytes, body, facts, out, inject);
  out.bytes(OP.block, EMPTY_BLOCK, OP.block, body.type.results[0] ?? EMPTY_BLOCK);
  let copied = body.codeStart;
  for (let i = 1; i < edits.length; i++) {
    if (edits.kinds[i] !== EDIT.bulk) continue;
    out.copy(bytes, copied, edits.at[i]);
    copied = writeEdit(bytes, edits, i, out, inject, added);
  }
  out.copy(bytes, copied, body.end).bytes(OP.return, OP.end, OP.unreachable, OP.end);
}

/** Appends the body, without its size. */
export function writeMetered(
  bytes: Uint8Array,
  { body, facts, reserve, edits, isEntryPaid }: MeteredFunction,
  out: CodeWriter,
  inject: Injector,
  added: Added,
): void {
  inject.local = body.type.params.length + body.locals;
  inject.isGlobal = isEntryPaid || edits.areMostlyCalls;
  writeLocals(bytes, body, facts, out, inject);
  out.bytes(OP.block, EMPTY_BLOCK);
  if (isEntryPaid) lookAtEachSegment(edits);
  else {
    const { price, loads } = edits.entry;
    inject.enter(price, loads, 0, edits.hasCalls || edits.cost > UNCHECKED_GAS_MAX);
  }
  if (reserve !== undefined) inject.reserveStack(reserve, 0);
  out.bytes(OP.block, body.type.results[0] ?? EMPTY_BLOCK);
  let copied = body.codeStart;
  for (let i = 1; i < edits.length; i++) {
    out.copy(bytes, copied, edits.at[i]);
    copied = writeEdit(bytes, edits, i, out, inject, added);
  }
  // The function's own `end` closes the inner block.
  out.copy(bytes, copied, body.end);
  inject.store();
  if (reserve !== undefined) inject.releaseStack(reserve);
  out.bytes(OP.return, OP.end);
  inject.store();
  out.bytes(OP.unreachable, OP.end);
}

/** Callers look at the gas for what every call runs, and not for the rest. */
function lookAtEachSegment(edits: Edits): void {
  for (let i = 1; i < edits.length; i++) {
    if (edits.kinds[i] === EDIT.settle && (edits.costs[i] ?? 0) > 0) edits.kinds[i] = EDIT.check;
  }
}

function writeLocals(
  bytes: Uint8Array,
  body: FunctionBody,
  { hasBulk }: FunctionFacts,
  out: CodeWriter,
  inject: Injector,
): void {
  const reader = new ByteReader(bytes, body.start, body.codeStart);
  const groups = reader.u32("the number of local declarations");
  out.u32(groups + (hasBulk ? 2 : 1)).copy(bytes, reader.at, body.codeStart);
  inject.declare(hasBulk);
}

/** Returns the first byte of the original that is still to be copied. */
function writeEdit(
  bytes: Uint8Array,
  edits: Edits,
  i: number,
  out: CodeWriter,
  inject: Injector,
  added: Added,
): number {
  const [at, to, depth] = [edits.at[i] as number, edits.to[i] as number, edits.depths[i] as number];
  const [cost, loads] = [edits.costs[i] as number, edits.loads[i] as number];
  switch (edits.kinds[i]) {
    case EDIT.settle:
      inject.take(cost, loads);
      return at;
    case EDIT.check:
      inject.takeAndCheck(cost, loads, depth - 1 + INNER_BLOCK);
      return at;
    case EDIT.bulk:
      inject.takeForBytes(depth - 1 + INNER_BLOCK);
      return at;
    case EDIT.leave:
      out.bytes(OP.br).u32(depth - 1);
      return to;
    default:
      inject.store();
      if (edits.kinds[i] === EDIT.call) out.copy(bytes, at, to);
      else out.bytes(OP.call).u32(added.grow);
      inject.load();
      return to;
  }
}
