import { describe, expect, test } from "vitest";
import { ProposalStatus } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { bigEndian64, utf8 } from "../../host/base/text/bytes.js";
import type { Module } from "../../host/chain/app/module.js";
import { enqueue } from "../../host/chain/modules/gov/queues.js";
import { writeNextProposalId, writeProposal } from "../../host/chain/modules/gov/records.js";
import { exampleChain } from "../example-chain.js";
import { next, upgraded } from "./one-upgrade.js";
import { END, entryKey, open, type Stores, writes, writesPair } from "./spoilers.js";

describe("an orphan in a queue, on a chain whose modules have no invariants", () => {
  const modules: Module[] = exampleChain.modules.map(({ invariants, ...module }) => module);
  const chain = { ...exampleChain, modules };

  test.each([
    ["a proposal that does not exist", entryKey(2, 77n), "deposit"],
    ["a key that is too short", Uint8Array.of(1, 0), "voting"],
  ])("%s → dropped with an event, and the chain goes on", (_, key, queue) => {
    const { result, app } = upgraded(chain, writesPair("gov", 1, key, bigEndian64(77n)));
    const blocks = [result, ...Array.from({ length: 8 }, () => next(app))];
    const dropped = blocks.flatMap(({ events }) => events).filter(({ type }) => type === "orphan_queue_entry");
    expect(dropped).toHaveLength(1);
    expect(dropped[0]?.attributes[0]).toMatchObject({ key: "queue", value: queue });
    expect(app.multiStore.at(app.lastCommitID.version).store("gov").has(key)).toBe(false);
  });

  test("a closed proposal → its messages do not run again", () => {
    const breaks = (store: Stores) => {
      writeProposal(store("gov"), { ...open(1n), status: ProposalStatus.PASSED });
      enqueue(store("gov"), "voting", END, 1n);
      writeNextProposalId(store("gov"), 2n);
    };
    const { app } = upgraded(chain, writes(breaks));
    const types = Array.from({ length: 8 }, () => next(app)).flatMap(({ events }) => events.map(({ type }) => type));
    expect(types).toContain("orphan_queue_entry");
    expect(types).not.toContain("active_proposal");
  });

  test("an entry of staking that is too short for a time → dropped", () => {
    const breaks = (store: Stores) => {
      store("staking").set(Uint8Array.of(0x41), Uint8Array.of(1));
      store("staking").set(Uint8Array.of(0x50), utf8("ustake"));
    };
    const { app } = upgraded(chain, writes(breaks));
    next(app);
    expect(app.multiStore.at(app.lastCommitID.version).store("staking").has(Uint8Array.of(0x41))).toBe(false);
  });
});
