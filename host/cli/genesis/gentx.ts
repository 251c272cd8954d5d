/** `chaind genesis gentx` and `add-validator`: a validator of a chain that has not begun. */

import { isIP } from "node:net";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { readFileIfThere, writeFileAtomically } from "../../base/files/atomic-file.js";
import { SignMode } from "../../base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { AuthInfoSchema, TxBodySchema, TxRawSchema, TxSchema } from "../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { configValue, readConfig } from "../../base/terminal/config-file.js";
import { jsonLine } from "../../base/terminal/output.js";
import { usage } from "../../base/terminal/usage.js";
import { utf8 } from "../../base/text/bytes.js";
import { messageWriter } from "../../chain/messages/gateway-json.js";
import { signBytes } from "../../chain/modules/auth/signatures.js";
import { packNewValidator } from "../../chain/modules/staking/compose.js";
import { packKey } from "../../chain/values/account-key.js";
import { type Coin, parseCoins } from "../../chain/values/coins.js";
import { readConsensusKey } from "../../node/home/consensus-key.js";
import { Home } from "../../node/home/home.js";
import { requireOutputFolder } from "../../node/home/output-folder.js";
import { type KeyringFlags, withKeyring } from "../client/keyring-options.js";
import { consensusKeyFrom, createValidatorMessage, type ValidatorFlags } from "../client/tx/create-validator.js";
import type { Context } from "../flags/context.js";
import { readNodeId } from "../flags/key-files.js";
import { addressOf } from "./add-account.js";
import { documentFields, genesisRegistry } from "./create-validator.js";
import { readDocument, requireNoChain, writeDocument } from "./document.js";
import { putValidator } from "./put-validator.js";
import { checkSelfDelegation, moveSelfDelegation } from "./self-delegation.js";

export interface GentxFlags extends ValidatorFlags, KeyringFlags {
  readonly chainId?: string;
  readonly ip: string;
  readonly p2pPort: number;
  readonly nodeId?: string;
  readonly outputDocument?: string;
}

const FILE_MODE = 0o644;
/** The Cosmos SDK's default of a transaction; at genesis no gas is counted. */
const GAS_LIMIT = 200_000n;

export const gentxFolder = (home: string): string => join(home, "config", "gentx");

/** Writes a signed transaction for `collect-gentxs`; returns its file. @throws UpgradeError UPG_INVALID_*, UPG_NOT_FOUND_KEY */
export async function gentx(
  context: Context,
  path: string,
  name: string,
  amount: string,
  flags: GentxFlags,
): Promise<{ file: string }> {
  const { chain } = context;
  const home = new Home(path);
  requireNoChain(home);
  const { json, genesis } = readDocument(chain, home);
  const { chainId = genesis.chainId } = flags;
  if (chainId !== genesis.chainId) {
    throw usage(`--chain-id ${chainId}: ${home.genesisFile} is of the chain ${genesis.chainId}`);
  }
  if (flags.outputDocument !== undefined) requireOutputFolder(flags.outputDocument);
  const nodeId = flags.nodeId ?? readNodeId(home.nodeKeyFile);
  if (!/^[0-9a-f]{40}$/.test(nodeId))
    throw usage(`invalid argument "${nodeId}" for "--node-id" flag: expected 40 hex digits`);
  const memo = `${nodeId}@${hostOf(flags.ip)}:${flags.p2pPort}`;
  const coin = coinOf(amount);
  return withKeyring(context, flags, path, async (keyring) => {
    const { key, address, type, name: known } = keyring.find(name);
    if (type !== "local") throw usage(`"${name}" cannot sign here: a gentx is signed by one key of the keyring`);
    const account = chain.addresses.decode(address);
    checkSelfDelegation(chain, json, genesis, account, coin);
    const facts = { account, consensusKey: consensusKeyOf(home, flags.pubkey), coin, moniker: monikerOf(path, flags) };
    const message = packNewValidator(createValidatorMessage(chain, facts, flags));
    const modeInfo = { sum: { case: "single", value: { mode: SignMode.DIRECT } } } as const;
    const body = create(TxBodySchema, { messages: [message], memo });
    const authInfo = create(AuthInfoSchema, {
      signerInfos: [{ publicKey: packKey(key), modeInfo }],
      fee: { gasLimit: GAS_LIMIT },
    });
    const parts = { bodyBytes: toBinary(TxBodySchema, body), authInfoBytes: toBinary(AuthInfoSchema, authInfo) };
    const doc = signBytes({ raw: create(TxRawSchema, parts), chainId, accountNumber: 0n });
    const tx = create(TxSchema, { body, authInfo, signatures: [await keyring.sign(known, doc)] });
    const text = `${jsonLine(messageWriter(genesisRegistry(chain))(TxSchema, tx))}\n`;
    const file = flags.outputDocument ?? join(gentxFolder(path), `gentx-${nodeId}.json`);
    if (readFileIfThere(file)) throw usage(`${file} exists: remove it to sign another one`);
    writeFileAtomically(file, utf8(text), FILE_MODE);
    return { file };
  });
}

export interface AddedValidator {
  readonly operator_address: string;
  readonly tokens: string;
}

/** What `gentx` and `collect-gentxs` do, in one step and without a signature. @throws UpgradeError UPG_INVALID_*, UPG_NOT_FOUND_KEY */
export async function addValidator(
  context: Context,
  path: string,
  key: string,
  amount: string,
  flags: ValidatorFlags & KeyringFlags,
): Promise<AddedValidator> {
  const { chain } = context;
  const home = new Home(path);
  requireNoChain(home);
  const { json, genesis } = readDocument(chain, home);
  const account = chain.addresses.decode(await addressOf(context, path, key, flags));
  const coin = coinOf(amount);
  checkSelfDelegation(chain, json, genesis, account, coin);
  const consensusKey = consensusKeyOf(home, flags.pubkey);
  const message = createValidatorMessage(
    chain,
    { account, consensusKey, coin, moniker: monikerOf(path, flags) },
    flags,
  );
  moveSelfDelegation(chain, json, genesis, account, coin);
  const operator = putValidator(chain, json, {
    account,
    consensusKey,
    tokens: coin.amount,
    ...documentFields(message),
  });
  writeDocument(chain, home.genesisFile, json);
  return { operator_address: operator, tokens: `${coin.amount}${coin.denom}` };
}

function coinOf(text: string): Coin {
  const [coin, ...others] = parseCoins(text);
  if (coin && others.length === 0) return coin;
  throw usage(`invalid amount "${text.slice(0, 100)}": expected one coin, as 100000000ustake`);
}

function monikerOf(home: string, { moniker }: ValidatorFlags): string {
  const name = moniker ?? configValue(readConfig(home, "app"), "moniker", "text") ?? "node";
  if (name === "" || name.length > MONIKER_LENGTH_MAX)
    throw usage(`--moniker has 1 to ${MONIKER_LENGTH_MAX} characters`);
  return name;
}

const MONIKER_LENGTH_MAX = 70;

function hostOf(ip: string): string {
  if (isIP(ip) === 6) return `[${ip}]`;
  if (isIP(ip) === 4 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/.test(ip)) return ip;
  throw usage(`invalid argument "${ip}" for "--ip" flag: expected an address or a host name that peers reach`);
}

/** Of this home, unless it is given as `comet show-validator` prints it. */
function consensusKeyOf(home: Home, given: string | undefined): Uint8Array {
  if (given === undefined) return readConsensusKey(home.validatorKeyFile).publicKey.bytes;
  return consensusKeyFrom("--pubkey", () => JSON.parse(given));
}
