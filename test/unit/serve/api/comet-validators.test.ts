/** Validators as CometBFT's own types print them: RPC's answers, results of blocks, and the event of a change. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { fromHex } from "../../../../host/base/text/bytes.js";
import type { PublicKey } from "../../../../host/chain/comet-types/keys.js";
import { rotateProposer, type ValidatorSet } from "../../../../host/chain/comet-types/validator-set.js";
import {
  createValidatorSet,
  updateValidatorSet,
  type ValidatorUpdate,
} from "../../../../host/chain/comet-types/validator-updates.js";
import { validatorsEvent } from "../../../../host/serve/rpc/block-events.js";
import { validatorJson, validatorUpdatesJson } from "../../../../host/serve/rpc/json.js";

interface Member {
  readonly type: PublicKey["type"];
  readonly key: string;
  readonly power: string;
}

interface Case {
  readonly label: string;
  readonly input: readonly Member[];
  readonly turns: number;
  readonly changes?: readonly Member[];
  readonly validators: { readonly validators: readonly object[]; readonly total: string };
  readonly info: object;
  readonly updates?: readonly object[];
  readonly event?: { readonly data: object; readonly events: Readonly<Record<string, readonly string[]>> };
}

const FILE = new URL("../../../data/comet-validators.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(FILE, "utf8")) as { readonly cases: readonly Case[] };

const updatesOf = (members: readonly Member[]): ValidatorUpdate[] =>
  members.map(({ type, key, power }) => ({ publicKey: { type, bytes: fromHex(key) }, power: BigInt(power) }));

function setOf({ input, turns, changes }: Case): ValidatorSet {
  const made = createValidatorSet(sha256, updatesOf(input));
  const turned = turns === 0 ? made : rotateProposer(made, turns);
  return changes ? rotateProposer(updateValidatorSet(sha256, turned, updatesOf(changes))) : turned;
}

describe.each(cases)("$label", (each) => {
  test("validators → as in RPC's validators, member by member; the first as in status", () => {
    const { validators } = setOf(each);
    expect(validators.map(validatorJson)).toEqual(each.validators.validators);
    expect(validatorJson(validators[0] as (typeof validators)[number])).toMatchObject(each.info);
  });
});

describe.each(cases.filter(({ changes }) => changes))("$label", ({ changes = [], updates, event }) => {
  test("validator updates → as in block_results, and as subscribers to ValidatorSetUpdates hear them", () => {
    expect(validatorUpdatesJson(updatesOf(changes))).toEqual(updates);
    const made = validatorsEvent(updatesOf(changes), sha256);
    expect(made.data()).toEqual(event?.data);
    expect(Object.fromEntries(made.values)).toEqual(event?.events);
  });
});
