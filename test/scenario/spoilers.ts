/** Handlers for the upgrade that follows, which leave in a module's store what the test wants; and the records that tests put there. */
import { create } from "@bufbuild/protobuf";
import { ProposalSchema, ProposalStatus } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { bigEndian64, concatBytes } from "../../host/base/text/bytes.js";
import type { KVStore } from "../../host/base/types/types.js";
import { accountBank, storeBank } from "../../host/chain/modules/bank/bank.js";
import { moduleAddress } from "../../host/chain/values/address.js";
import { V2 } from "../example-chain.js";
import { data, load } from "../guest/build.js";
import type { Upgrade } from "./one-upgrade.js";
import { stakeGenesis } from "./stakers.js";
import { toV2 } from "./versions.js";

export const END = { seconds: 1_800_000_005n, nanos: 0 };
export const GOV_ACCOUNT = moduleAddress(sha256, "gov");
const genesis = JSON.stringify(stakeGenesis());

export type Stores = (name: string) => KVStore;

/** A wasm handler without `allows` that writes one pair into a module's store, and raises the module's version. */
export function writesPair(store: string, version: number, key: Uint8Array, value: Uint8Array): Upgrade {
  const imports = '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))';
  const [at, end] = [4096, 4096 + key.length];
  const run = `(drop (call $set (i32.const 0) (i32.const ${at}) (i32.const ${key.length}) (i32.const ${end}) (i32.const ${value.length}))) (i32.const 0)`;
  const manifest = {
    ...{ name: "next", stores: [{ name: store, access: "rw" as const }] },
    versions: { [store]: { from: [version], to: version + 1 } },
  };
  const handler = load({ imports, run, more: data(at, concatBytes(key, value)) }, manifest);
  return { register: ({ keeper }) => keeper.setWasmHandler(handler, { isOfHome: true }), genesis };
}

/** The upgrade to version 2, by a handler in TypeScript that may write every module's store. */
export const writes = (breaks: (store: Stores) => void): Upgrade => {
  const allows = { writeStores: ["auth", "bank", "gov", "staking"] };
  const { plan, run, ...options } = toV2({
    allows,
    run(context) {
      for (const [address, coins] of [...accountBank.allBalances(context)]) storeBank.mint(context, address, coins);
      breaks((name) => context.store(name));
      return new Map(V2.modules);
    },
  });
  return { plan, register: ({ keeper }) => keeper.setUpgradeHandler(plan, run, options), genesis };
};

export const entryKey = (queue: number, id: bigint) =>
  concatBytes(Uint8Array.of(queue), bigEndian64(END.seconds + 62_135_596_800n), new Uint8Array(4), bigEndian64(id));

export const open = (id: bigint) =>
  create(ProposalSchema, {
    ...{ id, status: ProposalStatus.VOTING_PERIOD },
    ...{ submitTime: END, depositEndTime: END, votingStartTime: END, votingEndTime: END },
  });
