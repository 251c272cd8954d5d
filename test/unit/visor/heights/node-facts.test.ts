/** What a home's files say of its node: the store's height, CometBFT's log, or what the sidecar that runs has said. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { nodeFacts } from "../../../../host/visor/decide/heights/node-facts.js";
import { readSettings } from "../../../../host/visor/decide/settings/read.js";
import { TestHome } from "../../../e2e/chaind.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-node-facts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const factsOf = (home: string, sidecar?: Parameters<typeof nodeFacts>[0]["sidecar"]) => {
  const { settings } = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined);
  return nodeFacts({ files: diskFiles, settings, sidecar });
};

describe("nodeFacts()", () => {
  test("a home of this project → the store's height; with a sidecar → its height; where it has none, as without", async () => {
    const { path } = new TestHome().schedule({ name: "v2", height: 9n }, 5n);
    expect(await factsOf(path)).toEqual({ isOurs: true, reached: { height: 5n, source: "store" } });
    const reached = { height: 7n, source: "rpc" } as const;
    expect(await factsOf(path, { reached })).toEqual({ isOurs: true, reached });
    expect(await factsOf(path, { reached: undefined })).toEqual(await factsOf(path));
  });

  test("no database, a log that is none, a database that is none → nothing is known", async () => {
    const data = join(folder, "data");
    mkdirSync(join(data, "cs.wal"), { recursive: true });
    expect(await factsOf(folder)).toEqual({ isOurs: false, reached: undefined });
    writeFileSync(join(data, "cs.wal", "wal"), "no log");
    expect(await factsOf(folder)).toEqual({ isOurs: false, reached: undefined });
    writeFileSync(join(data, "chain.mdb"), "no database");
    expect(await factsOf(folder)).toEqual({ isOurs: true, reached: undefined });
  });
});
