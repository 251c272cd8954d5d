/** `chain-upgrade/verify`, as it is built, in engines that lack what Node has: Safari 15 and Hermes, which React Native has. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HERMES } from "./prepare.js";
import { bundled, bundledForHermes } from "./verify/bundle.js";
import { type Prepared, preparedData } from "./verify/data.js";

const MINUTES = 120_000;
const FORGED = "forged: UPG_PROOF_COMMIT";

/** What came after Safari 15.4, by the object that has it. */
const YOUNGER = {
  "String.prototype": ["isWellFormed", "toWellFormed"],
  "Array.prototype": ["toReversed", "toSorted", "toSpliced", "with"],
  "Object.getPrototypeOf(Uint8Array.prototype)": ["toReversed", "toSorted", "with"],
  "Uint8Array.prototype": ["toHex", "toBase64", "setFromHex", "setFromBase64"],
  Uint8Array: ["fromHex", "fromBase64"],
  Array: ["fromAsync"],
  Object: ["groupBy"],
  Map: ["groupBy"],
  Promise: ["withResolvers", "try"],
  "Set.prototype": ["union", "intersection", "difference", "isSubsetOf"],
  "ArrayBuffer.prototype": ["transfer", "transferToFixedLength", "resize"],
  AbortSignal: ["timeout", "any"],
  // Ed25519 in WebCrypto is younger too, and Node alone has Buffer.
  globalThis: ["crypto", "Buffer"],
};

describe("dist/verify.js", () => {
  let data: Prepared;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "chain-upgrade-engines-"));
    data = await preparedData();
  }, MINUTES);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function saved(text: string): string {
    const file = join(folder, "program.cjs");
    writeFileSync(file, text);
    return file;
  }

  test(
    "with the target of Safari 15, without what came after 15.4 and without WebCrypto → claims, a refusal, and a run",
    async () => {
      const text = await bundled({ target: "safari15" }, "(text) => process.stdout.write(text)", data.json);
      const removals = Object.entries(YOUNGER).flatMap(([of, names]) => names.map((name) => `delete ${of}.${name};`));
      const file = saved(`${removals.join("\n")}\n${text}`);
      const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
      expect(stdout, stderr).toMatch(data.claims);
      expect(stdout).toContain(FORGED);
      expect(stdout).toContain(data.run);
    },
    MINUTES,
  );

  test.skipIf(!existsSync(HERMES))(
    `in Hermes → claims and a refusal; a run names what is missing${existsSync(HERMES) ? "" : " (Hermes is missing here)"}`,
    async () => {
      const file = saved(await bundledForHermes(data.json));
      const { stdout, stderr } = spawnSync(HERMES, ["-w", file], { encoding: "utf8" });
      expect(stdout, stderr).toMatch(data.claims);
      expect(stdout).toContain(FORGED);
      expect(stdout).toMatch(/^run: UPG_HANDLER_ENGINE cannot run the upgrade: this engine has no WebAssembly/m);
    },
    MINUTES,
  );
});
