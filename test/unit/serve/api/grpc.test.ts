/** gRPC, by a client that has no descriptors of its own. */
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { ReflectedClient, type Reflection } from "./reflected-client.js";
import { SIGNER, type TestNode, useTestNode } from "./test-node.js";

const NAMES = ["chain.upgrade.v1beta1.Query", "cosmos.upgrade.v1beta1.Query"];
const REFLECTIONS: readonly Reflection[] = [
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
];

async function withClient(node: TestNode, use: (client: ReflectedClient) => Promise<void>, reflection?: Reflection) {
  const client = new ReflectedClient(node.grpc, reflection);
  try {
    await use(client);
  } finally {
    client.close();
  }
}

describe("gRPC by reflection alone", () => {
  test.each(REFLECTIONS)("%s → the upgrade module's methods under both names", (reflection) =>
    useTestNode(async (node) => {
      node.schedule("v2", 9n, "go & see");
      await withClient(
        node,
        async (client) => {
          expect(await client.services()).toEqual(expect.arrayContaining([...NAMES, "cosmos.tx.v1beta1.Service"]));
          for (const name of NAMES) {
            const { json } = await client.call(name, "CurrentPlan");
            expect(json).toMatchObject({ plan: { name: "v2", height: "9", time: "0001-01-01T00:00:00Z" } });
            expect((await client.call(name, "AppliedPlan", { name: "v2" })).json).toEqual({ height: "0" });
            const versions = await client.call(name, "ModuleVersions", { module_name: "bank" });
            expect(versions.json).toEqual({ module_versions: [{ name: "bank", version: "1" }] });
            expect((await client.call(name, "Authority")).json).toEqual({ address: node.node.app.keeper.authority });
          }
        },
        reflection,
      );
    }),
  );

  test("heights in metadata → that state, named in the answer's; wrong ones and unknown things by number", () =>
    useTestNode(async (node) => {
      node.schedule("v2", 9n);
      await withClient(node, async (client) => {
        for (const name of NAMES) {
          expect(await client.call(name, "CurrentPlan", {}, "2")).toEqual({ json: {}, height: "2" });
          expect((await client.call(name, "CurrentPlan")).height).toBe("3");
          await expect(client.call(name, "CurrentPlan", {}, "99")).rejects.toMatchObject({
            code: 5,
            errorCode: "UPG_NOT_FOUND_VERSION",
          });
          await expect(client.call(name, "CurrentPlan", {}, "-1")).rejects.toMatchObject({ code: 3 });
          await expect(client.call(name, "CurrentPlan", {}, "x")).rejects.toMatchObject({ code: 3 });
          await expect(client.call(name, "ModuleVersions", { module_name: "nope" })).rejects.toMatchObject({
            code: 5,
            details: "x/upgrade: QueryModuleVersions module nope not found: module version not found",
            errorCode: "UPG_NOT_FOUND_MODULE",
          });
          await expect(client.call(name, "AppliedPlan", { name: "x".repeat(4_097) })).rejects.toMatchObject({
            code: 3,
          });
        }
        const account = await client.call("cosmos.auth.v1beta1.Query", "AccountInfo", { address: SIGNER });
        expect(account.json).toMatchObject({ info: { address: SIGNER, account_number: "100" } });
      });
      expect(node.bugs).toEqual([]);
    }));

  test("every service and file that is listed can be had; what is absent has a response too", () =>
    useTestNode(async (node) => {
      await withClient(node, async (client) => {
        for (const name of await client.services()) {
          const { service } = await client.service(name);
          expect(service.methods.length).toBeGreaterThan(0);
          const file = await client.ask({ case: "fileByFilename", value: service.file.proto.name });
          expect(file.case).toBe("fileDescriptorResponse");
          for (const { input, name: method } of service.methods) {
            for (const value of [name, `${name}.${method}`, input.typeName]) {
              const found = await client.ask({ case: "fileContainingSymbol", value });
              expect(found.case, value).toBe("fileDescriptorResponse");
            }
          }
        }
        for (const value of ["nope", "", "x".repeat(10_000)]) {
          expect(await client.ask({ case: "fileContainingSymbol", value })).toMatchObject({
            case: "errorResponse",
            value: { errorCode: 5 },
          });
        }
        const numbers = await client.ask({ case: "allExtensionNumbersOfType", value: "google.protobuf.MethodOptions" });
        expect(numbers).toMatchObject({ value: { extensionNumber: [72_295_728] } });
        const extension = { containingType: "google.protobuf.MethodOptions", extensionNumber: 72_295_728 };
        const file = await client.ask({ case: "fileContainingExtension", value: extension as never });
        expect(file.case).toBe("fileDescriptorResponse");
        if (file.case !== "fileDescriptorResponse") return;
        const names = file.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
        expect(names).toContain("google/api/annotations.proto");
      });
    }));

  test("health → serving with a block, not before, not while stopping; an unknown service is not found", () =>
    useTestNode(
      async (node) => {
        await withClient(node, async (client) => {
          const check = async (service = "") => (await client.call("grpc.health.v1.Health", "Check", { service })).json;
          expect(await check()).toEqual({ status: "NOT_SERVING" });
          node.makeBlocks(1);
          for (const name of ["", ...NAMES]) expect(await check(name)).toEqual({ status: "SERVING" });
          node.isReady = false;
          expect(await check()).toEqual({ status: "NOT_SERVING" });
          await expect(check("nope")).rejects.toMatchObject({ code: 5, details: "unknown service nope" });
          const details = `unknown service ${"x".repeat(200)}`;
          await expect(check("x".repeat(201))).rejects.toMatchObject({ code: 5, details });
        });
      },
      { blocks: 0 },
    ));

  test("--compat-cosmos=false → the cosmos name is neither listed nor served", () =>
    useTestNode(
      async (node) => {
        await withClient(node, async (client) => {
          expect(await client.services()).not.toContain(NAMES[1]);
          const bare = new Client(node.grpc, credentials.createInsecure());
          const call = new Promise((_, reject) =>
            bare.makeUnaryRequest(
              "/cosmos.upgrade.v1beta1.Query/CurrentPlan",
              () => Buffer.alloc(0),
              (bytes: Buffer) => bytes,
              null,
              (error) => reject(error),
            ),
          );
          await expect(call).rejects.toMatchObject({ code: 12 });
          bare.close();
        });
      },
      { compatCosmos: false },
    ));
});

describe("gRPC, bounds", () => {
  test("a message over the bound → RESOURCE_EXHAUSTED; garbage → an error, and the server serves on", () =>
    useTestNode(async (node) => {
      const client = new Client(node.grpc, credentials.createInsecure(), { "grpc.max_send_message_length": -1 });
      const send = (bytes: Buffer) =>
        new Promise<number>((resolve) =>
          client.makeUnaryRequest(
            "/cosmos.tx.v1beta1.Service/BroadcastTx",
            () => bytes,
            (answer: Buffer) => answer,
            null,
            (error) => resolve(error?.code ?? 0),
          ),
        );
      expect(await send(Buffer.alloc(10 * 1_048_576))).toBe(8);
      expect(await send(Buffer.from([0xff, 0xff, 0xff]))).toBeGreaterThan(0);
      expect(await send(Buffer.alloc(0))).toBe(3);
      client.close();
      await withClient(node, async (other) => {
        expect((await other.call(NAMES[0] ?? "", "CurrentPlan")).json).toEqual({});
      });
    }));

  test("more calls than are served at once → UNAVAILABLE", () =>
    useTestNode(
      async (node) => {
        await withClient(node, async (client) => {
          await expect(client.call(NAMES[0] ?? "", "CurrentPlan")).rejects.toMatchObject({
            code: 14,
            errorCode: "UPG_REMOTE_BUSY",
          });
        });
      },
      { limits: { concurrency: 0 } },
    ));
});
