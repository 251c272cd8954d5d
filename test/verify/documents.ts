/** What mutations begin with: honest evidence of two chains that share their name, and of a third that an attacker signs. */
import { collect } from "../../host/verify/collect.js";
import type { Evidence, TrustOptions } from "../../host/verify/types.js";
import { MadeChain, type Members, timeOf, upgradeWrites } from "../unit/verify/made-chain.js";

const BLOCKS = 14;

/** Four validators, of whom one after the other is replaced from block 9 on. */
const replaced = (height: number): Members => {
  const gone = Math.min(Math.max(0, height - 8), 4);
  return [1, 2, 3, 4].map((seed) => ({ seed: seed <= gone ? seed + 10 : seed, power: 10 + seed }));
};

/** Nobody of the honest chain; and a state that differs. */
const attackers = (): Members => [1, 2, 3].map((seed) => ({ seed: seed + 100, power: 50 }));

/** One honest validator of four has changed sides: less than a third. */
const joined = (): Members => [...attackers(), { seed: 1, power: 11 }];

const lying = (height: number) => (height === 6 ? [] : upgradeWrites(height));

export interface Document {
  readonly chain: MadeChain;
  readonly evidence: Evidence;
  readonly trust: TrustOptions;
}

async function documentOf(chain: MadeChain, root: bigint, height?: bigint, plan?: string): Promise<Document> {
  const options = { source: "made", now: timeOf(BLOCKS + 1), rootHeight: root, height, plan };
  return { chain, evidence: await collect(chain.ask, options), trust: chain.trust(root) };
}

export interface Documents {
  /** What mutations begin with: honest documents, and lies that are whole but for one link of trust. */
  readonly bases: readonly Document[];
  /** Whose parts mutations put into them. */
  readonly foreign: readonly Evidence[];
}

export async function documents(): Promise<Documents> {
  const chain = new MadeChain({ blocks: BLOCKS, members: replaced, writes: upgradeWrites });
  const first = await documentOf(chain, 2n);
  const honest = [
    first,
    await documentOf(chain, 1n, 2n, "v9"),
    await documentOf(chain, 3n, 4n, "v2"),
    await documentOf(chain, 13n),
  ];
  const forged = [attackers, joined].map((members) => new MadeChain({ blocks: BLOCKS, members, writes: lying }));
  const unsigned = new MadeChain({ blocks: BLOCKS, members: replaced, writes: lying });
  const lies = await Promise.all([...forged, unsigned].map((each) => documentOf(each, 2n)));
  const published = lies.map(({ chain: liar, evidence }) =>
    liar === unsigned ? withoutSignatures(evidence) : evidence,
  );
  const grafted = published.map((evidence) => ({ ...first, evidence: graft(first.evidence, evidence) }));
  return { bases: [...honest, ...grafted], foreign: [...honest.map(({ evidence }) => evidence), ...published] };
}

/** All of the lie, but for the block that the reader trusts. */
function graft(honest: Evidence, lie: Evidence): Evidence {
  const light_blocks = [...honest.light_blocks.slice(0, 1), ...lie.light_blocks.slice(1)];
  return { ...lie, root: honest.root, light_blocks };
}

/** The honest validators' votes, which they did not sign. */
function withoutSignatures(evidence: Evidence): Evidence {
  const forged = `"signature":"${"A".repeat(86)}=="`;
  return JSON.parse(JSON.stringify(evidence).replace(/"signature":"[^"]+"/g, forged));
}
