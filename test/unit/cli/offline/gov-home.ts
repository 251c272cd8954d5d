/** A home whose chain schedules its upgrade by transactions alone, so that its blocks say all that happened. */
import { join } from "node:path";
import { VoteOption } from "../../../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import type { Height } from "../../../../host/base/types/types.js";
import { DIST, TestHome } from "../../../e2e/chaind.js";
import { makeBlocksUpTo, withNode } from "../../../e2e/prepared-home.js";
import { ALICE, BOB, CAROL, DAVE, govGenesis } from "../../../scenario/gov-chain.js";
import { type Packed, propose, type Signer, send, softwareUpgrade, vote } from "../../../scenario/wallet.js";

export const HANDLERS = join(DIST, "handlers");
const PEOPLE = [ALICE, BOB, CAROL, DAVE];

/** The upgrade v2 at 9, in blocks up to a height; a few versions are kept. */
export function govHome(upTo: Height, blocks: { readonly minRetainBlocks?: number } = {}): TestHome {
  const home = new TestHome(govGenesis());
  const open = { path: home.path, handlers: HANDLERS, blocks };
  const sequences = new Map<Signer, bigint>();
  const signed = (signer: Signer, message: Packed) => {
    const sequence = sequences.get(signer) ?? 0n;
    sequences.set(signer, sequence + 1n);
    return signer.sign([message], { chainId: "scenario-1", accountNumber: BigInt(PEOPLE.indexOf(signer)), sequence });
  };
  withNode({ ...open, appVersion: 1n }, (node) => {
    node.makeBlock();
    node.submit(signed(DAVE, propose(DAVE, [softwareUpgrade("v2", 9n)])));
    node.makeBlock();
    for (const each of [ALICE, BOB, CAROL]) node.submit(signed(each, vote(each, 1n, VoteOption.YES)));
    makeBlocksUpTo(node, 8n);
  });
  withNode(open, (node) => {
    makeBlocksUpTo(node, 9n);
    node.submit(signed(ALICE, send(ALICE, BOB.address, 5)));
    makeBlocksUpTo(node, upTo);
  });
  return home;
}
