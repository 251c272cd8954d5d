/** Clients that know nothing of the chain: its files, its commands, its messages, all asked from the node. */
import { createFileRegistry, type FileRegistry, fromJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { exampleChain } from "../../../example-chain.js";
import { ReflectedClient, type Reflection } from "./reflected-client.js";
import { get } from "./rest-client.js";
import { type TestNode, useTestNode } from "./test-node.js";

interface Commands {
  readonly service: string;
  readonly rpc_command_options: readonly {
    readonly rpc_method: string;
    readonly use: string;
    readonly skip: boolean;
    readonly gov_proposal: boolean;
    readonly positional_args: readonly { readonly proto_field: string }[];
  }[];
  readonly sub_commands: Readonly<Record<string, Commands>>;
}

type ModuleOptions = Readonly<Record<string, { readonly tx?: Commands; readonly query?: Commands }>>;

async function withClient(node: TestNode, use: (client: ReflectedClient) => Promise<void>): Promise<void> {
  const client = new ReflectedClient(node.grpc);
  try {
    await use(client);
  } finally {
    client.close();
  }
  expect(node.bugs).toEqual([]);
}

/** As clients of `cosmos.reflection.v1` make it: of the files alone. */
async function filesOf(client: ReflectedClient): Promise<FileRegistry> {
  const { json } = await client.call("cosmos.reflection.v1.ReflectionService", "FileDescriptors");
  const { files } = json as { files: { name: string }[] };
  const set = fromJson(FileDescriptorSetSchema, { file: files } as never, { ignoreUnknownFields: true });
  return createFileRegistry(set);
}

async function optionsOf(client: ReflectedClient): Promise<ModuleOptions> {
  const { json } = await client.call("cosmos.autocli.v1.Query", "AppOptions");
  return (json as { module_options: ModuleOptions }).module_options;
}

const groupsOf = (commands: Commands): Commands[] => [
  commands,
  ...Object.values(commands.sub_commands).flatMap(groupsOf),
];

test("Config → the modules in their order", () =>
  useTestNode((node) =>
    withClient(node, async (client) => {
      const { json } = await client.call("cosmos.app.v1alpha1.Query", "Config");
      const { config } = json as { config: { modules: { name: string }[] } };
      expect(config.modules.map(({ name }) => name)).toEqual(exampleChain.modules.map(({ name }) => name));
    }),
  ));

test("AppOptions with FileDescriptors → every module, and a command of each method of its services", () =>
  useTestNode((node) =>
    withClient(node, async (client) => {
      const [registry, options] = [await filesOf(client), await optionsOf(client)];
      expect(Object.keys(options).sort()).toEqual(exampleChain.modules.map(({ name }) => name).sort());
      for (const { name, queries = [] } of exampleChain.modules) {
        const { query, tx } = options[name] ?? {};
        const groups = query ? groupsOf(query) : [];
        expect(groups.map(({ service }) => service)).toEqual(queries.map(({ descriptor }) => descriptor.typeName));
        for (const group of [...groups, ...(tx ? groupsOf(tx) : [])]) {
          const service = registry.getService(group.service);
          const methods = new Map(service?.methods.map((method) => [method.name, method]));
          expect(group.rpc_command_options.map(({ rpc_method }) => rpc_method)).toEqual([...methods.keys()]);
          for (const { rpc_method, positional_args } of group.rpc_command_options) {
            const fields = methods.get(rpc_method)?.input.fields.map(({ name }) => name);
            expect(fields).toEqual(expect.arrayContaining(positional_args.map(({ proto_field }) => proto_field)));
          }
        }
      }
      const balance = options["bank"]?.query?.rpc_command_options.find(({ rpc_method }) => rpc_method === "Balance");
      expect(balance).toMatchObject({ use: "balance [address]", positional_args: [{ proto_field: "address" }] });
      const commandOf = (module: string, method: string) =>
        options[module]?.query?.rpc_command_options.find(({ rpc_method }) => rpc_method === method);
      // As the Cosmos SDK's own clients have them: in the order of fields, and parameters of all types where none is named.
      expect(commandOf("staking", "Delegation")?.use).toBe("delegation [delegator-addr] [validator-addr]");
      expect(commandOf("gov", "Params")?.positional_args).toMatchObject([
        { proto_field: "params_type", optional: true },
      ]);
      expect(options["gov"]?.query?.service).toBe("cosmos.gov.v1.Query");
      expect(Object.keys(options["gov"]?.tx?.sub_commands ?? {})).toEqual(["cosmos-gov-v1beta1"]);
    }),
  ));

test("AppOptions: messages that accounts sign → commands; those of passed proposals → commands that submit one", () =>
  useTestNode((node) =>
    withClient(node, async (client) => {
      const options = await optionsOf(client);
      const named = (module: string) =>
        options[module]?.tx?.rpc_command_options.map(({ use, gov_proposal }) => [use, gov_proposal]);
      expect(named("bank")).toEqual([["send", false]]);
      expect(named("gov")).toEqual([
        ["submit-proposal", false],
        ["exec-legacy-content-proposal", true],
        ["vote", false],
        ["vote-weighted", false],
        ["deposit", false],
        ["cancel-proposal", false],
      ]);
      expect(named("upgrade")).toEqual([
        ["software-upgrade-proposal", true],
        ["cancel-upgrade-proposal", true],
      ]);
    }),
  ));

test("AppOptions without compat-cosmos → the upgrade module's service under the project's name alone", () =>
  useTestNode(
    (node) =>
      withClient(node, async (client) => {
        const { query } = (await optionsOf(client))["upgrade"] ?? {};
        expect(query).toMatchObject({ service: "chain.upgrade.v1beta1.Query", sub_commands: {} });
      }),
    { compatCosmos: false },
  ));

test("cosmos.base.reflection.v2alpha1 → chain id, prefix, sign modes, messages, services", () =>
  useTestNode((node) =>
    withClient(node, async (client) => {
      const ask = async (what: string) =>
        (await client.call("cosmos.base.reflection.v2alpha1.ReflectionService", `Get${what}Descriptor`)).json;
      expect(await ask("Chain")).toEqual({ chain: { id: node.query.node.identity.chainId } });
      expect(await ask("Configuration")).toEqual({ config: { bech32_account_address_prefix: "cosmos" } });
      const { authn } = (await ask("Authn")) as { authn: { sign_modes: { name: string; number: number }[] } };
      expect(authn.sign_modes.map(({ name, number }) => [name, number])).toEqual([
        ["SIGN_MODE_DIRECT", 1],
        ["SIGN_MODE_LEGACY_AMINO_JSON", 127],
      ]);
      const urls = [...exampleChain.router.keys()];
      const { tx } = (await ask("Tx")) as { tx: { fullname: string; msgs: { msg_type_url: string }[] } };
      expect([tx.fullname, tx.msgs.map(({ msg_type_url }) => msg_type_url)]).toEqual(["cosmos.tx.v1beta1.Tx", urls]);
      const { codec } = (await ask("Codec")) as {
        codec: { interfaces: { fullname: string; interface_implementers: { type_url: string }[] }[] };
      };
      expect(codec.interfaces.map(({ fullname }) => fullname)).toEqual([
        "cosmos.base.v1beta1.Msg",
        "cosmos.crypto.PubKey",
      ]);
      expect(codec.interfaces[0]?.interface_implementers.map(({ type_url }) => type_url)).toEqual(urls);
      const { queries } = (await ask("QueryServices")) as {
        queries: { query_services: { fullname: string; is_module: boolean }[] };
      };
      const listed = queries.query_services.map(({ fullname }) => fullname);
      expect((await client.services()).filter((name) => !name.startsWith("grpc."))).toEqual(listed.toSorted());
      const ofModules = queries.query_services.filter(({ is_module }) => is_module).map(({ fullname }) => fullname);
      expect(ofModules).toEqual(exampleChain.services.map(({ descriptor }) => descriptor.typeName));
    }),
  ));

test("cosmos.base.reflection.v1beta1, over gRPC and REST → what may be packed, and its types", () =>
  useTestNode((node) =>
    withClient(node, async (client) => {
      const name = "cosmos.base.reflection.v1beta1.ReflectionService";
      const { json } = await client.call(name, "ListAllInterfaces");
      expect(json).toEqual({ interface_names: ["cosmos.base.v1beta1.Msg", "cosmos.crypto.PubKey"] });
      const path = "/cosmos/base/reflection/v1beta1/interfaces";
      expect(JSON.parse((await get(node, `${path}/cosmos.base.v1beta1.Msg/implementations`)).body)).toEqual({
        implementation_message_names: [...exampleChain.router.keys()],
      });
      expect(JSON.parse((await get(node, `${path}/nothing/implementations`)).body)).toEqual({
        implementation_message_names: [],
      });
      await expect(client.call(name, "ListImplementations")).rejects.toMatchObject({ code: 3 });
    }),
  ));

/** What a node of the Cosmos SDK 0.53.8 lists of the services that this chain's modules have; it has no Msg services either. */
const LISTED_BY_SDK = [
  ...[
    "app.v1alpha1.Query",
    "auth.v1beta1.Query",
    "autocli.v1.Query",
    "bank.v1beta1.Query",
    "base.node.v1beta1.Service",
  ],
  ...["base.reflection.v1beta1.ReflectionService", "base.reflection.v2alpha1.ReflectionService"],
  ...["base.tendermint.v1beta1.Service", "consensus.v1.Query", "gov.v1.Query", "gov.v1beta1.Query"],
  ...["reflection.v1.ReflectionService", "staking.v1beta1.Query", "tx.v1beta1.Service", "upgrade.v1beta1.Query"],
].map((name) => `cosmos.${name}`);

test.each<Reflection>(["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"])(
  "%s → describes the Msg service of every message, with its requests; lists services that can be called alone",
  (reflection) =>
    useTestNode(async (node) => {
      const client = new ReflectedClient(node.grpc, reflection);
      try {
        for (const { schema } of exampleChain.router.values()) {
          const name = `${schema.file.proto.package}.Msg`;
          const { service } = await client.service(name);
          expect(service.methods.map(({ input }) => input.typeName)).toContain(schema.typeName);
        }
        const listed = await client.services();
        expect(listed).toEqual(expect.arrayContaining([...LISTED_BY_SDK, "grpc.reflection.v1alpha.ServerReflection"]));
        expect(listed.filter((name) => name.endsWith(".Msg"))).toEqual([]);
      } finally {
        client.close();
      }
    }),
);
