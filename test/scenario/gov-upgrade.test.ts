/** An upgrade by governance: proposed, voted, scheduled, halted for, applied; cancelled, delayed, hastened, replaced. */
import { describe, expect, test } from "vitest";
import { MsgSoftwareUpgradeSchema } from "../../host/base/gen/chain/upgrade/v1beta1/tx_pb.js";
import { ProposalStatus, VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { V1 } from "../example-chain.js";
import { ALICE, attribute, BOB, CAROL, DAVE, govGenesis, Town } from "./gov-chain.js";
import { splitBalances } from "./versions.js";
import { cancelUpgrade, GOV_ADDRESS, pack, propose, send, softwareUpgrade, vote } from "./wallet.js";

const oldBinary = (params = {}) => new Town(govGenesis(params), { start: { versions: [V1] } });

describe("MsgSoftwareUpgrade by governance", () => {
  test("passes → the plan is scheduled, the old binary halts at its height, the new one applies it", () => {
    const town = oldBinary();
    const id = town.propose([softwareUpgrade("v2", 12n, "info")]);
    expect(id).toBe(1n);
    town.voteAll(id);
    expect(town.process.plan).toBeUndefined();
    const made = town.blocks(3).at(-1);
    expect(town.proposal(id)).toMatchObject({ status: ProposalStatus.PASSED, failedReason: "" });
    // Gov's own and those of the coins that it gives back; the upgrade module emits none.
    expect(made?.events.map(({ type }) => type)).toEqual([
      ...["coin_spent", "coin_received", "transfer", "message"],
      "active_proposal",
    ]);
    expect(made?.events.at(-1)).toEqual({
      type: "active_proposal",
      attributes: [
        { key: "proposal_id", value: "1" },
        { key: "proposal_result", value: "proposal_passed" },
        { key: "proposal_log", value: "passed" },
        { key: "mode", value: "EndBlock" },
      ],
    });
    expect(town.process.plan).toEqual({ name: "v2", height: 12n, info: "info" });
    expect(town.process.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    expect(town.height).toBe(11n);
    const balance = town.balance(ALICE.addressBytes);
    town.process = town.chain.start({ handlers: [splitBalances()] });
    const { txResults } = town.block([ALICE, send(ALICE, BOB.address, 1)]);
    expect(txResults[0]).toMatchObject({ code: 61, codespace: "upgrade", gasUsed: 0n });
    expect(town.process.doneHeight("v2")).toBe(12n);
    expect(town.balance(ALICE.addressBytes)).toBe(balance);
  });

  test("under the project's own type URL → the same", () => {
    const town = oldBinary();
    const plan = { name: "v2", height: 50n, info: "" };
    const id = town.propose([pack(MsgSoftwareUpgradeSchema, { authority: GOV_ADDRESS, plan })]);
    town.voteAll(id);
    town.blocks(4);
    expect(town.process.plan).toEqual(plan);
  });

  test("voted through for the block of the vote's end → applies in the block after, which Done names", () => {
    const town = oldBinary();
    const id = town.propose([softwareUpgrade("v2", 6n)]);
    town.voteAll(id);
    town.blocks(2);
    expect(town.height).toBe(5n);
    town.block();
    expect(town.process.plan).toMatchObject({ height: 6n });
    expect(town.process.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    town.process = town.chain.start({ handlers: [splitBalances()] });
    town.block();
    expect(town.process.doneHeight("v2")).toBe(7n);
  });

  test("a height that has passed when the vote ends → FAILED with the reason, the deposit back, no plan", () => {
    const town = oldBinary();
    const before = town.balance(DAVE.addressBytes);
    const id = town.propose([softwareUpgrade("late", 4n)]);
    town.voteAll(id);
    town.blocks(4);
    expect(town.proposal(id)).toMatchObject({
      status: ProposalStatus.FAILED,
      failedReason: "upgrade cannot be scheduled in the past: invalid request",
    });
    expect(town.process.plan).toBeUndefined();
    expect(town.balance(DAVE.addressBytes)).toBe(before);
  });

  for (const [what, message, reason] of [
    ["in the past", softwareUpgrade("v2", 1n), "upgrade cannot be scheduled in the past: invalid request"],
    ["of height 0", softwareUpgrade("v2", 0n), "height must be greater than 0: invalid request"],
    ["without a name", softwareUpgrade("", 50n), "name cannot be empty: invalid request"],
  ] as const) {
    test(`a plan ${what} → refused at submission, the fee paid`, () => {
      const town = oldBinary();
      const result = town.bad(DAVE, propose(DAVE, [message]));
      expect(result).toMatchObject({ codespace: "sdk", code: 18 });
      expect(result.log).toBe(`failed to execute message; message index: 0: ${reason}`);
      expect(town.proposal(1n)).toBeUndefined();
      expect(town.account(DAVE)?.sequence).toBe(1n);
    });
  }

  test("a name that is Done → refused at submission", () => {
    const town = oldBinary();
    town.voteAll(town.propose([softwareUpgrade("v2", 10n)]));
    town.process.untilHalt();
    town.process = town.chain.start({ handlers: [splitBalances()] });
    town.blocks(2);
    const result = town.bad(DAVE, propose(DAVE, [softwareUpgrade("v2", 90n)]));
    expect(result.log).toContain("upgrade with name v2 has already been completed: invalid request");
  });

  test("another authority in the message → gov 13, before any plan is looked at", () => {
    const town = oldBinary();
    const result = town.bad(DAVE, propose(DAVE, [softwareUpgrade("", 0n, "", ALICE.address)]));
    expect(result).toMatchObject({ codespace: "gov", code: 13 });
    expect(result.log).toContain(`${ALICE.address}: expected gov account as only signer for proposal message`);
  });

  test("sent as a transaction by anybody → the signer is not theirs to be", () => {
    const town = oldBinary();
    expect(town.bad(ALICE, softwareUpgrade("v2", 50n))).toMatchObject({ codespace: "sdk", code: 8 });
    expect(town.bad(BOB, softwareUpgrade("v2", 50n, "", BOB.address))).toMatchObject({
      codespace: "upgrade",
      code: 6,
    });
    expect(town.process.plan).toBeUndefined();
  });
});

describe("MsgCancelUpgrade by governance", () => {
  test("passes after the plan did → no plan, no halt; the name may be used again", () => {
    const town = oldBinary();
    town.voteAll(town.propose([softwareUpgrade("v2", 40n)]));
    town.blocks(4);
    expect(town.process.plan).toBeDefined();
    town.voteAll(town.propose([cancelUpgrade()]));
    town.blocks(4);
    expect(town.process.plan).toBeUndefined();
    town.voteAll(town.propose([softwareUpgrade("v2", 41n)]));
    town.blocks(4);
    expect(town.process.plan).toMatchObject({ name: "v2", height: 41n });
  });

  test("passes while the plan is still voted on → changes nothing, and the plan is scheduled after it", () => {
    const town = oldBinary();
    const upgrade = town.propose([softwareUpgrade("v2", 60n)]);
    const cancel = town.propose([cancelUpgrade()], { expedited: true });
    town.voteAll(cancel);
    town.voteAll(upgrade);
    expect(town.proposal(cancel)).toMatchObject({ status: ProposalStatus.PASSED });
    expect(town.proposal(upgrade)).toMatchObject({ status: ProposalStatus.VOTING_PERIOD });
    expect(town.process.plan).toBeUndefined();
    town.blocks(3);
    expect(town.process.plan).toMatchObject({ name: "v2" });
  });

  test("submitted after the plan, ended after it in the same block → the plan is gone at once", () => {
    const town = oldBinary();
    const sign = (message: ReturnType<typeof propose>) => town.sign(DAVE, [message]);
    const txs = [propose(DAVE, [softwareUpgrade("v2", 60n)]), propose(DAVE, [cancelUpgrade()])].map(sign);
    town.process.block({ txs });
    town.voteAll(1n);
    town.voteAll(2n);
    const made = town.blocks(2).at(-1);
    expect(made?.events.filter(({ type }) => type === "active_proposal")).toHaveLength(2);
    expect(town.proposal(2n)).toMatchObject({ status: ProposalStatus.PASSED });
    expect(town.process.plan).toBeUndefined();
  });
});

describe("a plan while another is scheduled", () => {
  for (const [what, height] of [
    ["delayed", 80n],
    ["hastened", 30n],
  ] as const) {
    test(`the same name, ${what} → replaced`, () => {
      const town = oldBinary();
      town.voteAll(town.propose([softwareUpgrade("v2", 50n, "first")]));
      town.blocks(4);
      town.voteAll(town.propose([softwareUpgrade("v2", height, "second")]));
      town.blocks(4);
      expect(town.process.plan).toEqual({ name: "v2", height, info: "second" });
    });
  }

  test("two plans whose votes end in the same block → that of the later proposal", () => {
    const town = oldBinary();
    const sign = (message: ReturnType<typeof propose>) => town.sign(DAVE, [message]);
    const txs = [softwareUpgrade("first", 50n), softwareUpgrade("second", 40n)].map((plan) => propose(DAVE, [plan]));
    town.process.block({ txs: txs.map(sign) });
    town.voteAll(1n);
    town.voteAll(2n);
    town.blocks(4);
    for (const id of [1n, 2n]) expect(town.proposal(id)).toMatchObject({ status: ProposalStatus.PASSED });
    expect(town.process.plan).toMatchObject({ name: "second", height: 40n });
  });

  /** A plan for block 20, and a proposal that passes in block 19. */
  function replacedAtLast(message: ReturnType<typeof softwareUpgrade>): Town {
    const town = oldBinary();
    const proposedAt = town.height + 1n;
    town.voteAll(town.propose([softwareUpgrade("v2", 20n)]));
    while (town.process.plan === undefined) town.block();
    const blocksToPass = town.height - proposedAt;
    while (town.height + 1n < 19n - blocksToPass) town.block();
    town.voteAll(town.propose([message]));
    while (town.height < 18n) town.block();
    expect(town.process.plan).toMatchObject({ name: "v2", height: 20n });
    town.block();
    return town;
  }

  test("replaced in the block before its height by a later one, or cancelled → its height is a block like any other", () => {
    for (const message of [softwareUpgrade("v2", 30n), cancelUpgrade()]) {
      const town = replacedAtLast(message);
      town.block();
      expect(town.height).toBe(20n);
      expect(town.process.doneHeight("v2")).toBe(0n);
    }
  });

  test("replaced in the block before its height by another name for that height → the halt is for that name", () => {
    const town = replacedAtLast(softwareUpgrade("other", 20n));
    expect(town.process.plan).toMatchObject({ name: "other", height: 20n });
    const halt = town.process.untilHalt();
    expect(halt).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    expect(halt.message).toContain("other");
    expect(town.height).toBe(19n);
  });

  test("a plan and its cancellation in one proposal → both run, in order; nothing is scheduled", () => {
    const town = oldBinary();
    const id = town.propose([softwareUpgrade("v2", 50n), cancelUpgrade()]);
    town.voteAll(id);
    town.blocks(4);
    expect(town.proposal(id)?.status).toBe(ProposalStatus.PASSED);
    expect(town.process.plan).toBeUndefined();
  });

  test("one message of two fails → neither counts", () => {
    const town = oldBinary();
    town.voteAll(town.propose([softwareUpgrade("first", 50n)]));
    town.blocks(4);
    const id = town.propose([cancelUpgrade(), softwareUpgrade("late", town.height + 2n)]);
    town.voteAll(id);
    town.blocks(4);
    expect(town.proposal(id)?.status).toBe(ProposalStatus.FAILED);
    expect(town.process.plan).toMatchObject({ name: "first" });
  });
});

describe("votes", () => {
  test("too few → REJECTED with the Cosmos SDK's reason; the deposit comes back", () => {
    const town = oldBinary();
    const before = town.balance(DAVE.addressBytes);
    const id = town.propose([softwareUpgrade("v2", 50n)]);
    const made = town.blocks(5);
    expect(town.proposal(id)).toMatchObject({
      status: ProposalStatus.REJECTED,
      failedReason: "proposal did not get enough votes to pass",
    });
    expect(made.flatMap(({ events }) => events).some(({ type }) => type === "active_proposal")).toBe(true);
    expect(town.balance(DAVE.addressBytes)).toBe(before);
  });

  test("vetoed → REJECTED, the deposit burned", () => {
    const town = oldBinary();
    const before = town.balance(DAVE.addressBytes);
    const id = town.propose([softwareUpgrade("v2", 50n)]);
    town.voteAll(id, VoteOption.NO_WITH_VETO);
    const made = town.blocks(3).at(-1);
    expect(town.proposal(id)?.status).toBe(ProposalStatus.REJECTED);
    expect(made && attribute(made, "burn", "amount")).toBe("100ustake");
    expect(town.balance(DAVE.addressBytes)).toBe(before - 100n);
  });

  test("a vote after the end → gov 3; a vote of somebody without stake counts nothing", () => {
    const town = oldBinary();
    const id = town.propose([softwareUpgrade("v2", 50n)]);
    town.good(DAVE, vote(DAVE, id, VoteOption.YES));
    town.blocks(4);
    expect(town.proposal(id)?.finalTallyResult?.yesCount).toBe("0");
    const late = town.bad(ALICE, vote(ALICE, id, VoteOption.YES));
    expect(late).toMatchObject({ codespace: "gov", code: 3 });
    expect(late.log).toBe(`failed to execute message; message index: 0: ${id}: inactive proposal`);
  });

  test("expedited and not passed → goes on as a regular one; votes are cast again", () => {
    const town = oldBinary();
    const id = town.propose([softwareUpgrade("v2", 50n)], { expedited: true });
    town.good(ALICE, vote(ALICE, id, VoteOption.YES));
    const made = town.blocks(1).at(-1);
    expect(made && attribute(made, "active_proposal", "proposal_result")).toBe("expedited_proposal_rejected");
    expect(town.proposal(id)).toMatchObject({ status: ProposalStatus.VOTING_PERIOD, expedited: false });
    town.block([ALICE, vote(ALICE, id, VoteOption.YES)], [BOB, vote(BOB, id, VoteOption.YES)]);
    town.good(CAROL, vote(CAROL, id, VoteOption.ABSTAIN));
    expect(town.proposal(id)).toMatchObject({ status: ProposalStatus.PASSED });
    expect(town.process.plan).toMatchObject({ name: "v2" });
  });
});
