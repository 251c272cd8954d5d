/** docs/run-a-network.md, executed: from nothing to four validators and an upgrade. The program is the one that is built here. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DIST } from "./chaind.js";
import { cometbft, freePorts } from "./cometbft.js";
import { pageText, runSession, sessionOf } from "./page-session.js";

const NONE = "CometBFT is missing here, and cannot be built: Go or its module proxy is missing";
const TEST_MILLIS = 6 * 60_000;
const PAGE = pageText("docs/run-a-network.md");

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-run-a-network-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
let comet: string | undefined;
beforeAll(() => {
  comet = cometbft();
}, 300_000);

test(
  "docs/run-a-network.md typed into a shell → four validators upgrade at one height, every command ends as the page says",
  async (context) => {
    if (!comet) return context.skip(NONE);
    mkdirSync(join(folder, "bin"));
    symlinkSync(join(DIST, "chaind.js"), join(folder, "bin/chaind"));
    const [p2p, rpc, syncedP2p, syncedRpc] = await freePorts(4);
    const replaced = new Map([
      ["npm install chain-upgrade\n", ""],
      ["go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.25\n", ""],
      ["36656", String(p2p)],
      ["36657", String(rpc)],
      ["46656", String(syncedP2p)],
      ["46657", String(syncedRpc)],
    ]);
    for (const from of replaced.keys()) expect(PAGE).toContain(from);
    const env = {
      PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`,
      COMETBFT_BIN: comet,
    };
    const script = sessionOf(PAGE, replaced);
    const { exit, output } = await runSession(script, { folder, env, millisMax: TEST_MILLIS - 10_000 });
    const log = exit === 0 ? "" : readFileSync(join(folder, "net.log"), "utf8").slice(-3_000);
    expect(exit, `${output.slice(-2_500)}\n--- net.log\n${log}`).toBe(0);
    expect(output).toContain("== end");
    expect(output).toContain("moniker: five");
    expect(output.match(/UPG_HALT_UPGRADE_NEEDED at height \d+/g)).toHaveLength(4);
    expectOneAppHash(
      readFileSync(join(folder, "net.log"), "utf8"),
      Number(/v2 applied at height (\d+)/.exec(output)?.[1]),
    );
  },
  TEST_MILLIS,
);

/** Every node had every block, with one app hash at each height, up to 20 blocks after the upgrade. */
function expectOneAppHash(log: string, upgrade: number): void {
  const hashes = new Map<number, string[]>();
  for (const [, height = "", hash = ""] of log.matchAll(/^node\d +block (\d+) +app hash ([0-9A-F]{64})$/gm)) {
    hashes.set(Number(height), [...(hashes.get(Number(height)) ?? []), hash]);
  }
  expect(upgrade).toBeGreaterThan(2);
  for (let height = 1; height <= upgrade + 20; height++) {
    const found = hashes.get(height) ?? [];
    expect(found, `height ${height}`).toHaveLength(4);
    expect(new Set(found).size, `height ${height}`).toBe(1);
  }
  expect(hashes.get(upgrade)).not.toEqual(hashes.get(upgrade - 1));
}
