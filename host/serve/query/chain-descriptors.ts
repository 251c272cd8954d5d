/**
 * What a client asks before it makes queries and transactions of a chain that it does not know: the .proto files
 * (`cosmos.reflection.v1`), and the messages, sign modes and address prefix (`cosmos.base.reflection`).
 */
import type { DescMessage, DescService } from "@bufbuild/protobuf";
import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { UpgradeError } from "../../base/errors/errors.js";
import { ReflectionService as Interfaces } from "../../base/gen/cosmos/base/reflection/v1beta1/reflection_pb.js";
import { ReflectionService as Described } from "../../base/gen/cosmos/base/reflection/v2alpha1/reflection_pb.js";
import { PubKeySchema as Ed25519 } from "../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import { LegacyAminoPubKeySchema as Multisig } from "../../base/gen/cosmos/crypto/multisig/keys_pb.js";
import { PubKeySchema as Secp256k1 } from "../../base/gen/cosmos/crypto/secp256k1/keys_pb.js";
import { ReflectionService as Files } from "../../base/gen/cosmos/reflection/v1/reflection_pb.js";
import { SignMode, SignModeSchema } from "../../base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { TxSchema } from "../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import type { Chain } from "../../chain/app/chain.js";
import { filesOf } from "../../chain/app/define-chain.js";
import { implementOfNode, type QueryService } from "../../chain/app/query/service.js";

/** Modes that signatures are verified in. */
const SIGN_MODES = [SignMode.DIRECT, SignMode.LEGACY_AMINO_JSON];

/** @param services all that a node serves, these two too */
export function fileService(chain: Chain, services: () => readonly DescService[]): QueryService {
  let files: readonly FileDescriptorProto[] | undefined;
  return implementOfNode(Files, {
    fileDescriptors() {
      files ??= filesOf(chain, services()).map(({ proto }) => proto);
      return { files: [...files] };
    },
  });
}

/** What may be packed, by the Cosmos SDK's names. */
function interfacesOf({ router }: Chain): ReadonlyMap<string, readonly DescMessage[]> {
  return new Map([
    ["cosmos.base.v1beta1.Msg", [...router.values()].map(({ schema }) => schema)],
    ["cosmos.crypto.PubKey", [Ed25519, Multisig, Secp256k1]],
  ]);
}

export function interfaceService(chain: Chain): QueryService {
  const interfaces = interfacesOf(chain);
  return implementOfNode(Interfaces, {
    listAllInterfaces: () => ({ interfaceNames: [...interfaces.keys()] }),
    listImplementations({ interfaceName }) {
      if (interfaceName === "") throw new UpgradeError("UPG_INVALID_ARGUMENT", "invalid interface name");
      const types = interfaces.get(interfaceName) ?? [];
      return { implementationMessageNames: types.map(({ typeName }) => `/${typeName}`) };
    },
  });
}

export function descriptorService(chain: Chain, services: () => readonly DescService[]): QueryService {
  const ofModules = new Set(chain.services.map(({ descriptor }) => descriptor.typeName));
  const messages = [...chain.router.values()].map(({ schema }) => schema);
  return implementOfNode(Described, {
    getAuthnDescriptor: () => ({
      authn: {
        signModes: SignModeSchema.values
          .filter(({ number }) => SIGN_MODES.includes(number))
          .map(({ name, number }) => ({ name, number })),
      },
    }),
    getChainDescriptor: (_request, { node }) => ({ chain: { id: node.chainId } }),
    getCodecDescriptor: () => ({
      codec: { interfaces: [...interfacesOf(chain)].map(([name, types]) => implementers(name, types)) },
    }),
    getConfigurationDescriptor: () => ({ config: { bech32AccountAddressPrefix: chain.addresses.prefix } }),
    getQueryServicesDescriptor: () => ({
      queries: {
        queryServices: services().map(({ typeName, methods }) => ({
          fullname: typeName,
          isModule: ofModules.has(typeName),
          methods: methods.map(({ name }) => ({ name, fullQueryPath: `/${typeName}/${name}` })),
        })),
      },
    }),
    getTxDescriptor: () => ({
      tx: { fullname: TxSchema.typeName, msgs: messages.map(({ typeName }) => ({ msgTypeUrl: `/${typeName}` })) },
    }),
  });
}

function implementers(fullname: string, types: readonly DescMessage[]) {
  return {
    fullname,
    interfaceImplementers: types.map(({ typeName }) => ({ fullname: typeName, typeUrl: `/${typeName}` })),
  };
}
