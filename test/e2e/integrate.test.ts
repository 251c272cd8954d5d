/** The program of docs/integrate.md that proves a key, with a node that has gone through an upgrade. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeBlocks } from "../house/code-blocks.js";
import { TestHome } from "./chaind.js";

const ROOT = join(import.meta.dirname, "../..");
const RPC = "http://127.0.0.1:26657";
const FREE = ["--rpc.enable=true", "--rpc.laddr", "tcp://127.0.0.1:0"];

test("the proof program → a key that is set is proven up to the header's app hash; with a value changed it is not", async () => {
  const [block, ...more] = codeBlocks().filter(({ page }) => page === "docs/integrate.md");
  expect(more).toEqual([]);
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  const running = home.startSlowly(...FREE);
  await running.says("servers open");
  while (
    Number(JSON.parse(await (await fetch(`${rpcOf(home)}/status`)).text()).result.sync_info.latest_block_height) < 7
  );
  const code = (block?.code ?? "").replace(RPC, rpcOf(home));
  expect(code).not.toContain(RPC);
  mkdirSync(join(ROOT, "build/run"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, "build/run/integrate-"));
  try {
    const tail =
      "\nconsole.log(isKeyProven, value.length, verifyMembership(inStore, iavlSpec, root, key, utf8('7')));\ncomet.disconnect();\n";
    writeFileSync(join(folder, "proof.ts"), code + tail);
    const args = [join(ROOT, "scripts/run.mjs"), join(folder, "proof.ts")];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
    expect(stdout, stderr).toBe("true 8 false\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
    running.child.kill("SIGTERM");
    await running.end;
  }
});

function rpcOf(home: TestHome): string {
  const { rpc } = JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as { rpc: string };
  return rpc.replace("tcp:", "http:");
}
