/** Commands of chainvisor on a home whose state a test has prepared, with programs that print one line for `pre-upgrade`. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { TestHome } from "../../e2e/chaind.js";
import { chainvisorHere } from "../../in-process.js";

const NAME = "dummyd";
/** Nothing listens there. */
const SILENT_NODE = { DAEMON_GRPC_ADDRESS: "127.0.0.1:9", CHAINVISOR_RPC_ADDRESS: "http://127.0.0.1:9" };

export function program(home: TestHome, folder: string, says: string): string {
  const file = join(home.path, "cosmovisor", folder, "bin", NAME);
  mkdirSync(dirname(file), { recursive: true });
  // Programs of one test differ: a copy of the program that runs is no upgrade.
  const source = `#!${process.execPath}\n// ${folder}\nif (process.argv[2] === "pre-upgrade") console.log(${JSON.stringify(says)});\n`;
  writeFileSync(file, source);
  chmodSync(file, 0o755);
  return file;
}

export async function visor(home: TestHome, ...words: readonly string[]) {
  const env = { ...SILENT_NODE, DAEMON_ALLOW_DOWNLOAD_BINARIES: "false", UNSAFE_SKIP_BACKUP: "true" };
  const args = [...words, "--home", home.path, "--name", NAME, "-o", "json"];
  const { status, stdout, stderr } = await chainvisorHere(args, { env });
  if (status !== 2) expect(stdout, stderr).not.toBe("");
  return { status, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}
