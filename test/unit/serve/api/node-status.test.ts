/** The phase that a node's status names, and the progress in it. */
import { expect, test } from "vitest";
import { NodeStatus } from "../../../../host/serve/api/rest/node-status.js";
import type { Query } from "../../../../host/serve/query/query.js";
import type { ServedHalt } from "../../../../host/upgrade/module/halt-served.js";

const PROGRESS = {
  ...{ plan: "v2", height: 20n, phase: "trees", store: "bank", done: 50, total: 200, rate: 12.4 },
  ...{ secondsLeft: 11.2, secondsElapsed: 4.4 },
};
const STAGES = [
  { phase: "scan", store: "auth", done: 100, total: 100 },
  { phase: "trees", store: "bank", done: 50, total: 200 },
];

interface Scene {
  readonly height?: bigint;
  readonly isMigrating?: boolean;
  readonly halt?: string;
}

function statusOf({ height, isMigrating = false, halt }: Scene): Promise<object> {
  const at = (each: bigint) => ({
    header: { height: each, time: { seconds: 1_000n + 5n * each, nanos: 500_000_000 } },
  });
  const node = {
    ...{ chainId: "here-1", lastHeight: height, at, earliest: () => at(1n) },
    progress: () => (isMigrating ? PROGRESS : undefined),
    timeOf: (each: bigint) => at(each).header.time,
  };
  const app = {
    at: () => ({ stores: { store: () => undefined } }),
    keeper: { plan: () => undefined, lastDone: () => ({ name: "v1", height: 7n }) },
  };
  const query = { node, app, method: () => undefined } as unknown as Query;
  const record = halt === undefined ? undefined : ({ code: halt } as ServedHalt);
  return new NodeStatus(query, { handlerState: () => "ready", halt: () => record, stages: () => STAGES }).json();
}

test("no block yet → running at height 0, with neither time nor pace", async () => {
  expect(await statusOf({})).toMatchObject({
    ...{ chain_id: "here-1", phase: "running", height: "0", block_time: null, block_seconds: [], plan: null },
  });
});

test("the block of an upgrade → migrating, each step with done and total", async () => {
  expect(await statusOf({ height: 19n, isMigrating: true })).toMatchObject({
    phase: "migrating",
    block_seconds: [{ blocks: "17", seconds: "5.000" }],
    last_upgrade: { name: "v1", height: "7" },
    progress: {
      ...{ plan: "v2", height: "20", phase: "trees", store: "bank", done: 50, total: 200, rate: 12 },
      ...{ seconds_left: 12, seconds_elapsed: 4, stages: STAGES },
    },
  });
});

test("a halt → halted; another end → failed, whatever is under way", async () => {
  expect(await statusOf({ height: 19n, halt: "UPG_HALT_UPGRADE_NEEDED" })).toMatchObject({ phase: "halted" });
  const failed = await statusOf({ height: 19n, halt: "UPG_MIGRATION_TRAP", isMigrating: true });
  expect(failed).toMatchObject({ phase: "failed", halt: { code: "UPG_MIGRATION_TRAP" } });
});
