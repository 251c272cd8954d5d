/** Places in a function's code where something is put in, in the order of the code. Costs are known only later on. */

/** What happens at an edit. */
export const EDIT = Object.freeze({
  /** Gas of a segment is taken. */
  settle: 0,
  /** The same, and the run ends when none is left. */
  check: 1,
  /** A call of something that takes gas itself: what is left goes there and comes back. */
  call: 2,
  /** A return: the gas that is left must go back too. */
  leave: 3,
  /** Bulk memory: its bytes are paid for first. */
  bulk: 4,
  /** memory.grow goes through the host's rules. */
  grow: 5,
});

/** How often a loop runs, for all that is known. */
const LOOP_WEIGHT = 8;
const LOOPS_MAX = 4;

/** Of the instructions that every call of a function runs. */
export interface Entry {
  readonly price: number;
  readonly loads: number;
}

export class Edits {
  readonly kinds: number[] = [];
  /** First byte of the instruction it is about; settle and check: first byte after what begins the segment. */
  readonly at: number[] = [];
  /** First byte after that instruction. */
  readonly to: number[] = [];
  /** Open blocks there, the function's body among them. */
  readonly depths: number[] = [];
  /** Gas, of settle and check. */
  readonly costs: number[] = [];
  /** Loads in those, which cost more when the memory is large. */
  readonly loads: number[] = [];
  /** Loops around it. */
  readonly loops: number[] = [];

  get length(): number {
    return this.kinds.length;
  }

  clear(): void {
    for (const list of [this.kinds, this.at, this.to, this.depths, this.costs, this.loads, this.loops]) list.length = 0;
  }

  /** Returns the edit's number. */
  add(kind: number, at: number, to: number, depth: number, loops: number): number {
    this.at.push(at);
    this.to.push(to);
    this.depths.push(depth);
    this.costs.push(0);
    this.loads.push(0);
    this.loops.push(loops);
    return this.kinds.push(kind) - 1;
  }

  /** Of what every call of the function runs before anything is decided. */
  get entry(): Entry {
    return { price: this.costs[0] as number, loads: this.loads[0] as number };
  }

  /** Something in it takes gas that it does not know of. */
  get hasCalls(): boolean {
    return this.kinds.some((kind) => kind === EDIT.call || kind === EDIT.grow);
  }

  /** Gas of all segments, each once: what the function can owe before one of its loops looks. */
  get cost(): number {
    return this.costs.reduce((sum, cost) => sum + cost, 0);
  }

  /** A guess, from the code alone: calls are more frequent than segments that cost something. */
  get areMostlyCalls(): boolean {
    let calls = 1;
    let segments = 0;
    for (let i = 0; i < this.length; i++) {
      const weight = LOOP_WEIGHT ** Math.min(this.loops[i] as number, LOOPS_MAX);
      const kind = this.kinds[i];
      if (kind === EDIT.call || kind === EDIT.grow) calls += weight;
      else if (kind !== EDIT.leave && (this.costs[i] as number) > 0) segments += weight;
    }
    return calls > segments;
  }
}
