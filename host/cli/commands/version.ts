/** `chaind version`. */

import type { Cobra } from "../../base/terminal/cobra.js";
import { VERSION } from "../../base/terminal/version.js";
import { toHex } from "../../base/text/bytes.js";
import type { Chain } from "../../chain/app/chain.js";
import type { Context } from "../flags/context.js";

export function registerVersion(program: Cobra, context: Context): void {
  const { chain } = context;
  program
    .command("version")
    .summary("Print the version of this program")
    .description(
      "Prints the version of this program; with --long also what it is made of,\n" +
        "and the SHA-256 of each file of the status page that its nodes serve.",
    )
    .option("--long", "more than the version")
    .action(async ({ long }: { long?: boolean }) => {
      const facts = { name: "chain-upgrade", server_name: chain.name, version: VERSION };
      if (!long) await context.print(facts, VERSION);
      else await context.print({ ...facts, ...(await longFacts(chain)) });
    });
}

async function longFacts(chain: Chain) {
  const { CORE_WASM } = await import("../../upgrade/core/core-wasm.js");
  const { PAGE_FILES } = await import("../../serve/api/page-bytes.js");
  const { pageHashes } = await import("../../serve/api/rest/page-files.js");
  const { sha256 } = await import("../../base/native/sha256.js");
  return {
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
    core_sha256: toHex(sha256(CORE_WASM())),
    page_sha256: await pageHashes(PAGE_FILES, sha256),
    app_versions: chain.versions.map(({ number, plan, modules }) => ({
      version: String(number),
      plan: plan ?? "",
      modules: Object.fromEntries([...modules].map(([name, version]) => [name, String(version)])),
    })),
  };
}
