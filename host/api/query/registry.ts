/** Every message that may stand in a `google.protobuf.Any`: all that the services and transactions speak of. */
import { createRegistry, type DescFile, type DescService, type Registry } from "@bufbuild/protobuf";
import { file_chain_upgrade_v1beta1_tx } from "../../gen/chain/upgrade/v1beta1/tx_pb.js";
import { file_cosmos_bank_v1beta1_tx } from "../../gen/cosmos/bank/v1beta1/tx_pb.js";
import { file_cosmos_crypto_ed25519_keys } from "../../gen/cosmos/crypto/ed25519/keys_pb.js";
import { file_cosmos_crypto_multisig_keys } from "../../gen/cosmos/crypto/multisig/keys_pb.js";
import { file_cosmos_crypto_secp256k1_keys } from "../../gen/cosmos/crypto/secp256k1/keys_pb.js";
import { file_cosmos_gov_v1_tx } from "../../gen/cosmos/gov/v1/tx_pb.js";
import { file_cosmos_upgrade_v1beta1_tx } from "../../gen/cosmos/upgrade/v1beta1/tx_pb.js";
import { file_cosmos_vesting_v1beta1_vesting } from "../../gen/cosmos/vesting/v1beta1/vesting_pb.js";

/** Files of messages that no service names, but transactions and accounts hold. */
const MESSAGE_FILES: readonly DescFile[] = [
  file_chain_upgrade_v1beta1_tx,
  file_cosmos_bank_v1beta1_tx,
  file_cosmos_crypto_ed25519_keys,
  file_cosmos_crypto_multisig_keys,
  file_cosmos_crypto_secp256k1_keys,
  file_cosmos_gov_v1_tx,
  file_cosmos_upgrade_v1beta1_tx,
  file_cosmos_vesting_v1beta1_vesting,
];

/** The files of these services and messages with all that they import, each once, imports first. */
export function filesOf(services: readonly DescService[]): DescFile[] {
  const files = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file.name)) return;
    for (const dependency of file.dependencies) add(dependency);
    files.set(file.name, file);
  };
  for (const file of [...services.map(({ file }) => file), ...MESSAGE_FILES]) add(file);
  return [...files.values()];
}

export function registryOf(services: readonly DescService[]): Registry {
  return createRegistry(...filesOf(services));
}
