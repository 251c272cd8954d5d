/**
 * docs/build-a-chain.md, executed from the packed package in an empty folder: its files are written, its commands are one
 * session of a real shell, word by word. Then stock CosmJS writes a note, and gRPC reflection reads it.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { DirectSecp256k1HdWallet, type GeneratedType, Registry } from "@cosmjs/proto-signing";
import { defaultRegistryTypes, SigningStargateClient } from "@cosmjs/stargate";
import { afterAll, expect, test } from "vitest";
import { MsgAddNoteSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { ReflectedClient } from "../unit/serve/api/reflected-client.js";
import { MNEMONIC } from "../unit/serve/api/test-node.js";
import { freePort } from "./free-port.js";
import { packInto } from "./packed.js";

const wallet = await DirectSecp256k1HdWallet.fromMnemonic(MNEMONIC, { prefix: "notes" });
const SIGNER = (await wallet.getAccounts())[0]?.address ?? "";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/build-a-chain.md"), "utf8");
const TEST_MILLIS = 10 * 60_000;

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-build-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }), TEST_MILLIS);

const files = Array.from(
  PAGE.matchAll(/<!-- file: (\S+) -->\n```\w+\n([\s\S]*?)^```$/gm),
  ([, path = "", text = ""]) => ({
    path,
    text,
  }),
);

/** Blocks of shell and files, in the page's order; afterwards the shell waits until it is killed. */
function session(): string {
  const quick = "npm install --prefer-offline --no-audit --no-fund";
  const sh = Array.from(PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, text = ""]) => text).join("\n");
  const commands = sh
    .replace("npm install chain-upgrade", `${quick} ${packInto(folder)}`)
    .replaceAll("npm install --save", `${quick} --save`);
  const again = "run &\nuntil notesd query bank total 2> /dev/null; do sleep 0.2; done";
  const more = `${again}\nnotesd tx bank send alice ${SIGNER} 1000000ustake --broadcast-mode block --yes\necho "== ready"\nwait\n`;
  return `set -eEuo pipefail\ntrap 'echo "failed: $BASH_COMMAND" >&2' ERR\n${commands}\n${more}`;
}

/** A message by its descriptor, in the form that CosmJS takes; its type also asks for functions that it never calls. */
const addNote = {
  encode: (message: object) => ({ finish: () => toBinary(MsgAddNoteSchema, create(MsgAddNoteSchema, message)) }),
  decode: (bytes: Uint8Array) => fromBinary(MsgAddNoteSchema, bytes),
  fromPartial: (message: object) => message,
} as unknown as GeneratedType;

async function writeNote(rpc: string): Promise<void> {
  const registry = new Registry([...defaultRegistryTypes, ["/mychain.notes.v1.MsgAddNote", addNote]]);
  const client = await SigningStargateClient.connectWithSigner(rpc, wallet, { registry });
  const message = { typeUrl: "/mychain.notes.v1.MsgAddNote", value: { author: SIGNER, text: "by CosmJS" } };
  const result = await client.signAndBroadcast(SIGNER, [message], { amount: [], gas: "200000" });
  client.disconnect();
  expect(result.code, result.rawLog).toBe(0);
}

test("the files of docs/build-a-chain.md → those of examples/notes-chain", () => {
  expect(files.map(({ path }) => path)).toContain("notes.ts");
  for (const { path, text } of files)
    expect(text, path).toBe(readFileSync(join(ROOT, "examples/notes-chain", path), "utf8"));
});

test(
  "docs/build-a-chain.md typed into a shell → every command succeeds; CosmJS and gRPC reflection use the chain",
  async () => {
    const project = join(folder, "project");
    for (const { path, text } of files) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    const [rpc, rest, grpc] = [await freePort(), await freePort(), await freePort()];
    const ports = {
      NOTESD_RPC_LADDR: `tcp://127.0.0.1:${rpc}`,
      NOTESD_NODE: `tcp://127.0.0.1:${rpc}`,
      NOTESD_API_ADDRESS: `tcp://127.0.0.1:${rest}`,
      NOTESD_GRPC_ADDRESS: `127.0.0.1:${grpc}`,
    };
    const shell = spawn("bash", ["-c", session()], { cwd: project, env: { ...process.env, ...ports }, detached: true });
    let output = "";
    const ready = new Promise<void>((resolve, reject) => {
      for (const stream of [shell.stdout, shell.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text;
          if (output.includes("== ready")) resolve();
        });
      }
      shell.once("exit", (status) => reject(new Error(`the shell ended with ${status}:\n${output.slice(-6_000)}`)));
    });
    const timer = setTimeout(() => killGroup(shell.pid), TEST_MILLIS - 10_000);
    try {
      await ready;
      expect(output.slice(output.indexOf("genesis is valid"))).not.toContain("no upgrade found");
      const log = readFileSync(join(project, "node.log"), "utf8");
      // Nothing counts what a function does: the line has no gas, no writes and no checks.
      for (const plan of ["v2", "v3"]) {
        expect(log).toMatch(new RegExp(`upgrade applied  height=\\d+ plan=${plan} ms=\\d+ app_hash=`));
      }
      await writeNote(`http://127.0.0.1:${rpc}`);
      const client = new ReflectedClient(`127.0.0.1:${grpc}`);
      const { json } = await client.call("mychain.notes.v1.Query", "Notes", { author: SIGNER });
      client.close();
      expect(json).toMatchObject({ notes: [{ author: SIGNER, number: "1", text: "by CosmJS" }], total: "1" });
    } finally {
      clearTimeout(timer);
      killGroup(shell.pid);
    }
  },
  TEST_MILLIS,
);

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All have ended.
  }
}
