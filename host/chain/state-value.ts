/**
 * Something that state says to the engine: it has a value after the last commit, and one after the block that ran since. A
 * run that is dropped takes its own with it.
 */
import type { ReadableStores } from "./module.js";

export class StateValue<T> {
  /** After the last commit, or what the chain begins with; undefined: not read yet. */
  #last: { readonly value: T } | undefined;
  /** After what ran since; undefined: nothing did. */
  #next: { readonly value: T } | undefined;

  constructor(private readonly read: (stores: ReadableStores) => T) {}

  /** Of the state that a chain begins with. */
  begin(stores: ReadableStores): T {
    this.#last = { value: this.read(stores) };
    return this.#last.value;
  }

  /** Of the last commit, which is read once, or of what the chain begins with. */
  of(committed: () => ReadableStores): T {
    this.#last ??= { value: this.read(committed()) };
    return this.#last.value;
  }

  /** Before and after a block that wrote to `branch`; it is read only where it may differ. */
  after(
    branch: ReadableStores,
    committed: () => ReadableStores,
    mayDiffer: boolean,
  ): { readonly before: T; readonly after: T } {
    const before = this.of(committed);
    const after = mayDiffer ? this.read(branch) : before;
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
