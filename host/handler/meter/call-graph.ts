/**
 * Who calls whom. It decides two things that make metered code fast and change nothing about what is bounded:
 *   - a small function without loops or growth is paid for where it is called (`flatPrice`), and is then left nearly as it is;
 *   - the stack is only counted in functions that can come to call themselves again; what the others need below them is
 *     known, and is reserved by the functions that are counted (`reserve`).
 * Functions are taken callees first: strongly connected components, by Tarjan's algorithm without recursion, since a
 * hostile module's call chain may be as long as its list of functions.
 */
import type { WasmModule } from "../../wasm/wasm-module.js";
import { type FunctionFacts, isEnd } from "./function-facts.js";
import { FLAT_PRICE_MAX, STACK_BUDGET } from "./schedule.js";

const UNSEEN = -1;
/** Of a function whose stack must be counted. */
const UNBOUNDED = -1;
const NOT_FLAT = -1;

export class CallGraph {
  readonly #module: WasmModule;
  readonly #facts: readonly FunctionFacts[];
  readonly #imports: number;
  /** Callees by node: functions first, then one node for each type of indirect calls. Imports are left out. */
  readonly #edges: readonly (readonly number[])[];
  /** By function: what calling it costs besides the call; NOT_FLAT when it counts itself. */
  readonly #flat: Float64Array;
  /** By function that is flat: loads of a call. */
  readonly #flatLoads: Float64Array;
  /** By function: it, or what it calls, takes gas from the global. */
  readonly #touches: Uint8Array;
  /** By node: it, or what it calls, may grow the memory. */
  readonly #grows: Uint8Array;
  /** By node: greatest use of stack of a call, its callees included; UNBOUNDED when it can come back to itself. */
  readonly #height: Float64Array;

  /** @param facts of each function that the module defines, in order */
  constructor(module: WasmModule, facts: readonly FunctionFacts[]) {
    this.#module = module;
    this.#facts = facts;
    this.#imports = module.functionImports.length;
    this.#edges = edgesOf(module, facts);
    this.#flat = new Float64Array(facts.length).fill(NOT_FLAT);
    this.#flatLoads = new Float64Array(facts.length);
    this.#touches = new Uint8Array(facts.length).fill(1);
    this.#grows = new Uint8Array(this.#edges.length);
    this.#height = new Float64Array(this.#edges.length).fill(UNBOUNDED);
    const open = new Set([...module.exports.filter(({ kind }) => kind === "function").map(({ index }) => index)]);
    for (const index of module.tableFunctions) open.add(index);
    for (const component of components(this.#edges)) this.#settle(component, open);
  }

  /** @param index of any function. Undefined: calls of it are metered inside it (or by the host). */
  flatPrice(index: number): number | undefined {
    if (index < this.#imports) return isEnd(this.#module, index) ? 0 : undefined;
    const price = this.#flat[index - this.#imports] ?? NOT_FLAT;
    return price === NOT_FLAT ? undefined : price;
  }

  /** Loads that are paid for together with {@link flatPrice}. */
  flatLoads(index: number): number {
    return this.#flatLoads[index - this.#imports] ?? 0;
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

  /** The same of calls through the table, of any type. */
  get mayTableGrow(): boolean {
    for (const index of this.#module.tableFunctions) if (this.mayGrow(index)) return true;
    return false;
  }

  /** Stack that a call must set aside for itself and what is not counted below it; undefined: it is not counted. */
  reserve(index: number): number | undefined {
    const node = index - this.#imports;
    if (this.#height[node] !== UNBOUNDED) return undefined;
    return (this.#facts[node] as FunctionFacts).frame + this.#heightBelow(node);
  }

  #settle(component: readonly number[], open: ReadonlySet<number>): void {
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
    if (!facts || facts.hasLoop || grows || this.#height[node] === UNBOUNDED || open.has(node + this.#imports)) return;
    const price = facts.calls.reduce((sum, callee) => sum + (this.flatPrice(callee) ?? 0), facts.price);
    if (price > FLAT_PRICE_MAX) return;
    this.#flat[node] = price;
    this.#flatLoads[node] = facts.calls.reduce((sum, callee) => sum + this.flatLoads(callee), facts.loads);
    const takes = facts.hasBulk || facts.indirectTypes.size > 0;
    this.#touches[node] = takes || facts.calls.some((callee) => this.touchesGas(callee)) ? 1 : 0;
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
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
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
      const caller = path.at(-1);
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
