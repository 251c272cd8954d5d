/** Keys of a home that are no keys: each is named as what it is. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readNodeId } from "../../../../host/cli/flags/key-files.js";
import { readConsensusKey } from "../../../../host/node/home/consensus-key.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-node-key-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(["", "{}", '{"priv_key":{"type":"other","value":""}}'])(
  "readNodeId(), readConsensusKey() of a file that holds %j → UPG_INVALID_CONFIG, which key it is and what to do",
  (text) => {
    const file = join(folder, "key.json");
    writeFileSync(file, text);
    const refused = (message: string) =>
      expect.objectContaining({ code: "UPG_INVALID_CONFIG", message: expect.stringContaining(`${file} ${message}`) });
    expect(() => readNodeId(file)).toThrow(
      refused("holds no ed25519 node key: restore it from your backup of keys, or make a new one with `"),
    );
    expect(() => readConsensusKey(file)).toThrow(refused("holds no ed25519 consensus key: make a home with `"));
  },
);
