import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ChainUpgrades, planInfoTables } from "./plan-info-table.js";

const root = join(import.meta.dirname, "../..");
const file = join(process.env["CHAIN_DATA"] ?? join(root, "../shared/data"), "chain-upgrades.json");

test.skipIf(!existsSync(file))("planInfoTables() of chain-upgrades.json → the tables of docs/plan-info.md", () => {
  const chains = JSON.parse(readFileSync(file, "utf8")) as ChainUpgrades[];
  const page = readFileSync(join(root, "docs/plan-info.md"), "utf8");
  const [, tables] = /<!-- tables: begin -->\n\n(.*?)\n\n<!-- tables: end -->/s.exec(page) ?? [];
  expect(tables).toBe(planInfoTables(chains));
});

describe("planInfoTables()", () => {
  const digest = "0".repeat(64);
  const chain = (name: string, ...binaries: Record<string, string>[]): ChainUpgrades => ({
    chain: name,
    versions: [...binaries.map((map) => ({ name: "v", binaries: map })), { name: "without" }],
  });

  test("counts maps by verdict and URLs by reason", () => {
    const good = `https://h/x?checksum=sha256:${digest}`;
    const tables = planInfoTables([
      chain("b", { "linux/amd64": good, "linux/arm64": "https://h/x" }, { any: "https://h/x" }),
      chain("a", { any: good }, { any: "https://h/x:checksum=sha256:00" }, { any: "https://h/x?checksum=00" }),
      chain("c"),
    ]);
    expect(tables.split("\n")).toEqual([
      "| `binaries` maps | maps | URLs | chains |",
      "| --- | ---: | ---: | --- |",
      "| no URL has a checksum | 2 | 2 | a, b |",
      "| some URLs have no checksum | 1 | 2 | b |",
      "| malformed: a checksum is given and wrong | 1 | 1 | a |",
      "| well-formed: every URL has a checksum that can fit | 1 | 1 | a |",
      "",
      "| URLs | maps | URLs | chains |",
      "| --- | ---: | ---: | --- |",
      "| accepted | 2 | 2 | a, b |",
      "| missing checksum query parameter | 2 | 2 | b |",
      "| Unknown type for checksum 00 | 1 | 1 | a |",
      expect.stringMatching(/^\| missing checksum query parameter; invalid checksum: .* \| 1 \| 1 \| a \|$/),
    ]);
  });
});
