/** What modules see of a block. Everything in it is the same on every node. */

import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { Any, Height, KVStore, MultiStore, Sha256, Timestamp } from "../../base/types/types.js";
import type { Keeper } from "../../upgrade/module/keeper.js";
import type { ConsensusParams } from "../comet-types/consensus-params.js";
import type { VerifySignature } from "../comet-types/keys.js";
import type { AddressCodec, Addresses } from "../values/address.js";
import { BlockEventCounter, type ChainEvent, type Emit, type EventCounter, emitter } from "../values/events.js";
import { type BlockInfo, NO_BLOCK_INFO } from "./block-info.js";
import type { ChainVersion } from "./versions/version.js";

export interface BlockContext {
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  /** What the engine says of the block: proposer, who decided the one before, evidence against validators. */
  readonly block: BlockInfo;
  /** The block's branch, or a part of it that can be dropped. */
  readonly stores: MultiStore;
  readonly sha256: Sha256;
  /** How the chain writes addresses. */
  readonly addresses: Addresses;
  /** @throws UpgradeError UPG_NOT_FOUND_STORE */
  store(name: string): KVStore;
  /**
   * Emits an event. The bytes of events are bounded, and in a transaction the first 64 KiB cost no gas (docs/transactions.md).
   * @throws UpgradeError UPG_INVALID_ARGUMENT if a value is not a string, or if a block's hooks exceed their limit; TxError sdk 11 if a transaction exceeds its
   */
  emit(type: string, ...attributes: readonly (readonly [key: string, value: string])[]): void;
}

export interface BlockContextFacts {
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  readonly sha256: Sha256;
  readonly addresses: Addresses;
  /** Undefined: of no block, or of an engine that says nothing. */
  readonly block?: BlockInfo | undefined;
}

/** A context over `stores`. */
export function blockContext(facts: BlockContextFacts, stores: MultiStore, emit: Emit): BlockContext {
  return {
    ...facts,
    block: facts.block ?? NO_BLOCK_INFO,
    stores,
    store: (name) => stores.store(name),
    emit,
  };
}

/** What a chain's genesis document says for ever. */
export interface ChainConstants {
  /** What power counts in. */
  readonly bondDenom: string;
  /** `app_state.staking.params` as JSON; undefined: there are none. */
  readonly stakingParams: unknown;
  /** The parameters of consensus that the chain began with. */
  readonly params: ConsensusParams;
}

/** What the modules of the running version know besides. */
export interface ModuleFacts extends BlockContextFacts {
  /** The version that runs. */
  readonly version: ChainVersion;
  /** The upgrade module. */
  readonly keeper: Keeper;
  /** The messages that this chain knows. */
  readonly router: MessageRouter;
  readonly verifySignature: VerifySignature;
  readonly constants: ChainConstants;
  /** Charges the transaction; free where there is none (the end of a block). */
  readonly consumeGas: (amount: bigint, location: string) => void;
}

/** What a message or an end blocker runs in. */
export interface ModuleContext extends BlockContext, Omit<ModuleFacts, "block"> {
  /** The same over other stores, events apart. */
  over(stores: MultiStore, events: ChainEvent[]): ModuleContext;
}

/** What a module's probe runs in. Its stores charge for each use, up to `PROBE_GAS_MAX`. */
export interface ProbeContext extends ModuleContext {
  /** Address of an account that nobody has: it depends on the chain, the block and the label. */
  unusedAddress(label: string): Uint8Array;
}

/** A context over `stores` whose events, once counted, are added to `events`. */
export function moduleContext(
  facts: ModuleFacts,
  stores: MultiStore,
  events: ChainEvent[],
  counter: EventCounter = new BlockEventCounter(),
): ModuleContext {
  const emit = emitter(events, counter);
  return {
    ...blockContext(facts, stores, emit),
    version: facts.version,
    keeper: facts.keeper,
    router: facts.router,
    verifySignature: facts.verifySignature,
    constants: facts.constants,
    consumeGas: facts.consumeGas,
    over: (otherStores, otherEvents) => moduleContext(facts, otherStores, otherEvents, counter.nestedEvents()),
  };
}

/** A message that was decoded, ready to run. */
export interface ReadMessage {
  readonly typeUrl: string;
  readonly isBounded: boolean;
  /** The address that must sign, as it is in the message. */
  readonly signer: string;
  /** Whose form it has: that of accounts, or of validators' operators. */
  signerAddresses(addresses: Addresses): AddressCodec;
  /** Refusals that need state but are made when a proposal with this message is submitted. @throws UpgradeError */
  check(context: ModuleContext): void;
  /** Runs it and returns its response. @throws UpgradeError; what it wrote must be dropped then */
  run(context: ModuleContext): Any;
}

export interface MessageKind {
  readonly typeUrl: string;
  readonly schema: DescMessage;
  /** The text that names the account which must sign. */
  readonly signer: DescField;
  /** Whose form its address has, by its `cosmos_proto.scalar`. */
  signerAddresses(addresses: Addresses): AddressCodec;
  /** May a passed proposal run it, with the gov account as its signer? */
  readonly isForGovernance: boolean;
  /** The app version from which a chain knows it; 0n: every version. */
  readonly since: bigint;
  /** Types other than messages that may be packed in it. */
  readonly packs: readonly DescMessage[];
  /** See `KindOptions`. */
  readonly isBounded: boolean;
  readonly runsMessages: boolean;
  /** Strictly checked bytes in, message out. @throws TxError when they are of no such message */
  read(value: Uint8Array): ReadMessage;
}

export type MessageRouter = ReadonlyMap<string, MessageKind>;
