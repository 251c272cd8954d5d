/** A validator whose state was lost, and whose blocks were not: a snapshot of another node brings the state back, and its own blocks the rest. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Network } from "./network.js";
import type { NetNode } from "./node.js";
import { HEIGHTS_AFTER, halted, type Scene } from "./scenes.js";

const INTERVAL = 20;

interface Commit {
  readonly signed_header: { readonly header: { readonly app_hash: string } };
}

const run = (node: NetNode, ...args: readonly string[]) =>
  execFileSync(process.execPath, [node.program, ...args, "--home", node.home], { encoding: "utf8", stdio: "pipe" });

export const restore: Scene = {
  name: "restore",
  what: "the state of a validator is lost after the upgrade: it is restored from a snapshot of another node, and goes on with its own blocks",
  async run(network: Network) {
    const height = await halted(network);
    network.start({ flags: ["--state-sync.snapshot-interval", String(INTERVAL)] });
    await network.untilHeight(height + 2 * INTERVAL + 3);
    const [first, second] = network.nodes;
    if (!first || !second) throw new Error("no node");
    await first.stop();
    const { snapshots } = JSON.parse(run(second, "snapshots", "list", "-o", "json")) as {
      snapshots: { height: string; app_hash: string }[];
    };
    const from = snapshots.at(-1)?.height ?? "0";
    const archive = join(first.home, "carried.tar.gz");
    run(second, "snapshots", "dump", from, "--output-document", archive);
    for (const name of ["chain.mdb", "chain.mdb-lock", "snapshots"]) {
      rmSync(join(first.home, "data", name), { recursive: true, force: true });
    }
    run(first, "snapshots", "load", archive);
    const next = (await second.rpc.call("commit", { height: String(Number(from) + 1) })) as Commit;
    run(first, "snapshots", "restore", from, "--app-hash", next.signed_header.header.app_hash);
    first.start();
    const until = (await second.height()) + HEIGHTS_AFTER;
    await network.untilHeight(until);
    await first.stop();
    run(first, "verify");
    first.start();
    await network.untilHeight(until + 3);
    const [own, theirs] = await Promise.all([first.headers(1, until), second.headers(1, until)]);
    const found = [...own].flatMap(([each, header]) =>
      theirs.get(each) === header ? [] : [`height ${each}: ${header}, not ${theirs.get(each)}`],
    );
    return { heights: own.size, differences: found, counts: `restored at ${from}, upgrade ${height}` };
  },
};
