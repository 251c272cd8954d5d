/**
 * `npm run embed:sdk:versions [SDK …]`: chains on Cosmos SDK 0.50.13 and 0.53.8 that know nothing of chain-upgrade add its Go modules with
 * `go get`, from a module proxy in a folder (scripts/go-proxy.mjs). Their versions of the SDK must not change. Then each chain, with
 * CometBFT in its process, goes through an upgrade by a handler, and its node restarts twice. The first time Go compiles both SDKs.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sdkBinaries } from "./plain-chain.js";
import { HANDLER, type SdkBinaries, SdkChain } from "./sdk-chain.js";

const RESTARTS = 2;

/**
 * The lowest and the newest line of the SDK that chains run, with what a chain on it requires: of the lowest nothing but the SDK; of the
 * newest what the example's go.mod does.
 */
const LINES: ReadonlyMap<string, readonly string[]> = new Map([
  ["0.50.13", ["github.com/cosmos/cosmos-sdk@v0.50.13", "cosmossdk.io/x/upgrade@v0.1.4", "cosmossdk.io/store@v1.1.1"]],
  ["0.53.8", []],
]);

async function upgrade(binaries: SdkBinaries): Promise<string> {
  const chain = new SdkChain(binaries);
  try {
    chain.init();
    await chain.start(1);
    await chain.untilHeight(3);
    const sha256 = createHash("sha256").update(readFileSync(HANDLER)).digest("hex");
    const height = await chain.schedule(JSON.stringify({ handler: { sha256 } }));
    await chain.untilSays(`UPGRADE \\"v2\\" NEEDED at height: ${height}`);
    await chain.stop();
    const rehearsed = chain.rehearse();
    if (!rehearsed.ok) throw new Error(`the rehearsal failed: ${rehearsed.message}`);
    await chain.start(2);
    await chain.untilHeight(height + 2);
    const { header } = (await chain.get(`commit?height=${height + 1}`)).signed_header;
    if (header.app_hash !== rehearsed.app_hash) {
      throw new Error(`app hash ${header.app_hash}, rehearsed ${rehearsed.app_hash}`);
    }
    for (let restart = 1; restart <= RESTARTS; restart++) {
      await chain.stop();
      const last = await restarted(chain, restart);
      if (last <= height) throw new Error(`no block after restart ${restart}`);
    }
    return `upgraded at ${height}, app hash ${header.app_hash} as rehearsed, restarted ${RESTARTS} times`;
  } finally {
    await chain.close();
  }
}

/** The second restart is without the handler's file, which only the plan's height needs. */
async function restarted(chain: SdkChain, restart: number): Promise<number> {
  await chain.start(2, restart === 1 ? HANDLER : "/nonexistent/v2.wasm");
  await chain.untilHeight(1);
  const next = (await chain.height()) + 2;
  await chain.untilHeight(next);
  return next;
}

const asked = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-versions-"));
try {
  for (const [sdk, requires] of LINES) {
    if (asked.length > 0 && !asked.includes(sdk)) continue;
    const { binaries, kept } = sdkBinaries(join(folder, sdk), requires);
    console.log(`SDK ${sdk}: go get kept ${kept.join(", ")}`);
    for (const binary of Object.values(binaries)) if (!existsSync(binary)) throw new Error(`${binary} is missing`);
    console.log(`SDK ${sdk}: ${await upgrade(binaries)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
