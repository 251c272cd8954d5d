/** What CometBFT's output says about a state that is not the network's, and what the operator is given. */
import { describe, expect, test } from "vitest";
import { CometFailures } from "../../../host/abci/comet/failure.js";
import { engineFailed } from "../../../host/abci/comet/halts.js";
import { cometFields, parseCometLine } from "../../../host/abci/comet/log-line.js";
import { haltRecord, withFacts } from "../../../host/upgrade/halt.js";

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
const DISK = `E[2026-11-25|08:01:13.115] CONSENSUS FAILURE!!!                         module=consensus err="failed to write wal: no space left on device"`;

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
    expect(cometFields(plain)).toEqual({ module: "cometbft/state", height: "5", app_hash: "AB", err: 'a "b"' });
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

  test("one validator's wrong proposal → no failure; consensus that stopped for its disk → stopped, with the reason", () => {
    expect(failureIn([PROPOSAL])).toBeUndefined();
    expect(failureIn([DISK])).toMatchObject({ kind: "stopped", why: expect.stringContaining("no space left") });
  });
});

describe("the record of a state that differs", () => {
  const FLAGS = { startFlags: ["--engine", "cometbft"], home: "/srv/chain", time: "" };
  const FACTS = { lastCommittedHeight: 72n, nextHeight: 73n, appHash: new Uint8Array(32), program: "chaind", ...FLAGS };
  const record = (lines: readonly string[], more: Record<string, string>) => {
    const failure = failureIn(lines);
    if (!failure) throw new Error("no failure");
    return haltRecord(withFacts(engineFailed({ nextHeight: () => 73n }, failure), more), FACTS);
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
