/** What modules see of a block. Everything in it is the same on every node. */
import type { Height, KVStore, MultiStore, Sha256, Timestamp } from "../types.js";

export interface EventAttribute {
  readonly key: string;
  readonly value: string;
}

export interface ChainEvent {
  readonly type: string;
  readonly attributes: readonly EventAttribute[];
}

export interface BlockContext {
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  /** The block's branch, or a part of it that can be dropped. */
  readonly stores: MultiStore;
  readonly sha256: Sha256;
  /** @throws UpgradeError UPG_NOT_FOUND_STORE */
  store(name: string): KVStore;
  emit(type: string, ...attributes: readonly (readonly [key: string, value: string])[]): void;
}

export interface BlockContextFacts {
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  readonly sha256: Sha256;
}

/** A context over `stores` whose events land in `events`. */
export function blockContext(facts: BlockContextFacts, stores: MultiStore, events: ChainEvent[]): BlockContext {
  return {
    ...facts,
    stores,
    store: (name) => stores.store(name),
    emit: (type, ...attributes) => {
      events.push({ type, attributes: attributes.map(([key, value]) => ({ key, value })) });
    },
  };
}
