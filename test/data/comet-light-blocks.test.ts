/** What a real CometBFT's RPC returned (`comet-light-blocks.json` names the version), read and verified. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fromHex } from "../../host/base/text/bytes.js";
import { addTime } from "../../host/base/time/time.js";
import { JsonView } from "../../host/verify/json.js";
import { advance, startAt } from "../../host/verify/light.js";
import { readLightBlock } from "../../host/verify/read-light-block.js";
import { queryAnswerOf, statusOf } from "../../host/verify/rpc-json.js";

const recorded = JSON.parse(readFileSync(new URL("comet-light-blocks.json", import.meta.url), "utf8"));
const [first, second, ninth] = recorded.light_blocks.map((each: { signed_header: unknown; validators: unknown }) =>
  readLightBlock(each.signed_header, each.validators),
);

test("light blocks 1, 2 and 9 of CometBFT → trust from the hash that it names, to the next and by skipping", async () => {
  const { header } = first.signedHeader;
  const hash = fromHex(recorded.light_blocks[0].signed_header.commit.block_id.hash);
  const root = { chainId: header.chainId, height: 1n, hash, from: "yours" } as const;
  const trusted = startAt(first, { root }).lightBlock;
  const options = { now: addTime(header.time, { seconds: 600n, nanos: 0 }), trustingPeriod: 3_600n };
  for (const next of [second, ninth]) expect((await advance(trusted, next, options)).signatures).toBe(1);
  const other = { ...ninth, validators: { ...ninth.validators, validators: [], totalPower: 0n } };
  await expect(advance(trusted, other, options)).rejects.toThrow(expect.objectContaining({ code: "UPG_PROOF_HEADER" }));
});

test("status and abci_query of CometBFT → the chain, its height, a key without a value or proofs", () => {
  expect(statusOf(new JsonView(recorded.status, "status"))).toEqual({
    chainId: first.signedHeader.header.chainId,
    latestHeight: BigInt(recorded.status.sync_info.latest_block_height),
  });
  expect(queryAnswerOf(new JsonView(recorded.absent, "abci_query"))).toEqual({ value: undefined, proofOps: undefined });
});
