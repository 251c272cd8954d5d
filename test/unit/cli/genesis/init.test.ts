/** `init` that ends in the middle: the next one completes the home. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { initHome } from "../../../../host/cli/commands/init.js";
import { Home } from "../../../../host/node/home/home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-init-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const document = join(root, "genesis.json");
writeFileSync(document, genesisText());

test.each([
  ["with a document of its own", {}],
  ["with --genesis", { genesis: document }],
])(
  "initHome() %s that fails after the keys → no genesis document; again → a whole home with the keys of before",
  (name, options) => {
    const home = new Home(join(root, name));
    mkdirSync(home.configFolder, { recursive: true });
    // The settings are the last of the files.
    mkdirSync(join(home.configFolder, "client.toml", "in-the-way"), { recursive: true });
    expect(() => initHome(exampleChain, { home: home.path, ...options })).toThrow();
    expect(existsSync(home.genesisFile)).toBe(false);
    const key = readFileSync(home.validatorKeyFile, "utf8");
    rmSync(join(home.configFolder, "client.toml"), { recursive: true });
    initHome(exampleChain, { home: home.path, ...options });
    expect(existsSync(home.genesisFile)).toBe(true);
    expect(readFileSync(home.validatorKeyFile, "utf8")).toBe(key);
  },
);
