/** What a module says of validators: what breaks its rules ends the block, so that a stopped node cannot go on with others. */
import { expect, test } from "vitest";
import { NO_STORES } from "../../../../host/chain/app/app-parts.js";
import { readValidators } from "../../../../host/chain/app/validators.js";
import { TOTAL_POWER_MAX } from "../../../../host/chain/comet-types/validator-set.js";
import type { ValidatorUpdate } from "../../../../host/chain/comet-types/validator-updates.js";
import { JsonReader } from "../../../../host/chain/values/json-reader.js";
import { failureOf } from "../../../scenario/chain.js";

const validator = (byte: number, power: unknown) =>
  ({ publicKey: { type: "ed25519", bytes: new Uint8Array(32).fill(byte) }, power }) as ValidatorUpdate;

/** Whom a chain whose module gives these begins with. */
function begun(given: readonly ValidatorUpdate[]): readonly ValidatorUpdate[] | undefined {
  const giver = { name: "own", consensusVersion: 1n, stores: [], validators: () => given };
  return readValidators(giver, NO_STORES, { stakingParams: new JsonReader(undefined, "genesis") });
}

for (const power of [0n, -5n, TOTAL_POWER_MAX + 1n, 10, undefined]) {
  test(`power ${power} (${typeof power}) → UPG_INVALID_ARGUMENT with module, key and power`, () => {
    const error = failureOf(() => begun([validator(1, 10n), validator(2, power)]));
    expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(error.message).toContain(`validators() of module "own" gives ed25519 ${"02".repeat(32)} the power ${power}`);
  });
}

test("a key twice → UPG_INVALID_ARGUMENT; powers at their limits, and nobody → taken", () => {
  const error = failureOf(() => begun([validator(1, 11n), validator(1, 12n)]));
  expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  expect(error.message).toContain(`gives power to ed25519 ${"01".repeat(32)} twice`);
  for (const given of [[], [validator(1, 1n), validator(2, TOTAL_POWER_MAX)]]) expect(begun(given)).toEqual(given);
});
