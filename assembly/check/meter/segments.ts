// Splits a function into segments, whose gas is taken at once. Twin of segments.ts and edits.ts below host/upgrade/handler/meter, which
// say what a segment is. The result is a list of edits: places in the code where something is put in, in the order of the code.
import { alloc } from "../arena";
import * as cursor from "../wasm/cursor";
import { Body } from "../wasm/module";
import * as op from "../wasm/opcodes";
import * as graph from "./graph";
import { priceOf } from "./schedule";

/** Gas of a segment is taken. */
export const SETTLE: u32 = 0;
/** The same, and the run ends when none is left. */
export const CHECK: u32 = 1;
/** A call of something that takes gas itself: what is left goes there and comes back. */
export const CALL: u32 = 2;
/** A return: the gas that is left must go back too. */
export const LEAVE: u32 = 3;
/** Bulk memory: its bytes are paid for first. */
export const BULK: u32 = 4;
/** memory.grow goes through the host's rules. */
export const GROW: u32 = 5;

@unmanaged
export class Edit {
  kind: u32;
  /** First byte of the instruction it is about; settle and check: first byte after what begins the segment. */
  at: usize;
  /** First byte after that instruction. */
  to: usize;
  /** Open blocks there, the function's body among them. */
  depth: u32;
  /** Gas, of settle and check. */
  cost: u32;
  /** Loads in those, which cost more when the memory is large. */
  loads: u32;
  /** Loops around it. */
  loops: u32;
}

/** An open block. */
@unmanaged
class Level {
  /** The segment that it is in; the edit that takes what its loads cost besides. */
  segment: u32;
  loading: u32;
  /** The outermost level that a branch inside leads to. */
  outermost: i32;
  opcode: u8;
  /** A way leads to it. */
  isLive: bool;
  /** A branch leads to its end. */
  isTarget: bool;
  /** Something inside may grow the memory. */
  grows: bool;
}

const levels: usize = memory.data(16 * 258, 4);
let edits: usize = 0;
export let editCount: u32 = 0;
let level: i32 = 0;
let segment: u32 = 0;
let loading: u32 = 0;
let live: bool = false;
let loops: u32 = 0;

function levelAt(index: i32): Level {
  return changetype<Level>(levels + index * offsetof<Level>());
}

export function editAt(index: u32): Edit {
  return changetype<Edit>(edits + index * offsetof<Edit>());
}

/** Once, before the first split: no byte of a body begins more than one edit, but for a growth, which has two. */
export function makeRoom(bodyBytesMax: u32): void {
  edits = alloc((bodyBytesMax + 2) * offsetof<Edit>());
}

/** Fills the edits; number 0 is the entry, a check. */
export function split(body: Body): void {
  editCount = 0;
  level = -1;
  live = true;
  loops = 0;
  segment = addEdit(CHECK, body.code, body.code, 0);
  loading = segment;
  openLevel(op.OP_BLOCK);
  cursor.openBody(body);
  while (cursor.step()) {
    const slot = cursor.slot;
    if (slot == op.END) closeLevel();
    else if (slot == op.ELSE) turn();
    else if (slot == op.OP_BLOCK || slot == op.LOOP || slot == op.IF) enter(slot);
    else if (live) plain(slot);
  }
}

function addEdit(kind: u32, at: usize, to: usize, depth: u32): u32 {
  const edit = editAt(editCount);
  edit.kind = kind;
  edit.at = at;
  edit.to = to;
  edit.depth = depth;
  edit.cost = 0;
  edit.loads = 0;
  edit.loops = loops;
  return editCount++;
}

function editHere(kind: u32, at: usize, to: usize): u32 {
  return addEdit(kind, at, to, level + 1);
}

function charge(gas: u32): void {
  if (live) editAt(segment).cost += gas;
}

function addLoads(count: u32): void {
  editAt(loading).loads += count;
}

function beginSegment(kind: u32): void {
  if (!live) return;
  segment = editHere(kind, cursor.next, cursor.next);
  loading = segment;
}

/** The segment goes on. */
function beginLoads(): void {
  loading = editHere(SETTLE, cursor.next, cursor.next);
}

function enter(slot: u32): void {
  if (slot == op.IF) charge(priceOf(slot));
  openLevel(slot);
  if (slot == op.IF) beginSegment(SETTLE);
  if (slot == op.LOOP) {
    beginSegment(CHECK);
    charge(priceOf(slot));
  }
}

function openLevel(slot: u32): void {
  const each = levelAt(++level);
  if (slot == op.LOOP) loops++;
  each.opcode = <u8>slot;
  each.segment = segment;
  each.loading = loading;
  each.isLive = live;
  each.isTarget = false;
  each.outermost = level;
  each.grows = false;
}

function turn(): void {
  const each = levelAt(level);
  if (live) each.isTarget = true;
  each.opcode = <u8>op.ELSE;
  live = each.isLive;
  if (live) beginSegment(SETTLE);
}

function closeLevel(): void {
  const closed = level--;
  const each = levelAt(closed);
  if (each.opcode == op.LOOP) loops--;
  if (closed == 0) return;
  const parent = levelAt(closed - 1);
  if (each.outermost < parent.outermost) parent.outermost = each.outermost;
  if (each.grows) parent.grows = true;
  if (!each.isLive) return;
  const isMerged = each.opcode == op.IF || (each.opcode != op.LOOP && each.isTarget);
  if (!isMerged && !live) return;
  live = true;
  if (each.outermost == closed) {
    segment = each.segment;
    if (each.grows) beginLoads();
    else loading = each.loading;
  } else if (isMerged) beginSegment(SETTLE);
}

function plain(slot: u32): void {
  charge(priceOf(slot));
  if (op.isLoad(slot)) addLoads(1);
  if (slot == op.CALL) {
    const fn = cursor.immediate;
    charge(graph.priceAhead(fn));
    addLoads(graph.loadsAhead(fn));
    if (graph.touchesGas(fn)) editHere(CALL, cursor.start, cursor.next);
    if (graph.mayGrow(fn)) grown();
  } else if (slot == op.CALL_INDIRECT) {
    editHere(CALL, cursor.start, cursor.next);
    if (graph.mayTableGrow) grown();
  } else if (slot == op.MEMORY_GROW) {
    editHere(GROW, cursor.start, cursor.next);
    grown();
  } else if (op.isBulk(slot)) editHere(BULK, cursor.start, cursor.next);
  else if (slot == op.RETURN) {
    editHere(LEAVE, cursor.start, cursor.next);
    jump(0);
  } else if (slot == op.BR || slot == op.BR_IF || slot == op.BR_TABLE) branch(slot);
  else if (slot == op.UNREACHABLE) live = false;
}

/** Loads after this are paid for by the memory as it is now. */
function grown(): void {
  levelAt(level).grows = true;
  beginLoads();
}

function branch(slot: u32): void {
  for (let i: u32 = 0; i < cursor.labelCount; i++) jump(level - <i32>cursor.labelAt(i));
  if (slot != op.BR_IF) return;
  live = true;
  beginSegment(SETTLE);
}

function jump(to: i32): void {
  const each = levelAt(level);
  levelAt(to).isTarget = true;
  if (to < each.outermost) each.outermost = to;
  live = false;
}

/** Something in it takes gas that it does not know of. */
export function hasCalls(): bool {
  for (let i: u32 = 0; i < editCount; i++) {
    const kind = editAt(i).kind;
    if (kind == CALL || kind == GROW) return true;
  }
  return false;
}

/** Gas of all segments, each once: what the function can owe before one of its loops looks. */
export function wholeCost(): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < editCount; i++) sum += editAt(i).cost;
  return sum;
}

/** A loop runs eight times, for all that is known; four of them inside each other are the most that count. */
const LOOP_WEIGHT_LOG2: u32 = 3;
const LOOPS_MAX: u32 = 4;

/** A guess, from the code alone: calls are more frequent than segments that cost something. */
export function areMostlyCalls(): bool {
  let calls: u64 = 1;
  let paid: u64 = 0;
  for (let i: u32 = 0; i < editCount; i++) {
    const edit = editAt(i);
    const weight = (<u64>1) << (LOOP_WEIGHT_LOG2 * min(edit.loops, LOOPS_MAX));
    if (edit.kind == CALL || edit.kind == GROW) calls += weight;
    else if (edit.kind != LEAVE && edit.cost > 0) paid += weight;
  }
  return calls > paid;
}

/** Callers look at the gas for what every call runs, and not for the rest. */
export function checkEachSegment(): void {
  for (let i: u32 = 1; i < editCount; i++) {
    const edit = editAt(i);
    if (edit.kind == SETTLE && edit.cost > 0) edit.kind = CHECK;
  }
}
