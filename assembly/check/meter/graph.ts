// Who calls whom, and what follows from it: which functions are paid for where they are called, and whose stack is counted. Twin of
// host/upgrade/handler/meter/call-graph.ts, which says why. Functions are taken callees first: strongly connected components, by
// Tarjan's algorithm without recursion. A node is a function of the module, or after these a type of indirect calls.
import { alloc, allocZeros } from "../arena";
import { isEnd } from "../interface";
import * as wasm from "../wasm/module";
import { Facts, factsAt, firstType, INDIRECT } from "./facts";
import { FLAT_PRICE_MAX, STACK_BUDGET } from "./schedule";
import * as segments from "./segments";

const NOT_AHEAD: i32 = -1;
const UNBOUNDED: i32 = -1;

@unmanaged
class Row {
  /** What calling it costs besides the call; NOT_AHEAD when it counts itself. */
  flat: i32;
  /** What callers pay, besides the call, for what every call of it runs; NOT_AHEAD when they do not. */
  entry: i32;
  /** Of what is paid for ahead: loads in it. */
  loadsAhead: u32;
  /** Greatest use of stack of a call, its callees included; UNBOUNDED when it can come back to itself. */
  height: i32;
  /** Its edges: calls of a function, functions of a type. */
  edges: usize;
  edgeCount: u32;
  /** Tarjan's algorithm: number in the order of finding, plus 1; lowest number that is reached; next edge. */
  order: u32;
  lowest: u32;
  nextEdge: u32;
  isPending: bool;
  /** It, or what it calls, takes gas from the global. */
  touches: bool;
  /** It, or what it calls, may grow the memory. */
  grows: bool;
  /** Others than the functions of the module may call it. */
  isOpen: bool;
}

let rows: usize = 0;
let nodes: u32 = 0;
/** A call through the table, of any type, may grow the memory. */
export let mayTableGrow: bool = false;

function row(node: u32): Row {
  return changetype<Row>(rows + node * offsetof<Row>());
}

/** The node that an edge leads to; -1: an import. */
function target(edge: u32): i32 {
  if ((edge & INDIRECT) != 0) return <i32>(wasm.bodies + (edge & ~INDIRECT));
  return <i32>edge - <i32>wasm.imports;
}

function factsOf(node: u32): Facts | null {
  return node < wasm.bodies ? factsAt(node) : null;
}

/** What calling it costs besides the call; -1: calls of it are metered inside it, or by the host. */
export function flatPrice(fn: u32): i32 {
  if (fn < wasm.imports) return isEnd(fn) ? 0 : NOT_AHEAD;
  return row(fn - wasm.imports).flat;
}

/** What its callers pay for what it always runs; -1: it takes that itself, or callers pay for all of it. */
export function entryPrice(fn: u32): i32 {
  return fn < wasm.imports ? NOT_AHEAD : row(fn - wasm.imports).entry;
}

/** What a caller pays, besides the call, before a call of it. */
export function priceAhead(fn: u32): u32 {
  const flat = flatPrice(fn);
  return <u32>(flat != NOT_AHEAD ? flat : max(entryPrice(fn), 0));
}

export function loadsAhead(fn: u32): u32 {
  return fn < wasm.imports ? 0 : row(fn - wasm.imports).loadsAhead;
}

/** A call of it may change the gas that the global holds. */
export function touchesGas(fn: u32): bool {
  return fn < wasm.imports ? !isEnd(fn) : row(fn - wasm.imports).touches;
}

/** A call of it may grow the memory: loads may have another price after it. */
export function mayGrow(fn: u32): bool {
  return fn >= wasm.imports && row(fn - wasm.imports).grows;
}

/** Stack that a call must set aside for itself and what is not counted below it; -1: it is not counted. */
export function reserveOf(fn: u32): i32 {
  const node = fn - wasm.imports;
  return row(node).height != UNBOUNDED ? -1 : <i32>factsAt(node).frame + heightBelow(node);
}

function heightBelow(node: u32): i32 {
  let most = 0;
  const each = row(node);
  for (let i: u32 = 0; i < each.edgeCount; i++) {
    const callee = target(load<u32>(each.edges + i * 4));
    if (callee >= 0) most = max(most, row(callee).height);
  }
  return most;
}

/** Must be called before anything is asked. */
export function settleGraph(): void {
  mayTableGrow = false;
  nodes = wasm.bodies + wasm.types;
  rows = allocZeros(nodes * offsetof<Row>());
  for (let node: u32 = 0; node < nodes; node++) {
    const each = row(node);
    each.flat = NOT_AHEAD;
    each.entry = NOT_AHEAD;
    each.height = UNBOUNDED;
    each.touches = true;
    if (node >= wasm.bodies) continue;
    const facts = factsAt(node);
    each.edges = facts.calls;
    each.edgeCount = facts.callCount;
    each.isOpen = wasm.isInTable(node + wasm.imports);
  }
  openExports();
  findTargets();
  walkComponents();
  for (let fn: u32 = 0; fn < wasm.functions; fn++) {
    if (wasm.isInTable(fn) && mayGrow(fn)) mayTableGrow = true;
  }
}

function openExports(): void {
  for (let i: u32 = 0; i < wasm.exports; i++) {
    const each = wasm.exportAt(i);
    if (each.kind == wasm.FUNCTION_KIND && each.index >= wasm.imports) row(each.index - wasm.imports).isOpen = true;
  }
}

/** The functions in the table, by their type. */
function findTargets(): void {
  for (let fn = wasm.imports; fn < wasm.functions; fn++) {
    if (wasm.isInTable(fn)) row(typeNode(fn)).edgeCount++;
  }
  for (let node = wasm.bodies; node < nodes; node++) {
    const each = row(node);
    each.edges = alloc(each.edgeCount * 4);
    each.edgeCount = 0;
  }
  for (let fn = wasm.imports; fn < wasm.functions; fn++) {
    if (!wasm.isInTable(fn)) continue;
    const each = row(typeNode(fn));
    store<u32>(each.edges + each.edgeCount++ * 4, fn);
  }
}

function typeNode(fn: u32): u32 {
  return wasm.bodies + firstType(wasm.typeOf(fn));
}

/** Two stacks of nodes: the path from the root, and what waits for its component. */
let path: usize = 0;
let pathLength: u32 = 0;
let pending: usize = 0;
let pendingLength: u32 = 0;
let seen: u32 = 0;

function enter(node: u32): void {
  const each = row(node);
  each.order = ++seen;
  each.lowest = seen;
  each.isPending = true;
  store<u32>(pending + pendingLength++ * 4, node);
  store<u32>(path + pathLength++ * 4, node);
}

function walkComponents(): void {
  path = alloc(nodes * 4);
  pending = alloc(nodes * 4);
  pathLength = 0;
  pendingLength = 0;
  seen = 0;
  for (let root: u32 = 0; root < nodes; root++) {
    if (row(root).order == 0) enter(root);
    while (pathLength > 0) walkFrom(load<u32>(path + (pathLength - 1) * 4));
  }
}

function walkFrom(node: u32): void {
  const each = row(node);
  if (each.nextEdge < each.edgeCount) {
    const callee = target(load<u32>(each.edges + each.nextEdge++ * 4));
    if (callee < 0) return;
    const other = row(callee);
    if (other.order == 0) enter(callee);
    else if (other.isPending) each.lowest = min(each.lowest, other.order);
    return;
  }
  pathLength--;
  if (pathLength > 0) {
    const caller = row(load<u32>(path + (pathLength - 1) * 4));
    caller.lowest = min(caller.lowest, each.lowest);
  }
  if (each.lowest != each.order) return;
  let from = pendingLength;
  do row(load<u32>(pending + --from * 4)).isPending = false;
  while (load<u32>(pending + from * 4) != node);
  settle(from, pendingLength);
  pendingLength = from;
}

/** @param from, to a component, in `pending` */
function settle(from: u32, to: u32): void {
  let grows = false;
  for (let i = from; i < to && !grows; i++) grows = growsItself(load<u32>(pending + i * 4));
  if (grows) for (let i = from; i < to; i++) row(load<u32>(pending + i * 4)).grows = true;
  const node = load<u32>(pending + from * 4);
  if (to - from > 1) return;
  const each = row(node);
  const facts = factsOf(node);
  let isBounded = true;
  for (let i: u32 = 0; i < each.edgeCount; i++) {
    const callee = target(load<u32>(each.edges + i * 4));
    if (callee == <i32>node) return;
    if (callee >= 0 && row(callee).height == UNBOUNDED) isBounded = false;
  }
  const height = (facts ? <i32>facts.frame : 0) + heightBelow(node);
  if (isBounded && height <= STACK_BUDGET) each.height = height;
  if (!facts || facts.hasLoop || each.height == UNBOUNDED || each.isOpen) return;
  if (!grows) settleFlat(each, facts);
  else if (isPaidAhead(facts)) settleEntry(each, node);
}

function growsItself(node: u32): bool {
  const facts = factsOf(node);
  if (facts && facts.hasGrow) return true;
  const each = row(node);
  for (let i: u32 = 0; i < each.edgeCount; i++) {
    const callee = target(load<u32>(each.edges + i * 4));
    if (callee >= 0 && row(callee).grows) return true;
  }
  return false;
}

function settleFlat(each: Row, facts: Facts): void {
  let price = facts.price;
  let loads = facts.loads;
  let touches = facts.hasBulk || facts.hasIndirect;
  for (let i: u32 = 0; i < facts.callCount; i++) {
    const fn = load<u32>(facts.calls + i * 4);
    if ((fn & INDIRECT) != 0) continue;
    price += <u32>max(flatPrice(fn), 0);
    loads += loadsAhead(fn);
    touches = touches || touchesGas(fn);
  }
  if (price > FLAT_PRICE_MAX) return;
  each.flat = <i32>price;
  each.loadsAhead = loads;
  each.touches = touches;
}

/**
 * A function that may grow the memory cannot be paid for as a whole: loads after that may have another price. What it always runs
 * can, when nothing in it is left to callees that do not look at the gas themselves.
 */
function isPaidAhead(facts: Facts): bool {
  if (facts.hasIndirect) return false;
  for (let i: u32 = 0; i < facts.callCount; i++) {
    const fn = load<u32>(facts.calls + i * 4);
    if (fn >= wasm.imports && flatPrice(fn) == NOT_AHEAD && entryPrice(fn) == NOT_AHEAD) return false;
  }
  return true;
}

function settleEntry(each: Row, node: u32): void {
  segments.split(wasm.bodyAt(node));
  const entry = segments.editAt(0);
  if (entry.cost > FLAT_PRICE_MAX) return;
  each.entry = <i32>entry.cost;
  each.loadsAhead = entry.loads;
}
