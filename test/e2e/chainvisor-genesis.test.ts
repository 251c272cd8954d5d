/** A home as `init` leaves it, whose genesis document has no validator: said before a start, with a command that helps, and after it. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { shellWord } from "../../host/base/text/shell-word.js";
import { chaindHere, chainvisorHere } from "../in-process.js";
import { genesisText } from "../scenario/genesis-text.js";
import { DIST } from "./chaind.js";

vi.setConfig({ testTimeout: 120_000 });

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-genesis-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const env = { DAEMON_NAME: "chaind", DAEMON_HOME: home, CHAINVISOR_STATUS_ADDRESS: "" };
const chainvisor = (...args: readonly string[]) => chainvisorHere(args, { env });
const wrongIn = async () =>
  JSON.parse((await chainvisor("doctor", "-o", "json")).stdout).findings.filter(
    ({ level }: { level: string }) => level === "wrong",
  );

test("a new home without a validator → doctor: genesis wrong; after the start, exit 2, status names the same command; with the chain's document nothing is wrong", async () => {
  expect((await chaindHere(["init", "n", "--home", home])).status).toBe(0);
  const file = join(home, "cosmovisor/genesis/bin/chaind");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(join(DIST, "chaind.js"))} "$@"\n`);
  chmodSync(file, 0o755);
  const copy = expect.stringMatching(/^cp GENESIS.json .*config\/genesis.json$/);
  const found = { what: "genesis", detail: expect.stringContaining("has no validator"), next: copy };
  expect(await wrongIn()).toEqual([expect.objectContaining(found)]);
  const ended = spawnSync(process.execPath, [join(DIST, "chainvisor.js"), "run", "start"], {
    ...{ env: { ...process.env, ...env }, encoding: "utf8" },
  });
  expect([ended.status, ended.stderr]).toEqual([2, expect.not.stringContaining("fails alike")]);
  const { next } = JSON.parse((await chainvisor("status", "-o", "json")).stdout);
  expect(next).toEqual([copy, expect.stringMatching(/ run start$/)]);
  writeFileSync(join(home, "config/genesis.json"), genesisText());
  expect((await wrongIn()).filter(({ what }: { what: string }) => what === "genesis")).toEqual([]);
});
