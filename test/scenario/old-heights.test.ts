/** State of heights before the last, each in the layout of its version. */

import { describe, expect, test } from "vitest";
import { bankOf } from "../../host/chain/modules/bank/bank.js";
import { V1 } from "../example-chain.js";
import { failureOf } from "./chain.js";
import { ALICE, BOB, govGenesis, Town } from "./gov-chain.js";
import { splitBalances } from "./versions.js";
import { send } from "./wallet.js";

const given = 1_000_000n;

describe("at()", () => {
  test("heights before and after the upgrade → each in the layout of its version", () => {
    const town = new Town(govGenesis(), { start: { versions: [V1] } });
    town.good(ALICE, send(ALICE, BOB.address, 5));
    town.process.schedule({ name: "v2", height: 5n });
    town.process.untilHalt();
    town.process = town.chain.start({ handlers: [splitBalances()] });
    town.block();
    town.good(BOB, send(BOB, ALICE.address, 1));
    const { app } = town.process;
    const amounts = [1n, 2n, 4n, 5n, 6n].map((height) => {
      const { stores, version } = app.at(height);
      return [version.number, bankOf(version).balances(stores, BOB.addressBytes)[0]?.amount];
    });
    expect(amounts).toEqual([
      [1n, given],
      [1n, given + 5n],
      [1n, given + 5n],
      [2n, given + 5n],
      [2n, given + 4n],
    ]);
    expect(app.at().height).toBe(6n);
    expect(app.at(0n).height).toBe(6n);
  });

  test("a height that is absent (yet, or any more) → UPG_NOT_FOUND_VERSION that names what is kept", () => {
    const town = new Town(govGenesis(), { versionsKept: 2 });
    town.blocks(9);
    for (const height of [11n, 1n, -1n, 2n ** 63n]) {
      const error = failureOf(() => town.process.app.at(height));
      expect(error).toMatchObject({ code: "UPG_NOT_FOUND_VERSION", kind: { http: 404, grpc: 5 } });
      expect(error.message).toContain("kept are 8 to 10");
    }
  });
});
