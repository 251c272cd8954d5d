/** Addresses of gRPC servers as people write them. */
import { expect, test } from "vitest";
import { GrpcClient } from "../../../../host/node/remote/grpc.js";

test.each<[string, boolean, string]>([
  ["127.0.0.1:7", true, "http://127.0.0.1:7/"],
  ["tcp://node.example:7", true, "http://node.example:7/"],
  ["node.example", true, "http://node.example:9090/"],
  ["[::1]", true, "http://[::1]:9090/"],
  ["node.example:80", true, "http://node.example/"],
  ["node.example", false, "https://node.example/"],
  ["https://node.example:9090/", false, "https://node.example:9090/"],
])("new GrpcClient(%j), insecure %s → asks %s", (address, isInsecure, url) => {
  expect(new GrpcClient(address, { isInsecure }).url.href).toBe(url);
});

test.each(["a b", "node.example:", "::1", "node.example:99999"])(
  "new GrpcClient(%j) → UPG_INVALID_ARGUMENT",
  (address) => {
    expect(() => new GrpcClient(address, { isInsecure: true })).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }),
    );
  },
);
