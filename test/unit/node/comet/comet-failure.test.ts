/** What CometBFT's output says about a state that is not the network's, and what the operator is given. */
import { describe, expect, test } from "vitest";
import type { UpgradeError } from "../../../../host/base/errors/errors.js";
import { CometFailures } from "../../../../host/node/comet/engine/failure.js";
import { engineEnded, engineFailed } from "../../../../host/node/comet/engine/halts.js";
import { cometFields, parseCometLine } from "../../../../host/node/comet/engine/log-line.js";
import { haltRecord, withFacts } from "../../../../host/upgrade/module/halt.js";

const OWN = "6AEF00";
const NETWORK = "A03711";
const BLOCK_SYNC = `E[2026-11-25|08:01:13.115] Error in validation                          module=blocksync err="wrong Block.Header.Version. Expected {11 1}, got {11 2}"`;
const CONSENSUS = `E[2026-11-25|08:01:13.115] CONSENSUS FAILURE!!!                         module=consensus err="+2/3 committed an invalid block: wrong Block.Header.AppHash.  Expected ${OWN}, got ${NETWORK}" stack="goroutine 1 [running]:\\nmain"`;
const PROPOSAL = `E[2026-11-25|08:01:13.115] prevote step: consensus deems this block invalid; prevoting nil module=consensus height=5 round=0 err="wrong Block.Header.AppHash.  Expected ${OWN}, got ${NETWORK}"`;
const REPLAY = [
  `panic: block.AppHash does not match AppHash after replay. Got ${OWN}, expected ${NETWORK}.`,
  "",
  "Block: Block{",
];
const RECORD = ["panic: state.AppHash does not match AppHash after replay. Got", `\t${OWN}, expected ${NETWORK}.`];
const consensus = (err: string) =>
  `E[2026-11-25|08:01:13.115] CONSENSUS FAILURE!!!                         module=consensus err="${err}"`;
const WAL = "/srv/chain/data/cs.wal/wal";
const BLOCKS = "/mnt/blocks/blockstore.db/000001.log";

function failureIn(lines: readonly string[]) {
  const failures = new CometFailures();
  return lines.map((line) => failures.take(parseCometLine(line))).find((found) => found !== undefined);
}

describe("parseCometLine()", () => {
  test("plain and JSON form → the same level, message and fields", () => {
    const plain = parseCometLine(
      'I[2026-11-25|08:01:13.115] Executed block       module=state height=5 app_hash=AB err="a \\"b\\""',
    );
    const json = parseCometLine(
      '{"_msg":"Executed block","level":"info","module":"state","height":5,"app_hash":"AB","err":"a \\"b\\"","ts":"2026"}',
    );
    expect(plain).toEqual(json);
    expect(cometFields(plain)).toEqual({
      source: "engine",
      module: "state",
      height: "5",
      app_hash: "AB",
      err: 'a "b"',
    });
  });

  test("a line of a panic → an error, as it is", () => {
    expect(parseCometLine("goroutine 1 [running]:")).toMatchObject({ level: "error", isLogged: false });
  });
});

describe("CometFailures", () => {
  test.each([
    [
      "block sync, other version",
      [BLOCK_SYNC],
      { field: "Version", own: "{11 1}", expected: "{11 2}", found: "network" },
    ],
    ["consensus, other app hash", [CONSENSUS], { field: "AppHash", own: OWN, expected: NETWORK, found: "network" }],
    ["a block after a replay", REPLAY, { field: "AppHash", own: OWN, expected: NETWORK, found: "replay" }],
    ["CometBFT's record after a replay", RECORD, { field: "AppHash", own: OWN, expected: NETWORK, found: "record" }],
  ])("%s → diverged, with both values", (_what, lines, divergence) => {
    expect(failureIn(lines)).toEqual({ kind: "diverged", divergence });
  });

  test("one validator's wrong proposal → no failure; consensus that stopped for another reason → stopped, with the reason", () => {
    expect(failureIn([PROPOSAL])).toBeUndefined();
    const why = "runtime error: index out of range";
    expect(failureIn([consensus(why)])).toEqual({ kind: "stopped", why });
  });

  test.each([
    [
      `failed to write {[Vote\\n]} msg to consensus WAL due to write ${WAL}: no space left on device; check`,
      WAL,
      "no space left on device",
    ],
    [
      `error writing batch to DB: (base 1, height 6): write ${BLOCKS}: disk quota exceeded`,
      BLOCKS,
      "disk quota exceeded",
    ],
    ["cannot flush: no space left on device", undefined, "no space left on device"],
  ])("consensus that stopped for a full disk: %s → full, with the file", (reason, file, words) => {
    const why = file === undefined ? words : `write ${file}: ${words}`;
    expect(failureIn([consensus(reason)])).toEqual({ kind: "full", why, file });
  });

  test("last words outside the log about a full disk → kept for the exit; a full disk that is only logged → not", () => {
    const after = (...lines: readonly string[]) => {
      const failures = new CometFailures();
      for (const line of lines) expect(failures.take(parseCometLine(line))).toBeUndefined();
      return failures.fullDisk;
    };
    const start = `ERROR: failed to create node: failed to initialize database: mkdir ${BLOCKS}: no space left on device`;
    expect(after(start)).toEqual({ why: `mkdir ${BLOCKS}: no space left on device`, file: BLOCKS });
    const copied = `write ${WAL}.CORRUPTED: copy_file_range: no space left on device`;
    expect(after(`ERROR: failed to start node: ${copied}`)).toEqual({ why: copied, file: `${WAL}.CORRUPTED` });
    const logged = `E[2026-11-25|08:01:13.115] Error flushin to disk    module=consensus err="write ${WAL}: no space left on device"`;
    expect(after(logged)).toBeUndefined();
  });
});

describe("the record of a state that differs", () => {
  const FLAGS = { startFlags: ["--engine", "cometbft"], home: "/srv/chain", time: "" };
  const FACTS = { lastCommittedHeight: 72n, nextHeight: 73n, appHash: new Uint8Array(32), program: "chaind", ...FLAGS };
  const record = (lines: readonly string[], more: Record<string, string>) => {
    const failure = failureIn(lines);
    if (!failure) throw new Error("no failure");
    const facts = { nextHeight: () => 73n, databases: "/srv/chain/data" };
    return haltRecord(withFacts(engineFailed(facts, failure), more), FACTS);
  };

  test("skipped alone, found in a block of the network → block, both values, the plan; CometBFT goes back too", () => {
    const { code, cause, message, next, commands } = record([CONSENSUS], { skipped_plan: "v2" });
    expect({ code, cause }).toEqual({ code: "UPG_HALT_DIVERGED", cause: "local" });
    expect(message).toMatch(
      /block 73 .*A03711.*6AEF00 after block 72\. This node skipped "v2" at 72; the network did not$/,
    );
    expect(commands.slice(0, 2)).toEqual([
      "chaind comet rollback --home /srv/chain",
      "chaind start --home /srv/chain --engine cometbft",
    ]);
    expect(next).toContain("without --unsafe-skip-upgrades");
  });

  test("found after a replay → the application alone goes back", () => {
    expect(record(REPLAY, { skipped_plan: "v2" }).commands[0]).toBe("chaind rollback --to 71 --yes --home /srv/chain");
  });

  test("applied, or no plan → no word of a skip", () => {
    expect(record([CONSENSUS], { applied_plan: "v2" }).message).toContain('applied "v2" at 72');
    expect(record([CONSENSUS], {}).message).not.toContain("This node skipped");
  });
});

describe("the record of a full disk that CometBFT met", () => {
  const facts = { nextHeight: () => 73n, isRestored: () => false, databases: "/mnt/blocks" };
  const END = { code: 1, signal: null, error: undefined };
  const recordOf = (error: UpgradeError) =>
    haltRecord(error, {
      ...{ lastCommittedHeight: 72n, nextHeight: 73n, appHash: new Uint8Array(32), program: "chaind", time: "" },
      ...{ home: "/srv/chain", startFlags: ["--engine", "cometbft"] },
    });

  test.each([
    ["of its own", { why: `write ${BLOCKS}: no space left on device`, file: BLOCKS }, "/mnt/blocks/blockstore.db"],
    ["of the home", { why: `write ${WAL}: no space left on device`, file: WAL }, "/srv/chain/data/cs.wal"],
    [
      "of a file that it does not name",
      { why: "no space left on device", file: undefined },
      "/mnt/blocks/blockstore.db",
    ],
  ])(
    "on a disk %s, while it runs and at its start → UPG_STORE_FULL, height, reason, df of that disk",
    (_what, full, folder) => {
      const running = recordOf(engineFailed(facts, { kind: "full", ...full }));
      const starting = recordOf(engineEnded(facts, { ...END, fullDisk: full }));
      for (const { code, cause, height, message, commands } of [running, starting]) {
        expect({ code, cause, height }).toEqual({ code: "UPG_STORE_FULL", cause: "local", height: "73" });
        expect(message).toContain(`${full.why}; make room and start again`);
        expect(commands).toEqual([`df -h ${folder}`, "chaind start --home /srv/chain --engine cometbft"]);
      }
      expect(running.message).toMatch(/^CometBFT stopped making blocks at height 73 /);
      expect(starting.message).toMatch(/^CometBFT exited \(exit status 1\): no space is left on its disk/);
    },
  );

  test("it exits without a word of a full disk → UPG_HALT_ENGINE", () => {
    expect(recordOf(engineEnded(facts, { ...END, fullDisk: undefined })).code).toBe("UPG_HALT_ENGINE");
  });
});
