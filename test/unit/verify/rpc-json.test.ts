import { describe, expect, test } from "vitest";
import { JsonView } from "../../../host/verify/json.js";
import { readLightBlock } from "../../../host/verify/read-light-block.js";
import { queryAnswerOf, statusOf, validatorsPageOf } from "../../../host/verify/rpc-json.js";
import { rpcPath } from "../../../host/verify/rpc-path.js";
import type { Json } from "../../../host/verify/types.js";
import { MadeChain, upgradeWrites } from "./made-chain.js";

const chain = new MadeChain({ blocks: 3, members: () => [{ seed: 1, power: 10 }], writes: upgradeWrites });
const malformed = expect.objectContaining({ code: "UPG_PROOF_MALFORMED" });
const view = (value: unknown) => new JsonView(value, "it");

// biome-ignore lint/suspicious/noExplicitAny: JSON whose members are changed one by one
type Loose = any;

async function lightBlock(height: number): Promise<{ signed: Loose; validators: Loose }> {
  const { signed_header: signed } = (await chain.ask("commit", { height: String(height) })) as Loose;
  const { validators } = (await chain.ask("validators", {
    height: String(height),
    page: "1",
    per_page: "100",
  })) as Loose;
  return { signed, validators };
}

describe("readLightBlock()", () => {
  test.each([1, 2])("block %i as our RPC has it → header, commit and set as they were", async (height) => {
    const { signed, validators } = await lightBlock(height);
    const read = readLightBlock(signed, validators);
    const { signedHeader, validators: set } = chain.at(height);
    expect(read.signedHeader).toEqual(signedHeader);
    expect(read.validators.validators).toEqual(set.validators.map((each) => ({ ...each, priority: 0n })));
    expect(read.validators.totalPower).toBe(10n);
  });

  test("a version with the app's protocol, numbers where CometBFT has numbers, null for no signature", async () => {
    const { signed, validators } = await lightBlock(2);
    signed.header.version.app = "7";
    const [vote] = signed.commit.signatures;
    Object.assign(vote, {
      block_id_flag: 1,
      validator_address: "",
      timestamp: "0001-01-01T00:00:00Z",
      signature: null,
    });
    const { header, commit } = readLightBlock(signed, validators).signedHeader;
    expect(header.version.app).toBe(7n);
    expect(commit.signatures[0]?.signature).toEqual(new Uint8Array());
  });

  test.each<[string, (it: Loose) => unknown]>([
    ["no header", (it) => delete it.signed.header],
    ["a height with a sign that decimals do not have", (it) => (it.signed.header.height = "+2")],
    ["a height with zeros before it", (it) => (it.signed.header.height = "02")],
    ["a height beyond int64", (it) => (it.signed.header.height = "9223372036854775808")],
    ["a height that is a fraction", (it) => (it.signed.header.height = 2.5)],
    ["a time that does not exist", (it) => (it.signed.header.time = "2024-02-30T00:00:00Z")],
    ["a hash that is not hex", (it) => (it.signed.header.app_hash = "zz")],
    ["a number for a chain id", (it) => (it.signed.header.chain_id = 7)],
    ["signatures that are no list", (it) => (it.signed.commit.signatures = {})],
    ["an unknown flag", (it) => (it.signed.commit.signatures[0].block_id_flag = 4)],
    ["a signature that is not base64", (it) => (it.signed.commit.signatures[0].signature = "*")],
    ["a negative round", (it) => (it.signed.commit.round = -1)],
    ["a key of another type", (it) => (it.validators[0].pub_key.type = "tendermint/PubKeySr25519")],
    ["a key of another length", (it) => (it.validators[0].pub_key.value = "AAAA")],
    ["a negative power", (it) => (it.validators[0].voting_power = "-1")],
    ["powers whose sum no chain has", (it) => (it.validators[0].voting_power = "9223372036854775807")],
    ["an address of 19 bytes", (it) => (it.validators[0].address = "00".repeat(19))],
    ["10,001 validators", (it) => (it.validators = new Array(10_001).fill(it.validators[0]))],
    ["members that only the prototype has", (it) => (it.signed = Object.create(it.signed))],
  ])("%s → UPG_PROOF_MALFORMED", async (_case, change) => {
    const it = await lightBlock(2);
    change(it);
    expect(() => readLightBlock(it.signed, it.validators)).toThrow(malformed);
  });
});

describe("answers of queries", () => {
  test("queryAnswerOf() of CometBFT's and of our shapes → value, absence, refusal", () => {
    const proofOps = { ops: [{ type: "ics23:iavl", key: "AA==", data: "AA==" }] };
    const found = queryAnswerOf(view({ response: { code: 0, value: "AQ==", proofOps, height: "7" } }));
    expect(found).toEqual({ value: Uint8Array.of(1), proofOps: proofOps.ops });
    // CometBFT leaves out a code of 0 and values that are empty; newer ones write proof_ops.
    expect(queryAnswerOf(view({ response: { proof_ops: proofOps } }))).toEqual({
      value: undefined,
      proofOps: proofOps.ops,
    });
    expect(queryAnswerOf(view({ response: { value: null, proofOps: null } }))).toEqual({
      value: undefined,
      proofOps: undefined,
    });
    expect(queryAnswerOf(view({ response: { code: 38, log: "pruned" } }))).toBeUndefined();
    expect(() => queryAnswerOf(view({}))).toThrow(malformed);
  });

  test("statusOf(), validatorsPageOf() → what they say, strictly", () => {
    const status = { node_info: { network: "a-1" }, sync_info: { latest_block_height: "12" } };
    expect(statusOf(view(status))).toEqual({ chainId: "a-1", latestHeight: 12n });
    for (const wrong of ["0", "-3", "x", 1.5, null]) {
      const bad = { ...status, sync_info: { latest_block_height: wrong } };
      expect(() => statusOf(view(bad))).toThrow(malformed);
    }
    expect(validatorsPageOf(view({ validators: [{}], total: "1" })).total).toBe(1);
    expect(() => validatorsPageOf(view({ validators: [], total: "10001" }))).toThrow(malformed);
  });

  test("rpcPath() of a path with quotation marks and of no parameters", () => {
    expect(rpcPath("status", {})).toBe("status");
    expect(rpcPath("validators", { height: "7", page: "1" })).toBe("validators?height=7&page=1");
  });

  test("texts of more than 16 MiB in all → UPG_PROOF_MALFORMED", () => {
    const long: Json = "x".repeat(6 * 1_024 * 1_024);
    const it = view({ a: long, b: long, c: long });
    it.get("a").text();
    it.get("b").text();
    expect(() => it.get("c").text()).toThrow(malformed);
  });
});
