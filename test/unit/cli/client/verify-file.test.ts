/** `verify-chain --file`: evidence as JSON, and inside of a page that a browser saved. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Output } from "../../../../host/base/terminal/output.js";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { type VerifyChainFlags, verifyChain } from "../../../../host/cli/client/verify/verify-chain.js";
import { collect } from "../../../../host/verify/collect.js";
import { SAVED_PAGE_BYTES_MAX } from "../../../../host/verify/json.js";
import { MadeChain, upgradeWrites } from "../../verify/made-chain.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-verify-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "saved.html");

const chain = new MadeChain({
  ...{ blocks: 12, members: () => [{ seed: 1, power: 10 }], writes: upgradeWrites },
  genesisSeconds: BigInt(Math.floor(Date.now() / 1_000)) - 120n,
});
const evidence = JSON.stringify(
  await collect(chain.ask, { source: "made", now: chain.timeAt(13), rootHeight: 2n }),
).replaceAll("<", "\\u003c");
const element = (id: string, text: string) => `<script type="application/json" id="${id}">${text}</script>`;
const page = (saved: string) =>
  `<!doctype html>\n<html><script>evil()</script>${element("saved", saved)}${element("saved-run", "null")}</html>`;

interface Printed {
  readonly claims: readonly { readonly id: string; readonly state: string; readonly words: string }[];
}

async function claimsOf(content: string | Uint8Array): Promise<Printed["claims"]> {
  writeFileSync(file, content);
  return await judge();
}

async function judge(): Promise<Printed["claims"]> {
  const printed: Printed[] = [];
  // `verifyChain` calls `print` alone, and reads none of the flags that are left out here.
  const output = { print: (json: Printed) => printed.push(json) } as unknown as Output;
  const trust = { trustHeight: 2n, trustHash: chain.hashAt(2), trustingPeriod: 3_600_000_000_000n };
  await verifyChain({ ...trust, height: 0n, file } as unknown as VerifyChainFlags, output);
  return printed[0]?.claims ?? [];
}

describe("verify-chain --file", () => {
  test("a saved page → the claims of its evidence, as of the JSON itself", async () => {
    const claims = await claimsOf(evidence);
    expect(claims).toContainEqual(expect.objectContaining({ id: "plan", state: "proven" }));
    expect(await claimsOf(page(evidence))).toEqual(claims);
    expect(await claimsOf(`\ufeff \n${page(evidence)}`)).toEqual(claims);
  });

  test("a saved page with a changed record → refused, as its JSON is", async () => {
    const changed = evidence.replace(/"value":"(.)/, (_, first: string) => `"value":"${first === "A" ? "B" : "A"}`);
    for (const content of [changed, page(changed)]) {
      await expect(claimsOf(content)).rejects.toMatchObject({ code: expect.stringMatching(/^UPG_PROOF_/) });
    }
  });

  test.each([
    ["a page of something else", "<html>hello</html>", "not a saved page of an upgrade"],
    ["the page without evidence", page("null"), "saved without evidence"],
    ["a saved page that was cut", page(evidence).slice(0, 500), "not JSON"],
    ["no text", Uint8Array.of(0xff, 0xfe, 0x00), "not UTF-8"],
    ["nothing", "", "not JSON"],
    ["evidence larger than 16 MiB", page(`"${"x".repeat(17 * 1_024 * 1_024)}"`), "more than 16777216 bytes"],
    ["JSON nested too deep", page("[".repeat(200)), "nested deeper than 130"],
    ["bytes of the file in no message", utf8("\u202eLIE"), "not JSON"],
  ])("%s → UPG_PROOF_MALFORMED that names the file and why", async (_what, content, why) => {
    const error = await claimsOf(content).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "UPG_PROOF_MALFORMED", message: expect.stringContaining(why) });
    expect((error as Error).message).toContain(file);
    expect((error as Error).message).not.toContain("LIE");
  });

  test("a file that is larger than any saved page → refused before it is read as text", async () => {
    writeFileSync(file, "<");
    truncateSync(file, SAVED_PAGE_BYTES_MAX + 1);
    await expect(judge()).rejects.toMatchObject({
      code: "UPG_PROOF_MALFORMED",
      message: expect.stringContaining(`more than ${SAVED_PAGE_BYTES_MAX} bytes`),
    });
  });
});
