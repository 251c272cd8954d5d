/** `chaind init`: makes a home with keys and a genesis document. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { UpgradeError } from "../../base/errors/errors.js";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { makeFolder } from "../../base/files/open-file.js";
import { sha256 } from "../../base/native/sha256.js";
import type { Cobra } from "../../base/terminal/cobra.js";
import { toUpperHex, utf8 } from "../../base/text/bytes.js";
import type { Chain } from "../../chain/app/chain.js";
import { parseGenesis } from "../../chain/app/genesis/genesis.js";
import { requireNotLost, writeNothingSigned } from "../../node/blocks/last-signed.js";
import { consensusKey, readConsensusKey } from "../../node/home/consensus-key.js";
import { Home } from "../../node/home/home.js";
import type { Context } from "../flags/context.js";
import { readNodeId, writeConsensusKey, writeNodeKey } from "../flags/key-files.js";
import { emptyGenesis } from "../genesis/empty-genesis.js";
import { type TakenGenesis, takeDocument, withPlainDocument } from "../genesis/take-document.js";
import { writeDefaultConfig } from "./config-defaults.js";

export interface InitOptions {
  readonly home: string;
  readonly moniker?: string;
  readonly chainId?: string;
  /** A plain document. */
  readonly genesis?: string;
  readonly overwrite?: boolean;
  /** Seed of both keys, for runs that must be the same each time; random without. */
  readonly keySeed?: Uint8Array;
}

export interface InitAnswer {
  readonly chain_id: string;
  readonly node_id: string;
  /** Address of the consensus key, upper-case hex. */
  readonly validator: string;
}

export function registerInit(program: Cobra, context: Context): void {
  const { chain } = context;
  program
    .command("init")
    .argument("<moniker>", "a name for this node")
    .summary("Make a home: keys and a genesis document")
    .description(
      "Makes a home folder with this node's consensus key, settings and a genesis document.\n" +
        "Without --chain-id the chain id is random. With --genesis the document is taken from\n" +
        "a file, chain id included, plain or .gz.",
    )
    .option("--genesis <file>", "take the genesis document from a file")
    .option("--overwrite", "replace the genesis document and keys of an existing home")
    .example("init my-node --chain-id demo-1", "init my-node --genesis genesis.json --home node")
    .action(async (moniker: string, options: Omit<InitOptions, "home" | "moniker">, command: Cobra) => {
      const { home, chainId } = command.optsWithGlobals() as { home: string; chainId?: string };
      const all = { ...options, home, moniker, ...(chainId ? { chainId } : {}) };
      if (all.genesis === undefined) await context.print(initHome(chain, all));
      else await context.print(await withPlainDocument(all.genesis, (genesis) => initHome(chain, { ...all, genesis })));
    });
}

/** @throws UpgradeError UPG_INVALID_CONFIG, UPG_INVALID_GENESIS, UPG_STORE_SIGNED; nothing is written then */
export function initHome(chain: Chain, options: InitOptions): InitAnswer {
  const home = new Home(options.home);
  if (existsSync(home.genesisFile) && !options.overwrite) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `${home.genesisFile} exists; use --overwrite to replace it`);
  }
  if (home.hasDatabase) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `${home.databaseFile} exists: this home has a chain in it`);
  }
  // Keys of a home that lost its genesis document are kept: no other copy of them may exist.
  const isNew = (file: string) => options.overwrite === true || !existsSync(file);
  const isKeyNew = isNew(home.validatorKeyFile);
  requireNotLost(home, isKeyNew);
  const seed = options.keySeed ?? randomBytes(32);
  const writeOthers = ({ chainId }: TakenGenesis) => {
    makeFolder(home.dataFolder);
    if (isKeyNew) writeConsensusKey(home.validatorKeyFile, consensusKey(seed));
    if (isNew(home.nodeKeyFile)) writeNodeKey(home.nodeKeyFile, consensusKey(sha256(seed)));
    writeNothingSigned(home.lastSignedFile, isKeyNew);
    writeDefaultConfig(chain.name, home.path, chainId, options.moniker ?? "node");
  };
  const { chainId } = writeGenesis(chain, home, options, writeOthers);
  const validator = toUpperHex(readConsensusKey(home.validatorKeyFile).address);
  return { chain_id: chainId, node_id: readNodeId(home.nodeKeyFile), validator };
}

/** The document comes last: a home without one is one that the next `init` completes. */
function writeGenesis(
  chain: Chain,
  home: Home,
  { genesis, chainId }: InitOptions,
  writeOthers: (taken: TakenGenesis) => void,
): TakenGenesis {
  if (genesis) return takeDocument(chain, genesis, home.genesisFile, chainId, writeOthers);
  const text = `${JSON.stringify({ ...emptyGenesis(chain), ...(chainId ? { chain_id: chainId } : {}) }, null, 1)}\n`;
  const begun = parseGenesis(chain, text);
  writeOthers(begun);
  writeFileAtomically(home.genesisFile, utf8(text), 0o644);
  return begun;
}
