/** When the page collects evidence again. */
import { expect, test } from "vitest";
import type { Checked } from "../../../web/messages.js";
import { eventOf } from "../../../web/recheck-event.js";
import type { ChainStatus } from "../../../web/status.js";

const status = (height: bigint, upgrade?: bigint) =>
  ({
    ...{ phase: "running", chainId: "c", height, time: 0, progress: [], blockTimes: [] },
    ...{ secondsLeft: undefined, proposal: undefined, plan: undefined, halt: undefined },
    last: upgrade === undefined ? undefined : { name: "v2", height: upgrade },
  }) as ChainStatus;
// Only what eventOf() reads of it.
const checkedAt = (height: bigint) => ({ kind: "checked", chainId: "c", height, claims: [] }) as unknown as Checked;
const event = (height: bigint, upgrade: bigint | undefined, checked: bigint) =>
  eventOf(status(height, upgrade), checkedAt(checked), true);

test("evidence from before the last upgrade → each block is an event, until the state after the upgrade is shown", () => {
  expect(event(9n, 8n, 7n)).not.toBe(event(8n, 8n, 7n));
  expect(event(10n, 8n, 7n)).not.toBe(event(9n, 8n, 7n));
  expect(event(10n, 8n, 8n)).toBe(event(9n, 8n, 8n));
});

test("a block more, without an upgrade → no event; an upgrade that was applied → one", () => {
  expect(event(10n, undefined, 8n)).toBe(event(9n, undefined, 8n));
  expect(event(10n, 9n, 9n)).not.toBe(event(10n, 8n, 9n));
});
