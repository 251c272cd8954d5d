/** A client with tendermint-rpc, which cosmrs and Hermes use, reads every event and response of a node (rust-client/). */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { SigningStargateClient } from "@cosmjs/stargate";
import { TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { describe, expect, test } from "vitest";
import { ROOT } from "../house/sources.js";
import { SIGNER, useTestNode, wallet } from "../unit/serve/api/test-node.js";

const CRATE = join(ROOT, "test/embed/rust-client");
/** .ci/run builds there before the tests. */
const TARGET = join(ROOT, "build/rust-client");
/** About a hundred crates, when nobody compiled them before: some two minutes of one core. */
const COMPILED_MS = 1_200_000;

function cargo(args: readonly string[]) {
  const env = { ...process.env, CARGO_TARGET_DIR: TARGET };
  return spawnSync("cargo", args, { cwd: CRATE, env, encoding: "utf8", maxBuffer: 1 << 26 });
}

const missing = cargo(["fetch", "--locked"]).status === 0 ? undefined : "cargo, or its package registry, is not here";
const named = (name: string) => (missing ? `${name} (skipped: ${missing})` : name);

async function signedSend(rpc: string): Promise<Uint8Array> {
  const client = await SigningStargateClient.connectWithSigner(rpc, wallet);
  const value = { fromAddress: SIGNER, toAddress: SIGNER, amount: [{ denom: "ustake", amount: "5" }] };
  const message = { typeUrl: "/cosmos.bank.v1beta1.MsgSend", value };
  const tx = await client.sign(SIGNER, [message], { amount: [], gas: "200000" }, "");
  client.disconnect();
  return TxRaw.encode(tx).finish();
}

describe("a client in Rust", () => {
  test.skipIf(missing)(
    named("NewBlock with and without transactions, Tx, and each method → all are parsed"),
    async () => {
      const built = cargo(["build", "--locked"]);
      expect(built.status, built.stderr.slice(-4_000)).toBe(0);
      await useTestNode(async ({ rpc, makeBlocks, bugs }) => {
        const tx = Buffer.from(await signedSend(rpc)).toString("hex");
        const address = `${rpc.replace("http:", "ws:")}/websocket`;
        const client = spawn(join(TARGET, "debug/rust-client"), [address, tx]);
        const lines: string[] = [];
        createInterface({ input: client.stdout }).on("line", (line) => {
          lines.push(line);
          if (line === "subscribed" || line === "sent") makeBlocks(1);
        });
        let stderr = "";
        client.stderr.on("data", (bytes) => {
          stderr += String(bytes);
        });
        const [exit] = await once(client, "close");
        expect(stderr).toBe("");
        expect([exit, lines.at(-1)]).toEqual([0, "done"]);
        expect(bugs).toEqual([]);
      });
    },
    COMPILED_MS,
  );
});
