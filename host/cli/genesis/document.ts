/** The genesis document of a home as JSON that can be changed and written back. */

import { UpgradeError } from "../../base/errors/errors.js";
import { readFileIfThere, writeFileAtomically } from "../../base/files/atomic-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { homeCommand } from "../../base/text/shell-word.js";
import { decodeText } from "../../base/text/text.js";
import type { Chain } from "../../chain/app/chain.js";
import { type Genesis, parseGenesis } from "../../chain/app/genesis/genesis.js";
import { requireExactNumbers } from "../../chain/genesis-stream/exact-numbers.js";
import type { Home } from "../../node/home/home.js";

export interface GenesisDocument {
  readonly json: Record<string, unknown>;
  readonly genesis: Genesis;
}

const FILE_MODE = 0o644;

/** @throws UpgradeError UPG_INVALID_CONFIG, UPG_INVALID_GENESIS */
export function readDocument(chain: Chain, { path, genesisFile: file }: Home): GenesisDocument {
  const bytes = readFileIfThere(file);
  if (!bytes)
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `${file} is missing: make a home with ${homeCommand("init NAME", path)} first`,
    );
  const text = decodeText(bytes, (cause) => new UpgradeError("UPG_INVALID_GENESIS", `${file} is not UTF-8`, { cause }));
  const genesis = parseGenesis(chain, text);
  requireExactNumbers(text);
  return { json: JSON.parse(text) as Record<string, unknown>, genesis };
}

/** Written only when it is a genesis document. @throws UpgradeError UPG_INVALID_GENESIS, UPG_STORE_IO */
export function writeDocument(chain: Chain, file: string, json: unknown): Genesis {
  const text = `${JSON.stringify(json, null, 1)}\n`;
  const genesis = parseGenesis(chain, text);
  writeFileAtomically(file, utf8(text), FILE_MODE);
  return genesis;
}

/** A chain that has begun does not read its genesis again. @throws UpgradeError UPG_INVALID_CONFIG */
export function requireNoChain(home: Home): void {
  if (!home.hasDatabase) return;
  throw new UpgradeError("UPG_INVALID_CONFIG", `${home.databaseFile} exists: the chain in this home has begun already`);
}

/** The list at a path of the document; made when it is absent. */
export function listAt(json: Record<string, unknown>, ...path: readonly string[]): unknown[] {
  let at = json;
  for (const name of path.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as Record<string, unknown>;
  }
  const last = path.at(-1) as string;
  at[last] ??= [];
  return at[last] as unknown[];
}
