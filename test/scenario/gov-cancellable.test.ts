/** Specification 7.7: with 2 * (VotingPeriod + DepositPeriod) + SafetyDelta there is time to take a plan back. */
import { expect, test } from "vitest";
import { ProposalStatus } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { V1 } from "../example-chain.js";
import { ALICE, DAVE, govGenesis, Town } from "./gov-chain.js";
import { cancelUpgrade, deposit, type Packed, propose, softwareUpgrade } from "./wallet.js";

const SECOND = 1_000_000_000n;
const PERIOD = 20n * SECOND;
const BLOCK = 5n * SECOND;

/** A proposal that uses up its periods: its deposit is complete in the last block of the deposit period. */
function slowly(town: Town, message: Packed): bigint {
  const made = town.good(DAVE, propose(DAVE, [message], { amount: 1 }));
  const id = town.proposal(1n) && !town.proposal(2n) ? 1n : 2n;
  town.blocks(2);
  town.good(ALICE, deposit(ALICE, id, 99));
  town.voteAll(id);
  town.blocks(3);
  expect(town.proposal(id)?.status, `made in block ${made.height}`).toBe(ProposalStatus.PASSED);
  return id;
}

/** Proposes an upgrade so many blocks away, and its cancellation a safety delta after it has passed. */
function proposeAndCancel(distance: (town: Town) => bigint, safetyBlocks: number): Town {
  const town = new Town(govGenesis(), { start: { versions: [V1] } });
  slowly(town, softwareUpgrade("v2", distance(town)));
  town.blocks(safetyBlocks);
  slowly(town, cancelUpgrade());
  return town;
}

test("a plan at the cancellable height, cancelled by a proposal that uses all its time → taken back before the height", () => {
  const height = (town: Town) =>
    town.process.app.keeper.core.cancellableHeight(town.height + 1n, PERIOD, PERIOD, 2n * BLOCK, BLOCK);
  const town = proposeAndCancel(height, 2);
  expect(town.process.plan).toBeUndefined();
  town.blocks(10);
});

test("a plan four blocks earlier → the halt comes before the cancellation can pass", () => {
  const height = (town: Town) =>
    town.process.app.keeper.core.cancellableHeight(town.height + 1n, PERIOD, PERIOD, 2n * BLOCK, BLOCK) - 4n;
  expect(() => proposeAndCancel(height, 2)).toThrow(/UPGRADE "v2" NEEDED at height/);
});
