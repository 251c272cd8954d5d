/**
 * Something that state says to the engine: it has a value after the last commit, and one after the block that ran since. A
 * run that is dropped takes its own with it.
 */
import type { GivingState } from "./versions/running.js";

export class StateValue<T> {
  /** After the last commit, or what the chain begins with; undefined: not read yet. */
  #last: { readonly value: T } | undefined;
  /** After what ran since; undefined: nothing did. */
  #next: { readonly value: T } | undefined;

  constructor(private readonly read: (state: GivingState) => T) {}

  /** Of the state that a chain begins with. */
  begin(state: GivingState): T {
    this.#last = { value: this.read(state) };
    return this.#last.value;
  }

  /** Of the last commit, which is read once, or of what the chain begins with. */
  of(committed: () => GivingState): T {
    this.#last ??= { value: this.read(committed()) };
    return this.#last.value;
  }

  /** Before and after a block that left `state`; it is read only where it may differ. */
  after(
    state: GivingState,
    committed: () => GivingState,
    mayDiffer: boolean,
  ): { readonly before: T; readonly after: T } {
    const before = this.of(committed);
    const after = mayDiffer ? this.read(state) : before;
    this.#next = { value: after };
    return { before, after };
  }

  commit(): void {
    this.#last = this.#next ?? this.#last;
    this.#next = undefined;
  }

  drop(): void {
    this.#next = undefined;
  }

  /** The last commit is another one, which nothing ran. */
  forget(): void {
    this.#last = undefined;
    this.#next = undefined;
  }
}
