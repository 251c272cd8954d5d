/** A real node with many accounts that waits at its upgrade, and is then let into it. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { encodeAddress } from "../../test/addresses.js";
import { makeBlocksUpTo, makeHome, schedule, withNode } from "../../test/e2e/prepared-home.js";
import { genesisDocument } from "../../test/scenario/genesis-text.js";
import { Signer, send } from "../../test/scenario/wallet.js";
import type { Servers } from "./endpoints.js";

/** Height of the upgrade: the first block that the process makes. */
export const UPGRADE_HEIGHT = 4n;
const READY_MILLIS = 60_000;

/** A home whose next block applies plan `v2` to so many accounts. */
export function prepareUpgrade(home: string, accounts: number, handlers: string): void {
  makeHome(home, genesisOf(accounts));
  withNode({ path: home, handlers, appVersion: 1n }, (node) => {
    schedule(node, { name: "v2", height: UPGRADE_HEIGHT });
    makeBlocksUpTo(node, UPGRADE_HEIGHT - 1n);
  });
}

const PAYER = new Signer("latency");
const PAYER_NUMBER = 900;

const TRANSFERS = 50;

/** Transfers of an account that the prepared genesis has, one after the other, over and over: signing takes time. */
export function transfers(): () => Uint8Array {
  const signed = Array.from({ length: TRANSFERS }, (_, index) => {
    const options = { chainId: "scenario-1", accountNumber: BigInt(PAYER_NUMBER), sequence: BigInt(index) };
    return PAYER.sign([send(PAYER, PAYER.address, 1)], options);
  });
  let sent = 0;
  return () => signed[sent++ % TRANSFERS] as Uint8Array;
}

function genesisOf(accounts: number): string {
  const document = genesisDocument();
  const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
  const add = (address: string, number: number, amount: number) => {
    const type = "/cosmos.auth.v1beta1.BaseAccount";
    state["auth"]?.["accounts"]?.push({ "@type": type, address, account_number: String(number), sequence: "0" });
    state["bank"]?.["balances"]?.push({ address, coins: [{ denom: "ustake", amount: String(amount) }] });
  };
  add(PAYER.address, PAYER_NUMBER, 1_000_000_000);
  for (let i = 0; i < accounts; i++) {
    add(encodeAddress(sha256(utf8(`latency ${i}`)).slice(0, 20)), 1_000 + i, 1_000_000 + i);
  }
  return JSON.stringify(document);
}

export interface UpgradingNode {
  readonly child: ChildProcess;
  readonly servers: Servers;
  readonly end: Promise<number | null>;
  /** What it said so far. */
  log(): string;
}

/** Starts `chaind` on a prepared home; the upgrade begins as soon as its servers are there. */
export async function startUpgrading(chaind: string, home: string, ...more: readonly string[]): Promise<UpgradingNode> {
  const any = ["--rpc.laddr", "tcp://127.0.0.1:0", "--grpc.address", "127.0.0.1:0", "--api.address", "127.0.0.1:0"];
  const args = [chaind, "start", "--home", home, "--log_format", "json", "--block-time", "1s", ...any, ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const end = new Promise<number | null>((resolve) => child.once("close", resolve));
  const file = join(home, "data", "addresses.json");
  for (let waited = 0; !existsSync(file); waited += 10) {
    if (waited > READY_MILLIS || child.exitCode !== null) throw new Error(`the node did not open its servers:\n${log}`);
    await sleep(10);
  }
  const { rpc, api, grpc } = JSON.parse(readFileSync(file, "utf8")) as { rpc: string; api: string; grpc: string };
  const servers = { rest: api.replace("tcp:", "http:"), rpc: rpc.replace("tcp:", "http:"), grpc };
  return { child, servers, end, log: () => log };
}
