/** `chaind genesis collect-gentxs`: validators from the signed transactions of their operators, and their addresses as peers. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { readRegularFile } from "../../base/files/open-file.js";
import { PubKeySchema } from "../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import {
  AuthInfoSchema,
  type Tx,
  TxBodySchema,
  TxRawSchema,
  TxSchema,
} from "../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { sha256 } from "../../base/native/sha256.js";
import { configValue, readConfig } from "../../base/terminal/config-file.js";
import { equalBytes } from "../../base/text/bytes.js";
import { decodeText } from "../../base/text/text.js";
import type { Chain } from "../../chain/app/chain.js";
import type { Genesis } from "../../chain/app/genesis/genesis.js";
import { verifySignature } from "../../chain/comet-types/keys.js";
import { messageFromJson } from "../../chain/messages/message-json.js";
import { signBytes } from "../../chain/modules/auth/signatures.js";
import { type NewValidatorMessage, readNewValidator } from "../../chain/modules/staking/compose.js";
import type { StakingGenesis } from "../../chain/modules/staking/genesis.js";
import { keyAddress, readKey } from "../../chain/values/account-key.js";
import { parseAmount } from "../../chain/values/coins.js";
import { parseDecimal } from "../../chain/values/decimal.js";
import { Home } from "../../node/home/home.js";
import { readNodeId } from "../flags/key-files.js";
import { withPeers } from "./comet-config.js";
import { documentFields, genesisRegistry, requireMessageTerms } from "./create-validator.js";
import { readDocument, requireNoChain, writeDocument } from "./document.js";
import { gentxFolder } from "./gentx.js";
import { putValidator } from "./put-validator.js";
import { checkSelfDelegation, moveSelfDelegation } from "./self-delegation.js";

export interface Collected {
  readonly moniker: string;
  readonly chain_id: string;
  readonly node_id: string;
  readonly gentxs_dir: string;
  /** Operators' addresses, in the order of the files' names; those that were in the document before are left out. */
  readonly validators: readonly string[];
  /** `id@host:port` of the others, as config.toml has them now. */
  readonly persistent_peers: readonly string[];
}

const FILE_BYTES_MAX = 65_536;
/** A list of peers has commas between them. */
const PEER = /^([0-9a-f]{40})@[^\s,@]+:([0-9]{1,5})$/;
const PORT_MAX = 65_535;

/** @throws UpgradeError UPG_INVALID_TX, UPG_INVALID_ARGUMENT, UPG_INVALID_GENESIS, UPG_INVALID_CONFIG; nothing is written then */
export function collectGentxs(chain: Chain, path: string, given?: string): Collected {
  const home = new Home(path);
  requireNoChain(home);
  const folder = given ?? gentxFolder(path);
  const { json, genesis } = readDocument(chain, home);
  const own = readNodeId(home.nodeKeyFile);
  const files = gentxFiles(chain, folder);
  const validators: string[] = [];
  const peers: string[] = [];
  for (const file of files) {
    const gentx = inFile(file, () => readGentx(chain, file, genesis.chainId));
    const [, id, port] = PEER.exec(gentx.peer) ?? [];
    if (id === undefined || Number(port) < 1 || Number(port) > PORT_MAX)
      throw new UpgradeError("UPG_INVALID_TX", `${file}: the memo "${gentx.peer}" is no node-id@host:port`);
    if (id !== own) peers.push(gentx.peer);
    if (isKnown(genesis, gentx)) continue;
    validators.push(inFile(file, () => putGentx(chain, json, genesis, gentx)));
  }
  const moniker = configValue(readConfig(path, "app"), "moniker", "text") ?? "node";
  const settings = withPeers(path, peers);
  writeDocument(chain, home.genesisFile, json);
  settings.write();
  return { moniker, chain_id: genesis.chainId, node_id: own, gentxs_dir: folder, validators, persistent_peers: peers };
}

function gentxFiles(chain: Chain, folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  if (names.length > 0) return names.sort().map((name) => join(folder, name));
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `${folder} holds no gentx: each operator makes one with \`${chain.name} genesis gentx\`, and their files go there`,
  );
}

function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", `${file}: ${messageOf(cause)}`, { cause });
  }
}

interface Gentx {
  readonly account: Uint8Array;
  readonly consensusKey: Uint8Array;
  readonly message: NewValidatorMessage;
  readonly peer: string;
}

function readGentx(chain: Chain, file: string, chainId: string): Gentx {
  const bytes = readRegularFile(file, FILE_BYTES_MAX);
  if (bytes.length > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX} bytes`);
  const tx = parseTx(chain, decodeText(bytes));
  const messages = tx.body?.messages ?? [];
  const [any] = messages;
  const message = any && readNewValidator(any);
  if (!message || messages.length > 1) throw new Error("expected one message, MsgCreateValidator");
  if (message.pubkey?.typeUrl !== `/${PubKeySchema.typeName}`) throw new Error("its consensus key is not ed25519");
  const consensusKey = fromBinary(PubKeySchema, message.pubkey.value).key;
  const account = chain.addresses.operators.decode(message.validatorAddress);
  requireSigned(tx, account, chainId);
  return { account, consensusKey, message, peer: tx.body?.memo ?? "" };
}

/** Rates are decimals in JSON, and whole numbers of 10^-18 in what was signed. */
function parseTx(chain: Chain, text: string): Tx {
  const json = JSON.parse(text) as { body?: { messages?: { commission?: Record<string, unknown> }[] } } | null;
  if (json === null || typeof json !== "object") throw new Error("it is no JSON object");
  for (const { commission } of json.body?.messages ?? []) {
    for (const [name, rate] of Object.entries(commission ?? {})) {
      if (commission) commission[name] = String(parseDecimal(String(rate)));
    }
  }
  return messageFromJson(genesisRegistry(chain), TxSchema, json);
}

function requireSigned({ body, authInfo, signatures }: Tx, account: Uint8Array, chainId: string): void {
  const [signer, ...others] = authInfo?.signerInfos ?? [];
  const key = signer?.publicKey && readKey(signer.publicKey);
  const [signature] = signatures;
  if (!body || !authInfo || !key || !signature || others.length > 0 || key.type !== "secp256k1") {
    throw new Error("expected the signature of one secp256k1 key");
  }
  if (!equalBytes(keyAddress(sha256, key), account)) throw new Error("it is not signed by its validator's operator");
  const parts = { bodyBytes: toBinary(TxBodySchema, body), authInfoBytes: toBinary(AuthInfoSchema, authInfo) };
  const doc = signBytes({ raw: create(TxRawSchema, parts), chainId, accountNumber: 0n });
  if (verifySignature({ type: "secp256k1", bytes: key.bytes }, doc, signature)) return;
  throw new Error(
    `signature verification failed; please verify chain-id (${chainId}): it was changed, or signed for another chain`,
  );
}

/** The same operator with the same key: collected before. */
function isKnown(genesis: Genesis, { account, consensusKey }: Gentx): boolean {
  const { validators } = genesis.sections.get("staking") as StakingGenesis;
  return validators.some((each) => equalBytes(each.operator, account) && equalBytes(each.consensusKey, consensusKey));
}

function putGentx(
  chain: Chain,
  json: Record<string, unknown>,
  genesis: Genesis,
  { account, consensusKey, message }: Gentx,
): string {
  const { denom = "", amount = "0" } = message.value ?? {};
  const coin = { denom, amount: parseAmount(amount) };
  requireMessageTerms(message, coin);
  checkSelfDelegation(chain, json, genesis, account, coin);
  moveSelfDelegation(chain, json, genesis, account, coin);
  return putValidator(chain, json, { account, consensusKey, tokens: coin.amount, ...documentFields(message) });
}
