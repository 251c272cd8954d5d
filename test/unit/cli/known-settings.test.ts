/** Names in app.toml: those that `start` reads, those of the Cosmos SDK, and mistakes in typing. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Cobra } from "../../../host/base/terminal/cobra.js";
import { requireKnownSettings, settingFlags, settingsOfSdk } from "../../../host/base/terminal/known-settings.js";
import { settle } from "../../../host/base/terminal/settings.js";
import { sdkFlagWarnings } from "../../../host/cli/flags/sdk-flags.js";
import { preUpgrade } from "../../../host/cli/offline/pre-upgrade.js";
import { makeProgram } from "../../../host/cli/program/program.js";
import { makeHome } from "../../e2e/prepared-home.js";
import { exampleChain } from "../../example-chain.js";
import { exampleContext } from "../../example-context.js";
import { failureOf } from "../../scenario/chain.js";
import { genesisText } from "../../scenario/genesis-text.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-known-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What the Cosmos SDK's `init` writes into app.toml, 0.50 and before. */
const SDK_APP_TOML = `minimum-gas-prices = "0stake"
query-gas-limit = "0"
pruning = "nothing"
pruning-keep-recent = "0"
pruning-interval = "0"
halt-height = 0
halt-time = 0
min-retain-blocks = 0
inter-block-cache = true
index-events = []
iavl-cache-size = 781250
iavl-disable-fastnode = false
app-db-backend = ""
[telemetry]
service-name = ""
enabled = false
prometheus-retention-time = 0
global-labels = [ ["chain_id", "x"] ]
[api]
enable = false
swagger = false
address = "tcp://localhost:1317"
max-open-connections = 1000
rpc-read-timeout = 10
rpc-write-timeout = 0
rpc-max-body-bytes = 1000000
enabled-unsafe-cors = false
[grpc]
enable = true
address = "localhost:9090"
max-recv-msg-size = "10485760"
max-send-msg-size = "2147483647"
[grpc-web]
enable = true
[state-sync]
snapshot-interval = 0
snapshot-keep-recent = 2
[streaming]
[streaming.abci]
keys = []
plugin = ""
stop-node-on-err = true
[mempool]
max-txs = -1
`;

let homes = 0;
function homeWith(text: string): string {
  const home = join(root, String(homes++));
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(join(home, "config/app.toml"), text);
  return home;
}

const program = await makeProgram(exampleContext, ["start"], "0.0.0");
const known = [...settingFlags(program, "app").keys()];
const check = (text: string) => requireKnownSettings(homeWith(text), "app", known);

/** Of a start with this app.toml and environment. */
async function warnings(text: string, isComet: boolean, env: Record<string, string> = {}): Promise<string[]> {
  const start = (await makeProgram(exampleContext, ["start"], "0.0.0")).commands.find(
    (each) => each.name() === "start",
  ) as Cobra;
  const home = homeWith(text);
  start.parent?.setOptionValueWithSource("home", home, "cli");
  settle(start, { env, off: new Set() });
  return sdkFlagWarnings(start, isComet, settingsOfSdk(home, known));
}

describe("requireKnownSettings()", () => {
  test.each([
    ['# one\nengin = "cometbft"\n', 'app.toml, line 2: there is no setting "engin" (did you mean "engine"?)'],
    ["halt-hieght = 5\n", 'line 1: there is no setting "halt-hieght" (did you mean "halt-height"?)'],
    ["[api]\nenable = true\nadress = 1\n", 'line 3: there is no setting "api.adress" (did you mean "api.address"?)'],
    [
      'moniker = "x"\n\n[limits]\nmax-requests = 5\nengine = "cometbft"\n',
      'line 5: there is no setting "limits.engine" (did you mean "engine"? It goes above the first [table])',
    ],
    ['["api"]\n"adress" = 1\n', 'line 2: there is no setting "api.adress"'],
    ["api.adress = 1\n", 'line 1: there is no setting "api.adress"'],
    ["[other]\nthing = 1\n", 'line 2: there is no setting "other.thing"; nothing reads it'],
    ['[[engine]]\nname = "x"\n[plugin]\nkeys = []\n', 'line 4: there is no setting "plugin.keys"'],
    ["pruning_interval = 10\n", '(did you mean "pruning-interval"?)'],
    ['home = "/x"\n', 'there is no setting "home"'],
  ])("%j → UPG_INVALID_CONFIG with file, line and the nearest name", (text, message) => {
    const error = failureOf(() => check(text));
    expect(error.code).toBe("UPG_INVALID_CONFIG");
    expect(error.message).toContain(message);
  });

  test.each(["", "\n \n"])(
    "a file that a crash emptied: %j → UPG_INVALID_CONFIG that says how to go on; removed → taken",
    (text) => {
      const home = homeWith(text);
      const error = failureOf(() => requireKnownSettings(home, "app", known));
      expect(error.code).toBe("UPG_INVALID_CONFIG");
      expect(error.message).toContain(
        "app.toml is empty; a crash may have truncated it. Restore it from a backup, or remove it",
      );
      rmSync(join(home, "config/app.toml"));
      requireKnownSettings(home, "app", known);
    },
  );

  test("what `init` writes, and the Cosmos SDK's app.toml → taken", () => {
    const home = join(root, "made");
    makeHome(home, genesisText());
    requireKnownSettings(home, "app", known);
    check(SDK_APP_TOML);
  });
});

test("sdkFlagWarnings() over the Cosmos SDK's app.toml → one line that names each setting without effect once", async () => {
  const [line = "", ...others] = await warnings(SDK_APP_TOML, false);
  expect(others).toEqual([]);
  const named = line.replace("app.toml has settings of the Cosmos SDK without effect here: ", "").split(", ");
  expect(named).toContain("pruning (use --keep-versions)");
  expect(named).toContain("telemetry.enabled");
  expect(named.filter((each) => each.startsWith("mempool.max-txs"))).toEqual([
    "mempool.max-txs (the mempool has one size)",
  ]);
  expect(line).not.toContain("snapshot-interval");
  expect(await warnings('moniker = "x"\n', false)).toEqual([]);
});

test("peers in the environment or app.toml → without CometBFT a warning, with it none", async () => {
  const env = { CHAIND_P2P_SEEDS: "a@b:1" };
  const text = '[p2p]\npersistent_peers = "c@d:1"\n';
  expect(await warnings(text, false, env)).toEqual([
    "--p2p.seeds has no effect here: there are no peers",
    "app.toml has settings of the Cosmos SDK without effect here: p2p.persistent_peers (there are no peers)",
  ]);
  expect(await warnings(text, true, env)).toEqual([]);
});

test("pre-upgrade on a home whose app.toml `start` would refuse → 30, and the same words", async () => {
  const home = join(root, "pre-upgrade");
  makeHome(home, genesisText());
  const said: string[] = [];
  const settings = [...settingFlags(await makeProgram(exampleContext, ["pre-upgrade"], "0.0.0"), "app").keys()];
  expect(settings.sort()).toEqual(known.sort());
  expect(preUpgrade(exampleChain, home, { settings }, () => undefined)).toBe(0);
  writeFileSync(join(home, "config/app.toml"), "halt-hieght = 5\n");
  expect(preUpgrade(exampleChain, home, { settings }, (line) => said.push(line))).toBe(30);
  expect(said.join()).toContain('line 1: there is no setting "halt-hieght" (did you mean "halt-height"?)');
});
