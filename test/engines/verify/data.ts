/** The same evidence and the same upgrade for every engine. */

import { sha256 } from "../../../host/base/native/sha256.js";
import { toHex } from "../../../host/base/text/bytes.js";
import { collect } from "../../../host/verify/collect.js";
import { reExecute } from "../../../host/verify/re-execute.js";
import type { Evidence } from "../../../host/verify/types.js";
import { V1 } from "../../example-chain.js";
import { Chain } from "../../scenario/chain.js";
import { splitBalances } from "../../scenario/versions.js";
import { MadeChain, timeOf, upgradeWrites } from "../../unit/verify/made-chain.js";
import { headersOf, witnessOf } from "../../unit/verify/upgraded-chain.js";
import type { EngineData } from "./program.js";

const WITNESS_BYTES_MAX = 1_048_576;
const MEMBERS = [1, 2, 3, 4].map((seed) => ({ seed, power: 10 }));

export interface Prepared {
  readonly json: string;
  /** What `report` returns where everything works. */
  readonly claims: RegExp;
  readonly run: string;
}

export async function preparedData(): Promise<Prepared> {
  const chain = new MadeChain({ blocks: 12, members: () => MEMBERS, writes: upgradeWrites });
  const evidence = await collect(chain.ask, { source: "made", now: timeOf(13), rootHeight: 2n });
  const run = runOf();
  const { gas } = reExecute({ ...run, sha256 });
  const data: EngineData = {
    evidence: JSON.stringify(evidence),
    forged: JSON.stringify(forgedOf(evidence)),
    trust: chain.trust(2),
    run,
  };
  return {
    json: JSON.stringify(data, (_name, value: unknown) => {
      if (typeof value === "bigint") return `n:${value}`;
      return value instanceof Uint8Array ? `x:${toHex(value)}` : value;
    }),
    claims: /^claims: proven Header 12 of .* proven Upgrade "v2" was applied in block 6\. .*unproven The server says/m,
    run: `run: plan v2, gas ${gas}`,
  };
}

/** A signature that counts, of which one character is another. */
function forgedOf({ light_blocks, ...rest }: Evidence): unknown {
  // Evidence types its blocks as JSON of any shape; these were read from a file that has this one.
  const blocks = structuredClone(light_blocks) as unknown as {
    signed_header: { commit: { signatures: { signature: string }[] } };
  }[];
  for (const vote of blocks[blocks.length - 1]?.signed_header.commit.signatures ?? []) {
    const letter = vote.signature.startsWith("A") ? "B" : "A";
    vote.signature = letter + vote.signature.slice(1);
  }
  return { ...rest, light_blocks: blocks };
}

function runOf(): EngineData["run"] {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n });
  old.untilHalt();
  const handler = splitBalances();
  const process = chain.start({ handlers: [handler] });
  process.blocks(3);
  const { bytes: witness } = witnessOf(process, handler, 4n);
  const input = { witness, maxBytes: WITNESS_BYTES_MAX, handler: handler.bytes, headers: headersOf(process, 4n) };
  return { ...input, receipt: reExecute({ ...input, sha256 }).receipt };
}
