/** What an operator reads after a node has ended: plan, handler, and commands to paste, for every code. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { ERROR_KINDS, type ErrorCode, UpgradeError } from "../../../../host/base/errors/errors.js";
import { shellWord } from "../../../../host/base/text/shell-word.js";
import { failureOf, Halt, haltRecord } from "../../../../host/upgrade/module/halt.js";

const RECORDED_FROM = 10;
const CODES = (Object.keys(ERROR_KINDS) as ErrorCode[]).filter((code) => ERROR_KINDS[code].exit >= RECORDED_FROM);
/** No command of this program leads out. */
const OTHER_PROGRAM: readonly ErrorCode[] = [
  "UPG_HALT_HANDLER_MISSING",
  "UPG_STORE_UPGRADE",
  "UPG_STORE_VERSION_MISMATCH",
];
const HOME = "/srv/it's a chain";
const PLAN = { name: "v3", height: 364n, info: '{"binaries":{}}' };
const HANDLER = { file: `${HOME}/handlers/v3.wasm`, hash: "ab".repeat(32) };
const FACTS = { lastCommittedHeight: 363n, nextHeight: 364n, appHash: new Uint8Array(32), time: "", home: HOME };

const inBlock = (code: ErrorCode, details: Record<string, string> = {}) =>
  haltRecord(failureOf(new UpgradeError(code, "no", { details }), PLAN, HANDLER) as UpgradeError, FACTS);

/** The words that a shell makes of a command. */
function words(command: string): string[] {
  const { stdout, status, stderr } = spawnSync("sh", [
    "-c",
    `set -- ${command.replaceAll(/&&|\|/g, "")}; printf '%s\\0' "$@"`,
  ]);
  expect(status, String(stderr)).toBe(0);
  return String(stdout).split("\0").slice(0, -1);
}

describe("haltRecord() of a failure in the upgrade block", () => {
  test.each(CODES)("%s → plan, handler, and commands that a shell takes, with the real home", (code) => {
    const record = inBlock(code);
    expect(record.plan).toEqual({ name: "v3", height: "364", info: PLAN.info });
    expect(record.handler).toEqual({ file: HANDLER.file, sha256: HANDLER.hash });
    expect(record.next).not.toMatch(/<|undefined/);
    expect(record.commands.length > 0).toBe(!OTHER_PROGRAM.includes(code));
    for (const command of record.commands) {
      expect(record.next).toContain(`\`${command}\``);
      const [program] = words(command);
      expect(["chaind", "rm", "df", "dmesg", "mkdir", "sha256sum"]).toContain(program);
    }
    const starts = record.commands
      .map(words)
      .filter(([program, verb]) => program === "chaind" && (verb === "start" || verb === "relay"));
    expect(starts.length > 0).toBe(!OTHER_PROGRAM.includes(code));
    for (const start of starts) expect(start.slice(2, 4)).toEqual(["--home", HOME]);
  });

  test.each(CODES.filter((code) => ERROR_KINDS[code].exit === 20))(
    "%s → try it, start, or skip this height",
    (code) => {
      expect(inBlock(code).commands.map(words)).toEqual([
        ["chaind", "handler", "run", HANDLER.file, "--state", HOME],
        ["chaind", "start", "--home", HOME],
        ["chaind", "start", "--home", HOME, "--unsafe-skip-upgrades", "364"],
      ]);
    },
  );

  test("exit 30 without a step of its own → the disk and the kernel's log first, then start; no other handler", () => {
    const record = inBlock("UPG_STORE_IO");
    expect(record.next).toMatch(/Look at the disk and at the message .* nothing on this home needs repair for it/);
    expect(record.commands.map(words)).toEqual([
      ["dmesg", "tail"],
      ["chaind", "start", "--home", HOME],
    ]);
  });

  test("a function of the program → no handler, no command that needs its file", () => {
    const record = haltRecord(
      failureOf(new UpgradeError("UPG_MIGRATION_FAILED", "no"), PLAN, undefined) as UpgradeError,
      FACTS,
    );
    expect(record.handler).toBeNull();
    expect(record.commands.map((command) => words(command)[1])).toEqual(["start", "start"]);
  });

  test("bytes that came from no file → the hash alone", () => {
    const failure = failureOf(new UpgradeError("UPG_MIGRATION_FAILED", "no"), PLAN, { hash: HANDLER.hash });
    expect(haltRecord(failure as UpgradeError, FACTS).handler).toEqual({ file: null, sha256: HANDLER.hash });
  });

  test("the plan pins another file → its hash is in the words", () => {
    const { next, commands } = inBlock("UPG_HANDLER_HASH", { pinned_sha256: "cd".repeat(32) });
    expect(next).toContain("cd".repeat(32));
    expect(words(commands[0] ?? "")).toEqual(["sha256sum", HANDLER.file]);
  });

  test("two files for one plan → either can go", () => {
    const { commands } = inBlock("UPG_HANDLER_DUPLICATE", { file: "/a/x.wasm", other: "/b/y z.wasm" });
    expect(commands.slice(0, 2).map(words)).toEqual([
      ["rm", "/a/x.wasm"],
      ["rm", "/b/y z.wasm"],
    ]);
  });

  test("a file of the home beside the program's own handler, which may be a function → the home's goes", () => {
    const file = `${HOME}/handlers/v3.wasm`;
    for (const details of [{ file, other: "/opt/chain/handlers/v3.wasm" }, { other: file }, { file }]) {
      const { commands, next } = inBlock("UPG_HANDLER_DUPLICATE", details);
      expect(commands.map(words)).toEqual([
        ["rm", file],
        ["chaind", "start", "--home", HOME],
      ]);
      expect(next).toContain("The program has a handler for this plan itself");
    }
  });

  test("a file that is no handler → check it, or take it away", () => {
    const error = new UpgradeError("UPG_HANDLER_FORMAT", "no", { details: { file: "/a/x.wasm" } });
    const record = haltRecord(error, FACTS);
    expect(record.plan).toBeNull();
    expect(record.commands.slice(0, 2)).toEqual(["chaind handler check /a/x.wasm", "rm /a/x.wasm"]);
  });
});

describe("haltRecord() of a halt", () => {
  const halted = (...args: ConstructorParameters<typeof Halt>) => haltRecord(new Halt(...args), FACTS);

  test("an upgrade is needed → the version that has the handler; a file where it is no second one for that version", () => {
    const { next, commands } = halted("UPG_HALT_UPGRADE_NEEDED", "", 300n, PLAN);
    expect(commands.map(words)).toEqual([["chaind", "start", "--home", HOME]]);
    expect(next).toMatch(
      /^Start the version that has the handler .* came as a file, put it into .*\/handlers\/staged before/,
    );
  });

  test("an upgrade whose plan pins a handler is needed → the command that stages the file comes first; what is staged in its place", () => {
    const pinned = "ab".repeat(32);
    const found = 'the staged file /h/v3.wasm is for the plan "v2" (sha256 cd)';
    const { next, commands } = halted("UPG_HALT_UPGRADE_NEEDED", "", 300n, PLAN, {
      ...{ pinned_sha256: pinned, other_handlers: found },
    });
    const staged = `${HOME}/handlers/staged`;
    expect(words(commands[0] ?? "")).toEqual(["mkdir", "-p", staged, "cp", "FILE.wasm", `${staged}/`]);
    expect(words(commands[1] ?? "")).toEqual(["chaind", "start", "--home", HOME]);
    expect(next).toContain(`SHA-256 ${pinned}`);
    expect(next).toContain(`Found instead: ${found}.`);
  });

  test("CometBFT ended → its log; where another process has its database open, that process", () => {
    const again = ["chaind", "start", "--home", HOME, "--engine", "cometbft"];
    const flags = { ...FACTS, startFlags: ["--engine", "cometbft"] };
    const plain = haltRecord(new Halt("UPG_HALT_ENGINE", "", 300n), flags);
    expect([plain.commands.map(words), plain.next]).toEqual([[again], expect.stringContaining("another CometBFT")]);
    const held = haltRecord(new Halt("UPG_HALT_ENGINE", "", 300n, undefined, { holder: "4711" }), flags);
    expect(held.commands.map(words)).toEqual([["ps", "-fp", "4711"], ["kill", "4711"], again]);
    const restored = haltRecord(new Halt("UPG_HALT_ENGINE", "", 300n, undefined, { restored: "true" }), flags);
    expect(restored.commands.map(words)).toEqual([expect.arrayContaining(["rm", "-r"]), again]);
    expect(restored.commands[0]).not.toContain("priv_validator_state");
  });

  test("a database that lacks signed blocks: data of before is beside it → put in its place, then start as it was started", () => {
    const kept_data = `${HOME}/data-before-rollback-1`;
    const error = new UpgradeError("UPG_STORE_SIGNED", "", { details: { kept_data, signed_height: "44" } });
    const { commands } = haltRecord(error, { ...FACTS, startCommand: "chainvisor run start" });
    const data = `${HOME}/data`;
    const moves = ["mv", data, `${kept_data}.old`, "mv", kept_data, data];
    expect(words(commands[0] ?? "")).toEqual(moves);
    expect(commands[1]).toBe("chainvisor run start");
    expect(haltRecord(new UpgradeError("UPG_STORE_SIGNED", ""), FACTS).commands).toHaveLength(1);
    const held = new UpgradeError("UPG_STORE_SIGNED", "", { details: { holder: "4711" } });
    const { next, commands: first } = haltRecord(held, FACTS);
    expect(next).toMatch(/^Process 4711 has files of this home open/);
    expect(first[0]).toBe("ps -fp 4711");
  });

  test("too early, by a file of the home → staged", () => {
    const details = { handler_file: HANDLER.file, handler_sha256: HANDLER.hash, app_version: "2" };
    const { commands, handler, height } = halted("UPG_HALT_BINARY_TOO_EARLY", "", 300n, PLAN, details);
    expect(height).toBe("300");
    expect(handler).toEqual({ file: HANDLER.file, sha256: HANDLER.hash });
    const staged = `${HOME}/handlers/staged`;
    expect(words(commands[0] ?? "")).toEqual(["mkdir", "-p", staged, "mv", HANDLER.file, `${staged}/`]);
  });

  test("too early, by the program → it can run as the old version", () => {
    const { commands } = halted("UPG_HALT_BINARY_TOO_EARLY", "", 300n, PLAN, { app_version: "2" });
    expect(commands.map(words)).toEqual([["chaind", "start", "--home", HOME, "--app-version", "2"]]);
  });

  test("too early, and the genesis document names no version → words alone: every start of this program ends the same way", () => {
    const error = new Halt("UPG_HALT_BINARY_TOO_EARLY", "", 300n, PLAN, { app_version: "0" });
    for (const starts of [{}, { startCommand: "chainvisor run start", serviceCommand: "systemctl start chaind" }]) {
      const { commands, next } = haltRecord(error, { ...FACTS, ...starts });
      expect(commands).toEqual([]);
      expect(next).toBe(
        'This version comes too early at height 300. Until the chain halts for "v3", run the version that ran before.',
      );
    }
  });

  test("too early, under a sidecar that has switched → the program before the switch, and no flag of the old version", () => {
    const error = new Halt("UPG_HALT_BINARY_TOO_EARLY", "", 300n, PLAN, { app_version: "2" });
    const rollbackCommand = "chainvisor --home /h --name chaind rollback --program-only";
    const { commands } = haltRecord(error, { ...FACTS, startCommand: "chainvisor run start", rollbackCommand });
    expect(commands).toEqual([rollbackCommand, "chainvisor run start"]);
  });

  test("too old → the name of the last upgrade, and where its file goes", () => {
    const { next } = halted("UPG_HALT_HANDLER_MISSING", "", 400n, undefined, { last_upgrade: "v3" });
    expect(next).toContain('put the handler\'s file of "v3" back into');
  });

  test("a plan of state is named where the error names none", () => {
    const error = new UpgradeError("UPG_STORE_FULL", "no");
    expect(haltRecord(error, { ...FACTS, duePlan: PLAN }).plan?.name).toBe("v3");
    expect(haltRecord(error, FACTS).plan).toBeNull();
  });

  test("no home is known → the command says so, and a shell takes it", () => {
    const { home: _, ...facts } = FACTS;
    const { commands } = haltRecord(new Halt("UPG_HALT_HEIGHT", "", 5n), facts);
    expect(words(commands[0] ?? "")).toEqual(["chaind", "start", "--home", "<home>"]);
  });
});

test.each(["a", "a b", "it's", "$(rm x)", "`x`", "", "-", "a\nb", "漢"])(
  "shellWord(%j) → a shell reads the same",
  (text) => {
    expect(words(`x ${shellWord(text)}`)).toEqual(["x", text]);
  },
);
