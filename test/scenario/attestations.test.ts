/** Attestations: what a validator's operator says of a plan; who may, what is refused, what counts, what state holds. */
import { describe, expect, test } from "vitest";
import { MsgAttestSchema, MsgWithdrawAttestationSchema } from "../../host/base/gen/chain/upgrade/v1/tx_pb.js";
import { toHex } from "../../host/base/text/bytes.js";
import { routerAt } from "../../host/chain/app/tx/message-kind.js";
import { attestationMessages } from "../../host/chain/modules/upgrade/attest.js";
import { attestations, readAttestation } from "../../host/chain/modules/upgrade/attestations.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { exampleChain, V1, V2 } from "../example-chain.js";
import { attribute } from "./gov-chain.js";
import {
  ALICE,
  BOB,
  CAROL,
  createMessage,
  DAVE,
  delegateMessage,
  operatorOf,
  StakeTown,
  stakeGenesis,
  UNIT,
  undelegateMessage,
} from "./stakers.js";
import { splitBalances } from "./versions.js";
import { pack, type Signer } from "./wallet.js";

const hash = (byte: number) => new Uint8Array(32).fill(byte);

type Said = Partial<{ plan: string; artifactSha256: Uint8Array; appHash: Uint8Array; rehearsedHeight: bigint }>;

const attest = (signer: Signer, said: Said = {}) =>
  pack(MsgAttestSchema, {
    validatorAddress: operatorOf(signer),
    ...{ plan: "v2", artifactSha256: hash(1), appHash: hash(2), rehearsedHeight: 1n },
    ...said,
  });

const withdraw = (signer: Signer, plan = "v2") =>
  pack(MsgWithdrawAttestationSchema, { validatorAddress: operatorOf(signer), plan });

const stateOf = (town: StakeTown) => town.process.state.store(UPGRADE_STORE);
const said = (town: StakeTown, signer: Signer) => readAttestation(stateOf(town), signer.addressBytes);

describe("MsgAttest", () => {
  test("of a bonded validator → in state under 05|operator with its block, and an event", () => {
    const town = new StakeTown();
    const made = town.good(ALICE, attest(ALICE));
    expect(said(town, ALICE)).toMatchObject({
      ...{ plan: "v2", artifactSha256: hash(1), appHash: hash(2), rehearsedHeight: 1n, height: made.height },
    });
    expect(stateOf(town).has(Uint8Array.of(0x05, ...ALICE.addressBytes))).toBe(true);
    expect(attribute(made, "attest", "plan")).toBe("v2");
    expect(attribute(made, "attest", "validator")).toBe(operatorOf(ALICE));
    expect(attribute(made, "message", "sender")).toBe(ALICE.address);
  });

  test("once more, of another plan → replaces the first: one a validator", () => {
    const town = new StakeTown();
    town.good(ALICE, attest(ALICE));
    town.good(
      ALICE,
      attest(ALICE, { plan: "v3", artifactSha256: hash(9), appHash: hash(0).subarray(32), rehearsedHeight: 0n }),
    );
    expect([...attestations(stateOf(town))].map(({ attestation }) => attestation.plan)).toEqual(["v3"]);
    expect(said(town, ALICE)).toMatchObject({
      artifactSha256: hash(9),
      appHash: new Uint8Array(),
      rehearsedHeight: 0n,
    });
  });

  test.each<[string, Said, string]>([
    [
      "a hash of 31 bytes",
      { artifactSha256: hash(1).subarray(1) },
      "sdk 18 artifact_sha256 must have 32 bytes, got 31",
    ],
    ["no hash", { artifactSha256: new Uint8Array() }, "sdk 18 artifact_sha256 must have 32 bytes, got 0"],
    ["an app hash of 20 bytes", { appHash: new Uint8Array(20) }, "sdk 18 app_hash must have 32 bytes or none, got 20"],
    ["an app hash without a height", { rehearsedHeight: 0n }, "sdk 18 app_hash and rehearsed_height belong together"],
    [
      "a height without an app hash",
      { appHash: new Uint8Array() },
      "sdk 18 app_hash and rehearsed_height belong together",
    ],
    ["a negative height", { rehearsedHeight: -1n }, "sdk 18 rehearsed_height must not be negative, got -1"],
    [
      "the height of its own block",
      { rehearsedHeight: 2n },
      "sdk 18 rehearsed_height 2 has no state yet: this is block 2",
    ],
    ["no name", { plan: "" }, "sdk 18 name cannot be empty"],
    ["a name of 141 bytes", { plan: "n".repeat(141) }, "sdk 18 "],
  ])("%s → refused, nothing in state", (_, change, words) => {
    const town = new StakeTown();
    expect(town.bad(ALICE, attest(ALICE, change))).toContain(words);
    expect([...attestations(stateOf(town))]).toEqual([]);
  });

  test("of one who is no validator → staking 3; by another's key → refused before it runs", () => {
    const town = new StakeTown();
    expect(town.bad(DAVE, attest(DAVE))).toBe(`staking 3 ${operatorOf(DAVE)}: validator does not exist`);
    const [result] = town.block({ txs: [town.sign(DAVE, attest(ALICE))] }).txResults;
    expect(result).toMatchObject({ codespace: "sdk", code: 8 });
    expect(said(town, ALICE)).toBeUndefined();
  });

  test("of a validator that is not bonded → sdk 4, and again after it is bonded → taken", () => {
    const town = new StakeTown(stakeGenesis({ max_validators: 3 }));
    town.good(DAVE, createMessage(DAVE, 7, { value: { denom: "ustake", amount: String(5n * UNIT) } } as never));
    expect(town.bad(DAVE, attest(DAVE))).toContain(`sdk 4 validator ${operatorOf(DAVE)} is not bonded`);
    town.good(DAVE, delegateMessage(DAVE, DAVE, 50n * UNIT));
    town.good(DAVE, attest(DAVE));
    expect(said(town, DAVE)).toBeDefined();
  });

  test("of a plan that was applied → refused with its block", () => {
    const town = new StakeTown(stakeGenesis(), { start: { versions: [V1] } });
    town.process.schedule({ name: "v2", height: 4n });
    town.process.untilHalt();
    const process = town.chain.start({ handlers: [splitBalances()] });
    process.block();
    const [result] = process.block({ txs: [town.sign(ALICE, attest(ALICE, { rehearsedHeight: 1n }))] }).txResults;
    expect(result).toMatchObject({ codespace: "sdk", code: 18 });
    expect(result?.log).toContain('the plan "v2" was applied in block 4');
  });
});

describe("MsgWithdrawAttestation", () => {
  test("→ nothing in state; the same again, and of another plan → sdk 18", () => {
    const town = new StakeTown();
    const before = toHex(town.process.app.lastCommitID.hash);
    town.good(ALICE, attest(ALICE));
    expect(town.bad(ALICE, withdraw(ALICE, "v3"))).toContain("sdk 18 validator");
    const made = town.good(ALICE, withdraw(ALICE));
    expect(said(town, ALICE)).toBeUndefined();
    expect(attribute(made, "withdraw_attestation", "plan")).toBe("v2");
    expect(town.bad(ALICE, withdraw(ALICE))).toContain('has attested nothing of the plan "v2"');
    expect(toHex(town.process.app.lastCommitID.hash)).not.toBe(before);
  });

  test("of a validator that has unbonded → taken, though it may not attest", () => {
    const town = new StakeTown();
    town.good(ALICE, attest(ALICE));
    town.good(ALICE, undelegateMessage(ALICE, ALICE, 10n * UNIT));
    expect(town.bad(ALICE, attest(ALICE))).toMatch(/^(sdk 4|staking 3) /);
    town.good(ALICE, withdraw(ALICE));
    expect(said(town, ALICE)).toBeUndefined();
  });
});

describe("state of chains in which nobody attests", () => {
  const pairsOf = (town: StakeTown) => [...stateOf(town).iterate()].map((pair) => pair.map(toHex).join());

  test("refused attestations → store upgrade as without them", () => {
    const [quiet, loud] = [new StakeTown(), new StakeTown()];
    quiet.block();
    loud.bad(DAVE, attest(DAVE));
    expect(pairsOf(loud)).toEqual(pairsOf(quiet));
  });

  test("attested and withdrawn → the same pairs as before", () => {
    const town = new StakeTown();
    const before = pairsOf(town);
    for (const signer of [ALICE, BOB, CAROL]) town.good(signer, attest(signer));
    for (const signer of [ALICE, BOB, CAROL]) town.good(signer, withdraw(signer));
    expect(pairsOf(town)).toEqual(before);
  });
});

describe("messages with `since`", () => {
  test("routerAt() app versions before it → unknown, as to a program of before; from it on → known", () => {
    const kinds = attestationMessages(2n);
    const modules = exampleChain.modules.map((module) =>
      module.name === "upgrade" ? { ...module, messages: kinds } : module,
    );
    const urls = kinds.map(({ typeUrl }) => typeUrl);
    const known = (version: typeof V1) => urls.map((url) => routerAt(modules, { ...version }).has(url));
    expect(known(V1)).toEqual([false, false]);
    expect(known(V2)).toEqual([true, true]);
  });
});
