/**
 * Who calls whom. It decides two things that make metered code fast and change nothing about what is bounded:
 *   - a small function without loops or growth is paid for where it is called (`flatPrice`), and is then left nearly as it is;
 *   - the stack is only counted in functions that can come to call themselves again; what the others need below them is
 *     known, and is reserved by the functions that are counted (`reserve`).
 * A small function that may grow the memory is paid for where it is called as far as every call of it runs (`entryPrice`).
 * Functions are taken callees first: strongly connected components, by Tarjan's algorithm without recursion, since a
 * hostile module's call chain may be as long as its list of functions.
 */
import { lastOf } from "../../../base/text/checked-index.js";
import type { WasmModule } from "../../wasm/wasm-module.js";
import type { Entry } from "./edits.js";
import { type FunctionFacts, isEnd } from "./function-facts.js";
import { FLAT_PRICE_MAX, STACK_BUDGET } from "./schedule.js";

const UNSEEN = -1;
/** Of a function whose stack must be counted. */
const UNBOUNDED = -1;
const NOT_AHEAD = -1;

export class CallGraph {
  readonly #module: WasmModule;
  readonly #facts: readonly FunctionFacts[];
  readonly #imports: number;
  /** Callees by node: functions first, then one node for each type of indirect calls. Imports are left out. */
  readonly #edges: readonly (readonly number[])[];
  /** By function: what calling it costs besides the call; NOT_AHEAD when it counts itself. */
  readonly #flat: Float64Array;
  /** By function: what callers pay, besides the call, for what every call of it runs; NOT_AHEAD when they do not. */
  readonly #entry: Float64Array;
  /** By function that is paid for ahead, as a whole or its entry: loads in that. */
  readonly #loadsAhead: Float64Array;
  /** By function: it, or what it calls, takes gas from the global. */
  readonly #touches: Uint8Array;
  /** By node: it, or what it calls, may grow the memory. */
  readonly #grows: Uint8Array;
  /** A call through the table, of any type, may grow the memory. */
  mayTableGrow = false;
  /** By node: greatest use of stack of a call, its callees included; UNBOUNDED when it can come back to itself. */
  readonly #height: Float64Array;

  /** @param facts of each function that the module defines, in order */
  constructor(module: WasmModule, facts: readonly FunctionFacts[]) {
    this.#module = module;
    this.#facts = facts;
    this.#imports = module.functionImports.length;
    this.#edges = edgesOf(module, facts);
    this.#flat = new Float64Array(facts.length).fill(NOT_AHEAD);
    this.#entry = new Float64Array(facts.length).fill(NOT_AHEAD);
    this.#loadsAhead = new Float64Array(facts.length);
    this.#touches = new Uint8Array(facts.length).fill(1);
    this.#grows = new Uint8Array(this.#edges.length);
    this.#height = new Float64Array(this.#edges.length).fill(UNBOUNDED);
  }

  /**
   * Must be called before anything is asked.
   *
   * @param entryOf what every call of a function runs (its place in the facts), asked when what it calls is settled
   */
  settle(entryOf: (node: number) => Entry): void {
    const module = this.#module;
    const open = new Set([...module.exports.filter(({ kind }) => kind === "function").map(({ index }) => index)]);
    for (const index of module.tableFunctions) open.add(index);
    for (const component of components(this.#edges)) this.#settle(component, open, entryOf);
    for (const index of module.tableFunctions) if (this.mayGrow(index)) this.mayTableGrow = true;
  }

  /** @param index of any function. Undefined: calls of it are metered inside it (or by the host). */
  flatPrice(index: number): number | undefined {
    if (index < this.#imports) return isEnd(this.#module, index) ? 0 : undefined;
    const price = this.#flat[index - this.#imports] ?? NOT_AHEAD;
    return price === NOT_AHEAD ? undefined : price;
  }

  /** What a caller pays, besides the call, before a call of it: all of a flat function, the entry of some others. */
  priceAhead(index: number): number {
    return this.flatPrice(index) ?? this.entryPrice(index) ?? 0;
  }

  /** Loads that are paid for together with {@link priceAhead}. */
  loadsAhead(index: number): number {
    return this.#loadsAhead[index - this.#imports] ?? 0;
  }

  /** What its callers pay for what it always runs; undefined: it takes that itself, or callers pay for all of it. */
  entryPrice(index: number): number | undefined {
    const price = this.#entry[index - this.#imports] ?? NOT_AHEAD;
    return price === NOT_AHEAD ? undefined : price;
  }

  /** A call of it may change the gas that the global holds. */
  touchesGas(index: number): boolean {
    if (index < this.#imports) return !isEnd(this.#module, index);
    return this.#touches[index - this.#imports] === 1;
  }

  /** A call of it may grow the memory: loads may have another price after it. */
  mayGrow(index: number): boolean {
    return this.#grows[index - this.#imports] === 1;
  }

  /** Stack that a call must set aside for itself and what is not counted below it; undefined: it is not counted. */
  reserve(index: number): number | undefined {
    const node = index - this.#imports;
    if (this.#height[node] !== UNBOUNDED) return undefined;
    return (this.#facts[node] as FunctionFacts).frame + this.#heightBelow(node);
  }

  #settle(component: readonly number[], open: ReadonlySet<number>, entryOf: (node: number) => Entry): void {
    const grows = component.some(
      (each) => this.#facts[each]?.hasGrow || this.#edges[each]?.some((callee) => this.#grows[callee] === 1),
    );
    if (grows) for (const each of component) this.#grows[each] = 1;
    const [node = 0] = component;
    const callees = this.#edges[node] as readonly number[];
    if (component.length > 1 || callees.includes(node)) return;
    const facts = this.#facts[node];
    const height = (facts?.frame ?? 0) + this.#heightBelow(node);
    const isBounded = callees.every((callee) => this.#height[callee] !== UNBOUNDED);
    if (isBounded && height <= STACK_BUDGET) this.#height[node] = height;
    if (!facts || facts.hasLoop || this.#height[node] === UNBOUNDED || open.has(node + this.#imports)) return;
    if (grows) {
      if (this.#paysAhead(facts)) this.#settleEntry(node, entryOf(node));
      return;
    }
    const price = facts.calls.reduce((sum, callee) => sum + (this.flatPrice(callee) ?? 0), facts.price);
    if (price > FLAT_PRICE_MAX) return;
    this.#flat[node] = price;
    this.#loadsAhead[node] = facts.calls.reduce((sum, callee) => sum + this.loadsAhead(callee), facts.loads);
    const takes = facts.hasBulk || facts.indirectTypes.size > 0;
    this.#touches[node] = takes || facts.calls.some((callee) => this.touchesGas(callee)) ? 1 : 0;
  }

  /**
   * A function that may grow the memory cannot be paid for as a whole: loads after that may have another price. What it
   * always runs can, when nothing in it is left to callees that do not look at the gas themselves.
   */
  #settleEntry(node: number, { price, loads }: Entry): void {
    if (price > FLAT_PRICE_MAX) return;
    this.#entry[node] = price;
    this.#loadsAhead[node] = loads;
  }

  #paysAhead({ calls, indirectTypes }: FunctionFacts): boolean {
    return indirectTypes.size === 0 && calls.every((callee) => callee < this.#imports || this.#isAhead(callee));
  }

  #isAhead(index: number): boolean {
    return this.flatPrice(index) !== undefined || this.entryPrice(index) !== undefined;
  }

  #heightBelow(node: number): number {
    let max = 0;
    for (const callee of this.#edges[node] as readonly number[]) max = Math.max(max, this.#height[callee] as number);
    return max;
  }
}

function edgesOf(module: WasmModule, facts: readonly FunctionFacts[]): number[][] {
  const imports = module.functionImports.length;
  const signature = (type: number) => JSON.stringify(module.types[type]);
  const nodes = new Map<string, number>();
  const edges = facts.map(({ calls, indirectTypes }) => {
    const callees = new Set(calls.filter((index) => index >= imports).map((index) => index - imports));
    for (const type of indirectTypes) {
      const key = signature(type);
      const node = nodes.get(key) ?? facts.length + nodes.size;
      nodes.set(key, node);
      callees.add(node);
    }
    return [...callees];
  });
  const targets = new Map([...nodes.keys()].map((key) => [key, [] as number[]]));
  for (const index of module.tableFunctions) {
    if (index >= imports) targets.get(signature(module.functionTypes[index] as number))?.push(index - imports);
  }
  return [...edges, ...targets.values()];
}

/** Strongly connected components, callees before callers. */
function* components(edges: readonly (readonly number[])[]): Generator<number[]> {
  const order = new Int32Array(edges.length).fill(UNSEEN);
  const lowest = new Int32Array(edges.length);
  const nextEdge = new Int32Array(edges.length);
  const isPending = new Uint8Array(edges.length);
  const pending: number[] = [];
  const path: number[] = [];
  let seen = 0;
  const enter = (node: number) => {
    order[node] = lowest[node] = seen++;
    isPending[node] = 1;
    pending.push(node);
    path.push(node);
  };
  for (let root = 0; root < edges.length; root++) {
    if (order[root] === UNSEEN) enter(root);
    for (let node = lastOf(path); node !== undefined; node = lastOf(path)) {
      const callees = edges[node] as readonly number[];
      const at = nextEdge[node] as number;
      const callee = callees[at];
      if (callee !== undefined) {
        nextEdge[node] = at + 1;
        if (order[callee] === UNSEEN) enter(callee);
        else if (isPending[callee]) lowest[node] = Math.min(lowest[node] as number, order[callee] as number);
        continue;
      }
      path.pop();
      const caller = lastOf(path);
      if (caller !== undefined) lowest[caller] = Math.min(lowest[caller] as number, lowest[node] as number);
      if (lowest[node] !== order[node]) continue;
      const component: number[] = [];
      for (let member = UNSEEN; member !== node; ) {
        member = pending.pop() as number;
        isPending[member] = 0;
        component.push(member);
      }
      yield component;
    }
  }
}
