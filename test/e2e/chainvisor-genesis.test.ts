/** A home as `init` leaves it, whose genesis document has no validator: said before a start, with a command that helps, and after it. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { shellWord } from "../../host/base/text/shell-word.js";
import { genesisText } from "../scenario/genesis-text.js";
import { DIST } from "./chaind.js";

vi.setConfig({ testTimeout: 120_000 });

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-genesis-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const env = { ...process.env, DAEMON_NAME: "chaind", DAEMON_HOME: home, CHAINVISOR_STATUS_ADDRESS: "" };
const run = (program: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [join(DIST, program), ...args], { env, encoding: "utf8" });
const wrongIn = () =>
  JSON.parse(run("chainvisor.js", "doctor", "-o", "json").stdout).findings.filter(
    ({ level }: { level: string }) => level === "wrong",
  );

test("a new home without a validator → doctor: genesis wrong; after the start, exit 2, status names the same command; with the chain's document nothing is wrong", () => {
  expect(run("chaind.js", "init", "n", "--home", home).status).toBe(0);
  const file = join(home, "cosmovisor/genesis/bin/chaind");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(join(DIST, "chaind.js"))} "$@"\n`);
  chmodSync(file, 0o755);
  const copy = expect.stringMatching(/^cp GENESIS.json .*config\/genesis.json$/);
  const found = { what: "genesis", detail: expect.stringContaining("has no validator"), next: copy };
  expect(wrongIn()).toEqual([expect.objectContaining(found)]);
  const ended = run("chainvisor.js", "run", "start");
  expect([ended.status, ended.stderr]).toEqual([2, expect.not.stringContaining("fails alike")]);
  const { next } = JSON.parse(run("chainvisor.js", "status", "-o", "json").stdout);
  expect(next).toEqual([copy, expect.stringMatching(/ run start$/)]);
  writeFileSync(join(home, "config/genesis.json"), genesisText());
  expect(wrongIn().filter(({ what }: { what: string }) => what === "genesis")).toEqual([]);
});
