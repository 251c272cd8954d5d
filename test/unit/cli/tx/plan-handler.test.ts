/** What `tx upgrade software-upgrade --handler FILE` makes of an info and of a summary. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import { checkedHandler, handlerSummary, infoWithHandler } from "../../../../host/cli/client/tx/plan-handler.js";
import { checkPlanInfo, parsePlanInfo, planHandlerHash } from "../../../../host/upgrade/plan-info/plan-info.js";
import { exampleChain } from "../../../example-chain.js";
import { build, guest, sha256 } from "../../../guest/build.js";

const SHA = "ab".repeat(32);
const OTHER = "cd".repeat(32);
const BINARY = `https://example.com/v2.tar.gz?checksum=sha256:${OTHER}`;
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-plan-handler-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

describe("infoWithHandler()", () => {
  test("no info → a document with the pin alone", () => {
    for (const info of ["", "  \n"]) {
      expect(infoWithHandler(info, { sha256: SHA })).toBe(`{"handler":{"sha256":"${SHA}"}}`);
    }
  });

  test("no info and a URL → both are pinned, and the check takes it", () => {
    const info = infoWithHandler("", { sha256: SHA, url: "https://example.com/v3.wasm" });
    expect(info).toBe(`{"handler":{"url":"https://example.com/v3.wasm","sha256":"${SHA}"}}`);
    expect(checkPlanInfo(info)).toMatchObject({ ok: true, errors: [] });
  });

  test("a document → its text stays, and the pin is before it", () => {
    for (const rest of [`"binaries":{"any":"${BINARY}"}`, ` "note": "see \\"forum\\"" , "x":[1,{}]`]) {
      const info = infoWithHandler(`{${rest}}`, { sha256: SHA });
      expect(info).toBe(`{"handler":{"sha256":"${SHA}"},${rest}}`);
      expect(planHandlerHash(info)).toBe(SHA);
    }
    expect(infoWithHandler("{ }", { sha256: SHA })).toBe(`{"handler":{"sha256":"${SHA}"}}`);
    expect(infoWithHandler('{"handler":null}', { sha256: SHA })).toBe(`{"handler":{"sha256":"${SHA}"},"handler":null}`);
  });

  test("any binaries → the same after the merge, and the file is pinned", () => {
    const urls = fc.dictionary(fc.constantFrom("any", "linux/amd64", "darwin/arm64"), fc.constant(BINARY));
    fc.assert(
      fc.property(urls, fc.nat(4), (binaries, indent) => {
        const text = JSON.stringify({ binaries }, undefined, indent);
        const before = parsePlanInfo(text);
        const after = parsePlanInfo(infoWithHandler(text, { sha256: SHA }));
        expect(after).toEqual({ ...before, handler: { sha256: SHA } });
      }),
    );
  });

  test("a pin of this file, in capitals too → the text as it is; of another file, or a broken one → refused", () => {
    for (const hash of [SHA, SHA.toUpperCase()]) {
      const info = `{"handler":{"sha256":"${hash}"}}`;
      expect(infoWithHandler(info, { sha256: SHA })).toBe(info);
    }
    const refused = (info: string) => () => infoWithHandler(info, { sha256: SHA });
    const code = "UPG_INVALID_PLAN_INFO";
    expect(refused(`{"handler":{"sha256":"${OTHER}"}}`)).toThrow(expect.objectContaining({ code }));
    expect(refused(`{"handler":{"sha256":"${OTHER}"}}`)).toThrow(`pins the handler ${OTHER}, and the file has ${SHA}`);
    expect(refused('{"Handler":{"url":"https://example.com/v3.wasm"}}')).toThrow("it has no sha256");
    expect(refused('{"handler":7}')).toThrow("it must be an object");
  });

  test("a URL beside a pin of the info → refused, as the info has its own", () => {
    const given = { sha256: SHA, url: "https://example.com/v3.wasm" };
    expect(() => infoWithHandler(`{"handler":{"sha256":"${SHA}"}}`, given)).toThrow("--handler-url");
  });

  test("a reference, a text, a document that cannot be read → refused: they can pin nothing", () => {
    for (const info of ["https://example.com/info.json", "see the forum", "null", "[]", '{"binaries":7}', "{"]) {
      expect(() => infoWithHandler(info, { sha256: SHA }), info).toThrow(
        expect.objectContaining({ code: "UPG_INVALID_PLAN_INFO" }),
      );
    }
  });
});

describe("checkedHandler()", () => {
  test("a file that a node takes → its hash, and what it may do", () => {
    const bytes = build(guest(), { name: "v3", storeUpgrades: { deleted: ["old"] } });
    const check = checkedHandler(exampleChain, file("v3.wasm", bytes), "v3");
    expect(check).toMatchObject({ ok: true, sha256: toHex(sha256(bytes)), stores_deleted: ["old"] });
  });

  test("a refused file → its first finding's code, and all findings; no file → UPG_INVALID_ARGUMENT", () => {
    const bad = file("bad.wasm", Uint8Array.of(1, 2, 3));
    expect(() => checkedHandler(exampleChain, bad, "v3")).toThrow(
      expect.objectContaining({ code: "UPG_HANDLER_FORMAT" }),
    );
    expect(() => checkedHandler(exampleChain, bad, "v3")).toThrow(`chaind handler check ${bad}`);
    expect(() => checkedHandler(exampleChain, join(folder, "none.wasm"), "v3")).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }),
    );
  });

  test("a handler for another plan → refused: at the height it would count as absent", () => {
    const path = file("other.wasm", build(guest(), { name: "v4" }));
    const refused = () => checkedHandler(exampleChain, path, "v3");
    expect(refused).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
    expect(refused).toThrow('is for plan "v4", and the proposal is for "v3"');
  });
});

describe("handlerSummary()", () => {
  test("what is deleted is before what is changed; it has the hash", () => {
    const bytes = build(guest(), {
      name: "v3",
      stores: [{ name: "bank", access: "rw" }],
      storeUpgrades: { deleted: ["old"] },
      versions: { bank: { from: [2], to: 3 } },
    });
    const summary = handlerSummary("chaind", checkedHandler(exampleChain, file("sum.wasm", bytes), "v3"));
    expect(summary).toContain(`SHA-256 ${toHex(sha256(bytes))}`);
    expect(summary).toContain("DELETES STORE");
    expect(summary.indexOf("DELETES STORE")).toBeLessThan(summary.indexOf("writes stores"));
    expect(summary).toContain("at most 10000000000 gas");
  });

  test("a handler with more than a summary holds → cut at the bound of gov, with the command that shows all", () => {
    const deleted = Array.from({ length: 400 }, (_, i) => `store-${i}`).sort();
    const bytes = build(guest(), { name: "v3", storeUpgrades: { deleted } });
    const summary = handlerSummary("chaind", checkedHandler(exampleChain, file("long.wasm", bytes), "v3"));
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(10_200);
    expect(summary).toMatch(/and \d+ more lines: chaind handler check/);
  });
});
