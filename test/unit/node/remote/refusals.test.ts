/** Errors of CometBFT 0.38, in its own words → our codes. */
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../../../host/base/errors/errors.js";
import { named } from "../../../../host/node/remote/refusals.js";

const refused = (message: string) => new UpgradeError("UPG_REMOTE_REFUSED", message);

describe("named()", () => {
  test.each([
    ["Tx too large. Max size is 1048576, but got 2000000", "UPG_TX_TOO_LARGE"],
    ["tx pre check: tx size is too big: 200100, max: 199000", "UPG_TX_TOO_LARGE"],
    ["tx already exists in cache", "UPG_TX_IN_MEMPOOL"],
    ["mempool is full: number of txs 5000 (max: 5000), total txs bytes 1 (max: 2)", "UPG_TX_MEMPOOL_FULL"],
    ["height 999 must be less than or equal to the current blockchain height 5", "UPG_NOT_FOUND_BLOCK"],
    ["height 1 is not available, lowest height is 3", "UPG_NOT_FOUND_BLOCK"],
    ["tx (0AF3) not found, err: %!w(<nil>)", "UPG_NOT_FOUND_TX"],
    ["disk", "UPG_REMOTE_REFUSED"],
  ])("%s → %s", (said, code) => {
    const message = `broadcast_tx_sync: Internal error: ${said}`;
    expect(named(refused(message))).toMatchObject({ code, message });
  });

  test("an error that has a code already, and one that is not ours → unchanged", () => {
    for (const error of [new UpgradeError("UPG_REMOTE_UNAVAILABLE", "mempool is full"), new Error("mempool is full")])
      expect(named(error)).toBe(error);
  });
});
