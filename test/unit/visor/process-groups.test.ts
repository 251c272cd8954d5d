/** A program that is stopped with the processes that it has started. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { realMachine } from "../../../host/visor/run/real-machine.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-groups-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs a script until its child has begun, then stops it. Returns how long that took, in milliseconds. */
async function stopped(name: string, child: string): Promise<number> {
  const file = join(root, name);
  const begun = join(root, `${name}-begun`);
  const inner = `'${child}; touch ${begun}; while :; do sleep 0.02; done'`;
  writeFileSync(file, `#!/bin/sh\nsh -c ${inner} &\nwait\n`, { mode: 0o755 });
  const stop = new AbortController();
  const options = { args: [], env: { PATH: process.env["PATH"] }, cwd: root, signal: stop.signal };
  const run = realMachine.processes.run(file, options);
  while (!existsSync(begun)) await realMachine.clock.sleep(10);
  const begin = performance.now();
  stop.abort();
  expect((await run).error?.message).toBe("it was stopped");
  return performance.now() - begin;
}

test("the program ends by SIGTERM, and its child needs 0.3 s more → the child ends its work", async () => {
  const done = join(root, "done");
  await stopped("works", `trap "sleep 0.3; touch ${done}; exit 0" TERM`);
  expect(existsSync(done)).toBe(true);
});

test("its child ignores SIGTERM → it is killed after a second", async () => {
  expect(await stopped("ignores", 'trap "" TERM')).toBeGreaterThanOrEqual(950);
});
