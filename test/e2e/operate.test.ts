/**
 * docs/operate.md, executed from the packed package in an empty folder: the page's shell blocks are one session of a real
 * shell, in order and word by word. What the page says of exit statuses is compared; the little that is replaced is below.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { COMPILER_VERSION } from "../../host/cli/author/compiler.js";
import { NO_RESTART } from "../../host/visor/decide/program-end.js";
import { freePort } from "./free-port.js";
import { packInto } from "./packed.js";
import { blocksOf, pageText, runSession, sessionOf } from "./page-session.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = pageText("docs/operate.md");
const TEST_MILLIS = 15 * 60_000;
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-operate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Most of the page's time is waiting for heights, so blocks come as fast as commands do on this machine: none may pass while one is
 * typed. A second is what a person has.
 */
function blockTime(): string {
  const millis = [1, 2, 3].map(() => {
    const begun = performance.now();
    execFileSync(process.execPath, [join(ROOT, "dist/chaind.js"), "status", "--help"], { stdio: "ignore" });
    return performance.now() - begun;
  });
  const [, middle = 0] = millis.sort((a, b) => a - b);
  return `${Math.round(Math.min(1_000, Math.max(400, 1.2 * middle)))}ms`;
}

/** The ports of the page may be another's on this machine; settings in the environment leave its words alone. */
async function settings(): Promise<Record<string, string>> {
  const [rpc, rest, grpc, status] = [await freePort(), await freePort(), await freePort(), await freePort()];
  return {
    CHAIND_BLOCK_TIME: blockTime(),
    CHAINVISOR_RPC_ADDRESS: `http://127.0.0.1:${rpc}`,
    CHAINVISOR_STATUS_ADDRESS: `127.0.0.1:${status}`,
    CHAIND_RPC_LADDR: `tcp://127.0.0.1:${rpc}`,
    CHAIND_NODE: `tcp://127.0.0.1:${rpc}`,
    CHAIND_API_ADDRESS: `tcp://127.0.0.1:${rest}`,
    CHAIND_GRPC_ADDRESS: `127.0.0.1:${grpc}`,
  };
}

test(
  "docs/operate.md typed into a shell, from an installed package → every command ends as the page says",
  async () => {
    const quick = "npm install --prefer-offline --no-audit --no-fund";
    const compiler = `--save-exact assemblyscript@${COMPILER_VERSION}`;
    const replaced = new Map([
      ["npm install chain-upgrade", `${quick} ${packInto(folder)}`],
      [`npm install ${compiler}`, `${quick} ${compiler}`],
      ['_period="30s"', '_period="15s"'],
    ]);
    for (const from of replaced.keys()) expect(PAGE).toContain(from);
    const { exit, output } = await runSession(sessionOf(PAGE, replaced), {
      ...{ folder, env: await settings(), millisMax: TEST_MILLIS - 10_000 },
      // A compiler takes ten seconds of CPU in each process; the pages for authors are typed with processes.
      called: ["handler build"],
    });
    const log = () => readFileSync(join(folder, "node.log"), "utf8").slice(-3_000);
    expect(exit, `${output.slice(-6_000)}\n--- node.log\n${exit === 0 ? "" : log()}`).toBe(0);
    expect(output).toContain("== end");
    expect(output).toMatch(/^UPG_HALT_HEIGHT at height \d+$/m);
    // What waits is quiet: the one error of this kind is that of the plan that was skipped.
    expect(output.match(/no upgrade found|integer expression expected/g)).toEqual(["no upgrade found"]);
    for (const plan of ["v2", "v3", "v4"]) {
      expect(readFileSync(join(folder, "node.log"), "utf8")).toMatch(new RegExp(`upgrade applied.* plan=${plan} `));
    }
  },
  TEST_MILLIS,
);

test("the service unit of docs/operate.md → what the command beside it prints; its exit statuses are in docs/errors.md", () => {
  const [unit = ""] = blocksOf(PAGE, "ini");
  const [, command = ""] = /`chainvisor (service [^`]+)` prints the unit file/.exec(PAGE) ?? [];
  const env = { DAEMON_HOME: "/var/lib/chaind", DAEMON_NAME: "chaind", DAEMON_SHUTDOWN_GRACE: "30s" };
  const program = join(ROOT, "dist/chainvisor.js");
  const printed = execFileSync(process.execPath, [program, ...command.split(" ")], { encoding: "utf8", env });
  expect(unit.split("\n").slice(1).join("\n")).toBe(printed);
  const statuses = /^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
  expect(statuses).toEqual(NO_RESTART.map(String));
  const table = readFileSync(join(ROOT, "docs/errors.md"), "utf8");
  for (const status of statuses) expect(table).toContain(`\n| ${status} | `);
});
