/** `chaind localnet init`: homes, keys, one genesis document and settings for validators on one machine. */

import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { writeSetting } from "../../base/terminal/config-edit.js";
import { usage } from "../../base/terminal/usage.js";
import { utf8 } from "../../base/text/bytes.js";
import { shellWord } from "../../base/text/shell-word.js";
import type { Chain } from "../../chain/app/chain.js";
import { keyJson } from "../../chain/values/key-json.js";
import { readConsensusKey } from "../../node/home/consensus-key.js";
import { Home } from "../../node/home/home.js";
import { withKeyring } from "../client/keyring-options.js";
import { VALIDATOR_DEFAULTS } from "../client/tx/create-validator.js";
import type { Context } from "../flags/context.js";
import { addAccount } from "../genesis/add-account.js";
import { cometConfigFile } from "../genesis/comet-config.js";
import { readDocument, writeDocument } from "../genesis/document.js";
import { addValidator } from "../genesis/gentx.js";
import { keyFromMnemonic, newMnemonic } from "../wallet/derive.js";
import { cometToml } from "./comet-toml.js";
import { homeOf, type LocalNetwork, type LocalNode, type NodePorts, networkFile, writeNetwork } from "./network.js";
import { portsFor } from "./ports.js";

interface HomeOptions {
  readonly home: string;
  readonly moniker: string;
  readonly chainId: string;
  /** A document to take; undefined: a new one. */
  readonly genesis?: string;
}

export interface LocalnetOptions {
  /** What `init` does. */
  readonly makeHome: (options: HomeOptions) => { readonly node_id: string };
  readonly chainId: string;
  /** The nodes know nothing newer, as an old binary does; undefined: all that this program knows. */
  readonly appVersion: bigint | undefined;
  /** First port of the first node; undefined: free ones. */
  readonly basePort: number | undefined;
  /** Between a block and the next. */
  readonly blockNanos: bigint;
  readonly votingNanos: bigint;
}

const TEST_KEYS = { keyringBackend: "test" } as const;
const BALANCE = 1_000_000_000_000n;
/** Power 100 each. */
const DELEGATED = 100_000_000n;
const FILE_MODE = 0o644;
const NANOS_PER_SECOND = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;

/** @throws UpgradeError UPG_INVALID_CONFIG when there is a network in the folder; UPG_INVALID_ARGUMENT */
export async function initLocalnet(
  context: Context,
  folder: string,
  count: number,
  options: LocalnetOptions,
): Promise<LocalNetwork> {
  const { chain } = context;
  requireNew(chain, folder, count);
  requireKnown(chain, options.appVersion);
  const ports = await portsFor(count, options.basePort);
  const first = new Home(join(folder, "node0"));
  const nodes: LocalNode[] = [];
  for (const [index, own] of ports.entries()) nodes.push(await makeNode(context, folder, index, own, options, first));
  await writeGenesis(context, folder, first, nodes, options);
  for (const node of nodes) configure(folder, node, nodes, options);
  const network = { chain_id: options.chainId, nodes };
  // The last: a folder with this file is whole.
  writeNetwork(folder, network);
  return network;
}

/** Homes that are there already would be found after others were made. */
function requireNew(chain: Chain, folder: string, count: number): void {
  if (existsSync(networkFile(folder))) {
    const start = `\`${chain.name} localnet start --home ${shellWord(folder)}\``;
    throw new UpgradeError("UPG_INVALID_CONFIG", `${folder} holds a network already: ${start} goes on with it`);
  }
  const taken = Array.from({ length: count }, (_, index) => join(folder, `node${index}`)).find((home) =>
    existsSync(home),
  );
  if (taken === undefined) return;
  throw new UpgradeError("UPG_INVALID_CONFIG", `${taken} exists: remove it, or give another --home`);
}

function requireKnown(chain: Chain, version: bigint | undefined): void {
  const { versions } = chain;
  if (version === undefined || versions.some(({ number }) => number === version)) return;
  throw usage(`--app-version ${version}: this program has ${versions.map(({ number }) => number).join(", ")}`);
}

async function makeNode(
  context: Context,
  folder: string,
  index: number,
  ports: NodePorts,
  { makeHome, chainId }: LocalnetOptions,
  first: Home,
): Promise<LocalNode> {
  const { chain } = context;
  const name = `node${index}`;
  const home = join(folder, name);
  const genesis = index === 0 ? {} : { genesis: first.genesisFile };
  const { node_id } = makeHome({ home, moniker: name, chainId, ...genesis });
  const mnemonic = newMnemonic();
  const key = keyFromMnemonic(mnemonic);
  const { address } = await withKeyring(context, TEST_KEYS, home, (keyring) => keyring.add(name, key));
  writeFileAtomically(join(home, "key_seed.json"), utf8(`${JSON.stringify({ secret: mnemonic })}\n`));
  const operator_address = chain.addresses.operators.encode(key.addressBytes);
  return { name, home: name, node_id, address, operator_address, ...ports };
}

async function writeGenesis(
  context: Context,
  folder: string,
  first: Home,
  nodes: readonly LocalNode[],
  { votingNanos }: LocalnetOptions,
): Promise<void> {
  const { chain } = context;
  const { json, genesis } = readDocument(chain, first);
  const gov = (json["app_state"] as { gov?: { params?: Record<string, unknown> } }).gov;
  if (gov?.params) {
    Object.assign(gov.params, {
      ...{ voting_period: seconds(votingNanos), expedited_voting_period: seconds(votingNanos / 2n) },
      max_deposit_period: seconds(votingNanos),
    });
  }
  writeDocument(chain, first.genesisFile, json);
  const { bondDenom } = genesis;
  for (const node of nodes) {
    await addAccount(context, first.path, node.address, `${BALANCE}${bondDenom}`, TEST_KEYS);
    const { publicKey } = readConsensusKey(new Home(homeOf(folder, node)).validatorKeyFile);
    const pubkey = JSON.stringify(keyJson({ type: "ed25519", bytes: publicKey.bytes }));
    const flags = { ...VALIDATOR_DEFAULTS, ...TEST_KEYS, pubkey, moniker: node.name };
    await addValidator(context, first.path, node.address, `${DELEGATED}${bondDenom}`, flags);
  }
  for (const node of nodes.slice(1)) copyFileSync(first.genesisFile, new Home(homeOf(folder, node)).genesisFile);
}

/** As genesis documents have durations: `1.5s`. */
function seconds(nanos: bigint): string {
  const places = String(nanos % NANOS_PER_SECOND)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${nanos / NANOS_PER_SECOND}${places === "" ? "" : `.${places}`}s`;
}

function configure(
  folder: string,
  node: LocalNode,
  nodes: readonly LocalNode[],
  { blockNanos, appVersion }: LocalnetOptions,
): void {
  const home = homeOf(folder, node);
  const blockMillis = Number(blockNanos / NANOS_PER_MILLI);
  writeFileAtomically(cometConfigFile(home), utf8(cometToml({ node, nodes, blockMillis })), FILE_MODE);
  const rpc = `tcp://127.0.0.1:${node.rpc}`;
  writeSetting(home, "client", "node", rpc);
  writeSetting(home, "client", "keyring-backend", "test");
  writeSetting(home, "app", "rpc.laddr", rpc);
  writeSetting(home, "app", "api.address", `tcp://127.0.0.1:${node.api}`);
  writeSetting(home, "app", "grpc.address", `127.0.0.1:${node.grpc}`);
  const app = readFileSync(join(home, "config", "app.toml"), "utf8");
  const more =
    appVersion === undefined
      ? ""
      : `# Know nothing newer than this app version, as an old binary does.\napp-version = "${appVersion}"\n`;
  const engine = `# Who decides blocks: embedded, this program alone; cometbft, stock CometBFT 0.38.\nengine = "cometbft"\n`;
  writeFileAtomically(join(home, "config", "app.toml"), utf8(`${engine}${more}${app}`), FILE_MODE);
}
