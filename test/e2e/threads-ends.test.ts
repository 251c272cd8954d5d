/** Ends of an engine's thread that it does not choose: a handler that never comes to its end, and a crash. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { endlessHandler } from "../guest/build.js";
import { chaindHere } from "../in-process.js";
import { DIST, loggedHalt, run, TestHome } from "./chaind.js";

vi.setConfig({ testTimeout: 240_000 });

/** Signals that arrive sooner after the first one are the same request. */
const SECOND_REQUEST_MILLIS = 600;
const HEIGHT = 5n;

/** What `chaind query upgrade progress` prints of the block that never ends. */
async function checkProgress(home: TestHome): Promise<void> {
  const { rpc } = JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as { rpc: string };
  const ask = async (format: string) => {
    const words = ["query", "upgrade", "progress", "-o", format, "--node", rpc];
    const { status, stdout, stderr } = await chaindHere(words);
    expect(status, stderr).toBe(0);
    return stdout;
  };
  const { progress } = JSON.parse(await ask("json")) as { progress?: Record<string, string> };
  expect(progress).toMatchObject({ plan: "v2", height: String(HEIGHT), phase: expect.stringMatching(/^[a-z]+$/) });
  expect(Number(progress?.["elapsed_ms"])).toBeGreaterThan(0);
  const sentence = /^upgrade v2 in block 5: [a-z]+ of store auth, 0 of [1-9][0-9]* \(0 %\); [0-9.]+ s since it began$/m;
  expect(await ask("text")).toMatch(sentence);
}

test("a handler that loops for ever, SIGTERM twice → 15, nothing of its block is kept; with the right handler the home goes on", async () => {
  const home = new TestHome().schedule({ name: "v2", height: HEIGHT }, HEIGHT - 1n);
  const folder = join(home.path, "tried");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "handler.wasm"), endlessHandler());
  const before = home.last;
  const node = home.start("--handlers", folder, "--rpc.enable=true", "--rpc.laddr", "tcp://127.0.0.1:0");
  await node.says("applying upgrade");
  await node.says("upgrade in progress");
  await checkProgress(home);
  node.child.kill("SIGTERM");
  await node.says(`finishing block ${HEIGHT}, then stopping`);
  await sleep(SECOND_REQUEST_MILLIS);
  node.child.kill("SIGTERM");
  const { exit, stderr } = await node.end;
  expect(exit, stderr).toBe(15);
  expect(stderr).toContain("ends the node at once");
  expect(home.last).toEqual(before);
  expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
  expect(home.last.height).toBe(String(HEIGHT));
});

/** Loaded into every thread of the process: the engine's ends after a while as by a bug of its own. */
const CRASH = `import { isMainThread } from "node:worker_threads";
if (!isMainThread) setTimeout(() => { throw new Error("a crash of this test"); }, 1_500);`;

test("the engine's thread crashes → 70, halt.json, no server goes on; the home starts again", async () => {
  const home = new TestHome();
  const hook = join(home.path, "crash.mjs");
  writeFileSync(hook, CRASH);
  const flags = ["--rpc.laddr", "tcp://127.0.0.1:0", "--grpc.enable=false", "--api.enable=false"];
  const start = ["start", "--home", home.path, "--log_format", "json", "--app-version", "1", "--block-time", "50ms"];
  const node = run(join(DIST, "chaind.js"), [...start, ...flags], { NODE_OPTIONS: `--import ${hook}` });
  const end = await node.end;
  expect(end.exit, end.stderr).toBe(70);
  expect(end.stderr).toContain("a crash of this test");
  const code = "UPG_BUG_ASSERT";
  expect(loggedHalt(end)).toMatchObject({ code });
  expect(home.haltRecord).toMatchObject({ code, last_committed_height: home.last.height });
  expect((await home.startHere("--app-version", "1", "--max-blocks", "2")).exit).toBe(0);
});
