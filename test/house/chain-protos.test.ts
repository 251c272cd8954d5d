/** A chain's own .proto files with the Cosmos SDK's options, generated as docs/build-a-chain.md says. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ROOT } from "./sources.js";

const PAGE = readFileSync(join(ROOT, "docs/build-a-chain.md"), "utf8");
const [, WORKSPACE = ""] = /^```yaml\n(version: v2\nmodules:\n[\s\S]*?)^```$/m.exec(PAGE) ?? [];
const PROTO = `syntax = "proto3";
package tags.v1;

import "cosmos/msg/v1/msg.proto";
import "google/api/annotations.proto";

service Msg {
  option (cosmos.msg.v1.service) = true;
  rpc SetTag(MsgSetTag) returns (MsgSetTagResponse);
}

message MsgSetTag {
  option (cosmos.msg.v1.signer) = "owner";
  string owner = 1;
}

message MsgSetTagResponse {}

service Query {
  rpc Tag(QueryTagRequest) returns (QueryTagResponse) {
    option (google.api.http).get = "/tags/{owner}";
  }
}

message QueryTagRequest {
  string owner = 1;
}

message QueryTagResponse {}
`;

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-protos-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("buf build with the options of signers, services and routes and the page's buf.yaml → a module of the chain and its imports", () => {
  expect(WORKSPACE).toContain("node_modules/chain-upgrade/proto");
  cpSync(join(ROOT, "proto"), join(folder, "node_modules/chain-upgrade/proto"), { recursive: true });
  mkdirSync(join(folder, "proto"));
  writeFileSync(join(folder, "proto/tags.proto"), PROTO);
  writeFileSync(join(folder, "buf.yaml"), WORKSPACE);
  const buf = join(ROOT, "node_modules/.bin/buf");
  const image = JSON.parse(
    execFileSync(buf, ["build", "proto", "-o", "-#format=json"], { cwd: folder, encoding: "utf8" }),
  );
  const [tags] = image.file.filter(({ name }: { name: string }) => name === "tags.proto");
  expect(tags.messageType[0].options).toEqual({ "[cosmos.msg.v1.signer]": ["owner"] });
  expect(tags.service[0].options).toEqual({ "[cosmos.msg.v1.service]": true });
  expect(tags.service[1].method[0].options).toEqual({ "[google.api.http]": { get: "/tags/{owner}" } });
});
