/** The log of sidecar, node and CometBFT through an upgrade: one parser reads every line, in both forms; colours on a terminal alone. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type LogEntry, parseLogLine } from "../../host/base/text/log-line.js";
import { launchers } from "../cosmovisor/supervisor.js";
import { DIST, run } from "./chaind.js";
import { cometbft, freePorts, heightOf, quickComet, votedGenesis } from "./cometbft.js";
import { makeHome } from "./prepared-home.js";

vi.setConfig({ testTimeout: 180_000 });

const NONE = "CometBFT is missing here, and cannot be built: Go or its module proxy is missing";
const CHAINVISOR = join(DIST, "chainvisor.js");
const UPGRADE = 4;
const HEIGHT = String(UPGRADE);

let comet: string | undefined;
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-one-log-"));
beforeAll(() => {
  comet = cometbft();
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Supervised {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly port: number;
}

/** A home with both programs, and a script that prints what a program of another project might. */
async function supervised(name: string, more: Readonly<Record<string, string>>): Promise<Supervised> {
  const home = join(root, name);
  makeHome(home, votedGenesis({ name: "v2", height: UPGRADE }));
  const [port = 0, p2p = 0, unused = 0] = await freePorts(3);
  quickComet(home, unused, p2p);
  mkdirSync(join(root, `${name}-bin`));
  const { before, after } = launchers(join(root, `${name}-bin`), join(DIST, "chaind.js"));
  for (const [folder, program] of [
    ["genesis", before],
    ["upgrades/v2", after],
  ] as const) {
    mkdirSync(join(home, "cosmovisor", folder, "bin"), { recursive: true });
    copyFileSync(program, join(home, "cosmovisor", folder, "bin/chaind"));
  }
  const script = `#!/bin/sh\nprintf '\\033[32mgreen\\033[0m\\n'; echo of-stderr >&2\n`;
  writeFileSync(join(home, "cosmovisor/before.sh"), script, { mode: 0o755 });
  const env = {
    ...{ DAEMON_HOME: home, DAEMON_NAME: "chaind", UNSAFE_SKIP_BACKUP: "true", COMETBFT_BIN: comet ?? "" },
    ...{ CHAINVISOR_STATUS_ADDRESS: "127.0.0.1:0", CHAINVISOR_RPC_ADDRESS: `http://127.0.0.1:${port}` },
    ...{ COSMOVISOR_CUSTOM_PREUPGRADE: "before.sh", ...more },
  };
  const servers = ["--grpc.address", "127.0.0.1:0", "--api.address", "tcp://127.0.0.1:0"];
  return {
    env,
    port,
    args: ["run", "start", "--engine", "cometbft", `--rpc.laddr=tcp://127.0.0.1:${port}`, ...servers],
  };
}

/** Runs it through the upgrade, and stops it. */
async function throughUpgrade({ env, args, port }: Supervised, flags: readonly string[]): Promise<string> {
  const visor = run(CHAINVISOR, [...args, ...flags], env);
  while ((await heightOf(port)) < UPGRADE + 2) {
    if (visor.child.exitCode !== null) throw new Error((await visor.end).stderr);
    await sleep(100);
  }
  visor.child.kill("SIGTERM");
  const { exit, stdout, stderr } = await visor.end;
  expect([exit, stdout], stderr).toEqual([0, ""]);
  return stderr;
}

/** Every line, none of which may be left over. */
function entriesOf(log: string): LogEntry[] {
  expect(log).not.toContain("\u001b");
  const lines = log.trimEnd().split("\n");
  expect(lines.filter((line) => !parseLogLine(line))).toEqual([]);
  return lines.map((line) => parseLogLine(line) as LogEntry);
}

describe("the log under chainvisor with CometBFT", () => {
  const SETS = [
    ["plain", {}, []],
    ["json", {}, ["--log_format", "json"]],
    ["json", { CHAINVISOR_LOG_FORMAT: "json" }, []],
    ["plain", { CHAINVISOR_HOT_SWITCH: "true" }, []],
  ] as const;

  for (const [at, [form, env, flags]] of SETS.entries()) {
    test(`${form} by ${JSON.stringify(env)} and [${flags}] → one format`, async (context) => {
      if (!comet) return context.skip(NONE);
      const log = await throughUpgrade(await supervised(`home-${at}`, env), flags);
      const isOtherForm = (line: string) => line !== "" && line.startsWith("{") !== (form === "json");
      expect(log.split("\n").filter(isOtherForm)).toEqual([]);
      const entries = entriesOf(log);
      const messages = (source: string) =>
        entries.filter((each) => each.source === source).map(({ message }) => message);
      expect(new Set(entries.map(({ source }) => source))).toEqual(new Set(["engine", "node", "program", "sidecar"]));
      expect(messages("engine")).toContain("finalized block");
      expect(messages("program")).toEqual(expect.arrayContaining(["green", "of-stderr"]));
      expect(messages("node")).toContain("block committed");
      const isHot = "CHAINVISOR_HOT_SWITCH" in env;
      const switched = isHot
        ? `FinalizeBlock ${HEIGHT} given again`
        : `switched from genesis to v2 at height ${HEIGHT}`;
      expect(messages("sidecar").join("\n")).toContain(switched);
      // The halt at the height is one line, with what halt.json has.
      const coded = entries.filter(({ fields }) => "code" in fields);
      expect(coded).toEqual([expect.objectContaining({ level: "error", source: "node" })]);
      const halt = { code: "UPG_HALT_UPGRADE_NEEDED", height: HEIGHT, plan: "v2", plan_height: HEIGHT };
      expect(coded[0]?.fields).toMatchObject({ ...halt, exit: form === "json" ? 10 : "10" });
      expect(entries.every(({ time }) => Math.abs(Date.parse(time) - Date.now()) < 180_000)).toBe(true);
    });
  }
});

/** What a node that cannot start, under a sidecar on a terminal, writes to it. */
function onTerminal(env: Readonly<Record<string, string>>, flags: readonly string[] = []): string {
  const home = join(root, `terminal-${Object.keys(env).join()}${flags.join()}`);
  makeHome(home, votedGenesis({ name: "v2", height: UPGRADE }));
  mkdirSync(join(home, "cosmovisor/genesis/bin"), { recursive: true });
  const program = join(home, "cosmovisor/genesis/bin/chaind");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(DIST, "chaind.js")}' "$@"\n`, { mode: 0o755 });
  const words = [
    process.execPath,
    CHAINVISOR,
    "run",
    "start",
    "--home",
    home,
    "--max-blocks",
    "1",
    "--block-time",
    "0s",
  ];
  const servers = ["--rpc.enable=false", "--grpc.enable=false", "--api.enable=false", "--app-version", "1", ...flags];
  const { NO_COLOR: _, ...own } = process.env;
  const given = { DAEMON_HOME: home, DAEMON_NAME: "chaind", CHAINVISOR_STATUS_ADDRESS: "127.0.0.1:0", TERM: "xterm" };
  return execFileSync(
    "python3",
    ["-c", "import pty,sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)", ...words, ...servers],
    {
      ...{ env: { ...own, ...given, ...env }, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
    },
  );
}

describe.skipIf(!existsSync("/usr/bin/python3"))("the log on a terminal (needs Python)", () => {
  const RED_OR_GREEN = /\u001b\[3[0-9]m(info |warn |error)\u001b\[0m (sidecar|node {3}) /;

  test("no NO_COLOR → sidecar and node colour the level", () => {
    const lines = onTerminal({}).trimEnd().split("\r\n");
    expect(lines.filter((line) => !RED_OR_GREEN.test(line))).toEqual([]);
    expect(lines.some((line) => line.includes(" node ")) && lines.some((line) => line.includes(" sidecar "))).toBe(
      true,
    );
  });

  test.each([
    [{ NO_COLOR: "1" }, []],
    [{ COSMOVISOR_COLOR_LOGS: "false" }, []],
    [{ CHAINVISOR_LOG_FORMAT: "json" }, []],
  ] as const)("%j → none", (env, flags) => {
    entriesOf(onTerminal(env, flags).replaceAll("\r\n", "\n"));
  });
});
