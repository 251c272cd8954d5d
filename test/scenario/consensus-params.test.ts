/** Parameters of consensus in state: changed by governance and by handlers; what would end the chain is refused before it is written. */
import { describe, expect, test } from "vitest";
import { MsgUpdateParamsSchema } from "../../host/base/gen/cosmos/consensus/v1/tx_pb.js";
import { ProposalStatus, VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import type { MultiStore } from "../../host/base/types/types.js";
import { App, type BlockRequest } from "../../host/chain/app/app.js";
import type { Chain } from "../../host/chain/app/chain.js";
import { defineChain, migrate } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { ConsensusParams } from "../../host/chain/comet-types/consensus-params.js";
import { auth } from "../../host/chain/modules/auth/module.js";
import { bank } from "../../host/chain/modules/bank/module.js";
import { consensus } from "../../host/chain/modules/consensus/module.js";
import { writeConsensusParams } from "../../host/chain/modules/consensus/params.js";
import { gov } from "../../host/chain/modules/gov/module.js";
import { GOV_STORE, readProposal } from "../../host/chain/modules/gov/records.js";
import { staking } from "../../host/chain/modules/staking/module.js";
import { upgrade } from "../../host/chain/modules/upgrade/module.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { failureOf } from "./chain.js";
import { ALICE, PEOPLE, stakeGenesis } from "./stakers.js";
import { GOV_ADDRESS, type Packed, pack, propose, type Signer, vote } from "./wallet.js";

const SECOND = 1_000_000_000n;
const INSIDE = "failed to execute message; message index: 0: ";

const PARAMS: ConsensusParams = {
  block: { maxBytes: 2_000_000n, maxGas: 30_000_000n },
  evidence: { maxAgeBlocks: 50n, maxAgeNanos: 3_600n * SECOND, maxBytes: 10_000n },
  validator: { publicKeyTypes: ["ed25519"] },
  version: { app: 0n },
  abci: { voteExtensionsHeight: 0n },
};

/** `change`: of the message. */
const update = (change: object = {}, authority = GOV_ADDRESS): Packed =>
  pack(MsgUpdateParamsSchema, {
    authority,
    block: { maxBytes: 2_000_000n, maxGas: 30_000_000n },
    evidence: { maxAgeNumBlocks: 50n, maxAgeDuration: { seconds: 3_600n }, maxBytes: 10_000n },
    validator: { pubKeyTypes: ["ed25519"] },
    ...change,
  });

const MODULES = [auth(), bank(), staking(), gov(), upgrade()];

class Town {
  readonly app: App;
  readonly #sequences = new Map<string, bigint>();

  constructor(chain: Chain) {
    const document = stakeGenesis();
    const state = document["app_state"] as Record<string, unknown>;
    const params = { min_deposit: [{ denom: "ustake", amount: "100" }], voting_period: "20s" };
    const text = JSON.stringify({ ...document, app_state: { ...state, gov: { starting_proposal_id: "1", params } } });
    const genesis = parseGenesis(chain, text);
    this.app = new App({ chain, genesis, sha256, core: new Core(), database: new MemoryDatabase() });
    this.app.load();
    this.block();
  }

  block(request: Partial<BlockRequest> = {}) {
    const height = this.app.nextHeight;
    const made = this.app.finalizeBlock({
      height,
      time: { seconds: 1_700_000_000n + 5n * height, nanos: 0 },
      ...request,
    });
    this.app.commit();
    return made;
  }

  #sign(signer: Signer, message: Packed): Uint8Array {
    const sequence = this.#sequences.get(signer.name) ?? 0n;
    this.#sequences.set(signer.name, sequence + 1n);
    const accountNumber = BigInt(PEOPLE.indexOf(signer));
    return signer.sign([message], { chainId: "scenario-1", accountNumber, sequence });
  }

  send(...txs: (readonly [Signer, Packed])[]) {
    const made = this.block({ txs: txs.map(([signer, message]) => this.#sign(signer, message)) });
    return made.txResults.map(({ code, codespace, log }) => `${codespace} ${code} ${log.replace(INSIDE, "")}`.trim());
  }

  get status(): ProposalStatus | undefined {
    return readProposal(this.app.multiStore.at(this.app.lastCommitID.version).store(GOV_STORE), 1n)?.status;
  }
}

describe("MsgUpdateParams by governance", () => {
  const chain = defineChain({ name: "parametersd", modules: [...MODULES, consensus()] });

  test("→ in the result of the block in which the vote ends, in force from the next one on, also in a restarted process", () => {
    const town = new Town(chain);
    expect(town.send([ALICE, propose(ALICE, [update()])])).toEqual(["0"]);
    expect(town.send(...PEOPLE.slice(0, 3).map((each) => [each, vote(each, 1n, VoteOption.YES)] as const))).toEqual([
      "0",
      "0",
      "0",
    ]);
    const made = [town.block(), town.block(), town.block()];
    expect(town.status).toBe(ProposalStatus.PASSED);
    expect(made.map(({ paramUpdates }) => paramUpdates)).toEqual([undefined, undefined, PARAMS]);
    expect(town.app.consensusParams).toEqual(PARAMS);
    expect(town.block().paramUpdates).toBeUndefined();
    town.app.reopen();
    expect(town.app.consensusParams).toEqual(PARAMS);
  });

  test.each([
    ["without evidence", update({ evidence: undefined }), "undefined 1 all parameters must be present"],
    [
      "block.max_bytes 0",
      update({ block: { maxBytes: 0n, maxGas: -1n } }),
      "undefined 1 block.max_bytes must be -1 or 1 to 104857600, got 0",
    ],
    [
      "block.max_bytes that leave no room",
      update({ block: { maxBytes: 75_535n, maxGas: -1n } }),
      "undefined 1 block.max_bytes must be -1 or at least evidence.max_bytes + 65536, got 75535",
    ],
    [
      "block.max_gas -2",
      update({ block: { maxBytes: -1n, maxGas: -2n } }),
      "undefined 1 block.max_gas must be -1 or more, got -2",
    ],
    [
      "no age of evidence",
      update({ evidence: { maxAgeNumBlocks: 1n, maxBytes: 0n } }),
      "undefined 1 evidence.max_age_duration must be positive, got 0",
    ],
    ["no kind of key", update({ validator: {} }), "undefined 1 validator.pub_key_types must not be empty"],
    [
      "no ed25519",
      update({ validator: { pubKeyTypes: ["secp256k1"] } }),
      "undefined 1 validator.pub_key_types must contain ed25519",
    ],
    [
      "vote extensions in the past",
      update({ abci: { voteExtensionsEnableHeight: 1n } }),
      "undefined 1 abci.vote_extensions_enable_height must be above the current height 2, got 1",
    ],
    ["another authority", update({}, ALICE.address), `gov 13 ${ALICE.address}: expected gov account as only signer`],
  ])("with %s → refused when it is proposed, nothing written", (_, message, expected) => {
    const town = new Town(chain);
    const before = town.app.consensusParams;
    expect(town.send([ALICE, propose(ALICE, [message])])[0]).toContain(expected);
    expect(town.status).toBeUndefined();
    expect(town.app.consensusParams).toBe(before);
  });

  test("in a transaction → unauthorized: the gov account has no key", () => {
    expect(new Town(chain).send([ALICE, update()])[0]).toMatch(/^sdk 8 pubKey does not match signer address/);
  });
});

describe("a TypeScript handler that brings module consensus", () => {
  /** A chain that has begun without the module, one block before its upgrade. */
  function upgraded(write: (stores: MultiStore) => void) {
    const modules = [...MODULES, consensus()];
    const chain = defineChain({
      ...{ name: "parametersd", modules },
      upgrades: [
        {
          plan: "v2",
          storeUpgrades: { added: ["consensus"] },
          handler(context, plan, versions, manager) {
            const after = migrate(context, plan, versions, manager);
            write(context.stores);
            return after;
          },
        },
      ],
    });
    const town = new Town(chain);
    const { keeper } = town.app;
    const plan = { name: "v2", height: 3n, info: "" };
    town.block({
      changes: [
        (context) =>
          keeper.softwareUpgrade(context.store("upgrade"), context.height, { authority: keeper.authority, plan }),
      ],
    });
    expect(failureOf(() => town.block()).code).toBe("UPG_HALT_RESTART");
    town.app.reopen();
    return town;
  }

  test("and writes them → in the result of the upgrade's block, in force after it", () => {
    const town = upgraded((stores) => writeConsensusParams(stores.store("consensus"), PARAMS));
    const made = town.block();
    expect([made.applied?.plan.name, made.paramUpdates]).toEqual(["v2", PARAMS]);
    expect(town.app.consensusParams).toEqual(PARAMS);
  });

  test("and writes bad ones → refused before; as bytes of its own → UPG_MIGRATION_INVARIANT; nothing committed", () => {
    const bad = { ...PARAMS, block: { maxBytes: 5n, maxGas: -1n } };
    const first = upgraded((stores) => writeConsensusParams(stores.store("consensus"), bad));
    expect(failureOf(() => first.block()).message).toContain("evidence.max_bytes must be 0 to 5");
    const second = upgraded((stores) =>
      stores.store("consensus").set(new TextEncoder().encode("Consensus"), Uint8Array.of(9)),
    );
    const failure = failureOf(() => second.block());
    expect([failure.code, failure.message]).toEqual([
      "UPG_MIGRATION_INVARIANT",
      expect.stringContaining("cannot be read"),
    ]);
    expect([first, second].map(({ app }) => app.lastCommitID.version)).toEqual([2n, 2n]);
  });
});
