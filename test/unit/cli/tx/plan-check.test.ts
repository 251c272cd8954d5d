import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPlan } from "../../../../host/cli/client/tx/plan-check.js";

const BYTES = Buffer.from("a new version");
const SHA256 = createHash("sha256").update(BYTES).digest("hex");
const SHA512 = createHash("sha512").update(BYTES).digest("hex");
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-plan-"));
let server: Server;
let web = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    const bodies: Record<string, string | Buffer> = {
      "/v2": BYTES,
      "/SHA256SUMS": `${"0".repeat(64)}  other\n${SHA256}  v2\n`,
      "/BSD": `SHA512 (v2) = ${SHA512}\n`,
      "/info.json": JSON.stringify({ binaries: { any: `${web}/v2?checksum=sha256:${SHA256}` } }),
      "/again.json": `${web}/info.json?checksum=sha256:${"0".repeat(64)}`,
    };
    const body = bodies[request.url ?? ""];
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  web = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(folder, "v2"), BYTES);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const binaries = (url: string) => JSON.stringify({ binaries: { "linux/amd64": url } });
const check = (info: string, flags = {}, plan = {}) =>
  checkPlan(
    { name: "v2", height: 10n, info, ...plan },
    { validate: true, checksumRequired: true, download: true, ...flags },
    () => undefined,
  );

describe("checkPlan() with --download", () => {
  test("a right sha256, sha512, sums file, local file or document that a reference leads to → accepted", async () => {
    await check(binaries(`${web}/v2?checksum=sha256:${SHA256}`));
    await check(binaries(`${web}/v2?checksum=sha512:${SHA512}`));
    await check(binaries(`${web}/v2?checksum=file:${web}/SHA256SUMS`));
    await check(binaries(`${web}/v2?checksum=file:${web}/BSD`));
    await check(binaries(`${pathToFileURL(join(folder, "v2")).href}?checksum=sha256:${SHA256}`));
    const document = createHash("sha256").update(
      JSON.stringify({ binaries: { any: `${web}/v2?checksum=sha256:${SHA256}` } }),
    );
    await check(`${web}/info.json?checksum=sha256:${document.digest("hex")}`);
    await check(
      JSON.stringify({
        binaries: { any: `${web}/v2?checksum=${SHA256}` },
        handler: { url: `${web}/v2`, sha256: SHA256 },
      }),
    );
    await check(binaries(`${web}/v2`), { checksumRequired: false });
  });

  test.each<[string, () => string]>([
    ["UPG_INVALID_PLAN_INFO", () => binaries(`${web}/v2?checksum=sha256:${"0".repeat(64)}`)],
    ["UPG_INVALID_PLAN_INFO", () => binaries(`${web}/v3?checksum=file:${web}/SHA256SUMS`)],
    ["UPG_INVALID_PLAN_INFO", () => `${web}/info.json?checksum=sha256:${"0".repeat(64)}`],
    ["UPG_REMOTE_UNAVAILABLE", () => binaries(`${web}/none?checksum=sha256:${SHA256}`)],
    ["UPG_REMOTE_UNAVAILABLE", () => binaries(`http://127.0.0.1:9/v2?checksum=sha256:${SHA256}`)],
    ["UPG_REMOTE_UNAVAILABLE", () => binaries(`${pathToFileURL(join(folder, "none")).href}?checksum=sha256:${SHA256}`)],
    [
      "UPG_INVALID_PLAN_INFO",
      () =>
        JSON.stringify({
          binaries: { any: `${web}/v2?checksum=${SHA256}` },
          handler: { url: `${web}/v2`, sha256: "0".repeat(64) },
        }),
    ],
  ])("%s", async (code, info) => {
    await expect(check(info())).rejects.toMatchObject({ code });
  });
});

describe("checkPlan() without a network", () => {
  test("the plan's own rules hold with --no-validate too; its info then is free", async () => {
    await check("anything", { validate: false });
    await expect(check("anything", { validate: false }, { name: "" })).rejects.toMatchObject({
      code: "UPG_INVALID_PLAN_NAME",
    });
    await expect(check("anything", { validate: false }, { height: 0n })).rejects.toMatchObject({
      code: "UPG_INVALID_PLAN_HEIGHT",
    });
    await expect(check("x".repeat(65_537), { validate: false })).rejects.toMatchObject({
      code: "UPG_INVALID_PLAN_INFO",
    });
  });

  test("an info that has a handler's pin alone → taken; one that is malformed → refused", async () => {
    await check(JSON.stringify({ handler: { sha256: SHA256 } }), { download: false });
    await check(JSON.stringify({ handler: { url: `${web}/v2`, sha256: SHA256 } }), { download: false });
    for (const handler of [{ sha256: "abc" }, { url: `${web}/v2` }, "see the forum"]) {
      await expect(check(JSON.stringify({ handler }), { download: false })).rejects.toMatchObject({
        code: "UPG_INVALID_PLAN_INFO",
      });
    }
  });

  test("all faults of an info are reported at once", async () => {
    const info = JSON.stringify({ binaries: { linux: `${web}/v2?checksum=sha256:${SHA256}`, any: `${web}/v2` } });
    await expect(check(info, { download: false })).rejects.toMatchObject({
      code: "UPG_INVALID_PLAN_INFO",
      message: expect.stringMatching(/invalid os\/arch format in key "linux".*missing checksum query parameter/),
    });
  });

  test("md5 and sha1 → only with --allow-weak-checksum", async () => {
    const md5 = createHash("md5").update(BYTES).digest("hex");
    await expect(check(binaries(`${web}/v2?checksum=md5:${md5}`))).rejects.toMatchObject({
      code: "UPG_INVALID_PLAN_INFO",
    });
    await check(binaries(`${web}/v2?checksum=md5:${md5}`), { allowWeakChecksum: true });
  });
});
