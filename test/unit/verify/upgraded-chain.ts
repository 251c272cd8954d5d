/** The block of an upgrade as those see it who check it: states before and after, headers, witness. */

import { sha256 } from "../../../host/base/native/sha256.js";
import type { Height, Timestamp } from "../../../host/base/types/types.js";
import type { App } from "../../../host/chain/app/app.js";
import { type Header, headerHash } from "../../../host/chain/comet-types/header.js";
import { Core } from "../../../host/upgrade/core/core.js";
import type { WasmHandler } from "../../../host/upgrade/handler/handler.js";
import { type RecordedWitness, recordWitness } from "../../../host/verify/replay/record-witness.js";
import { V1 } from "../../example-chain.js";
import { Chain, type Process } from "../../scenario/chain.js";
import { splitBalances } from "../../scenario/versions.js";

/** A process of the scenarios is one. */
interface HasApp {
  readonly app: App;
}

const core = new Core();
const NO_HASH = new Uint8Array(0);
const hash = (byte: number) => new Uint8Array(32).fill(byte);

/** Headers of the block at `height` and of the one after it, with the app hashes that the process has. */
export function headersOf({ app }: HasApp, height: Height): { block: Header; next: Header } {
  const header = (at: Height, lastBlock: Uint8Array): Header => ({
    version: { block: 11n, app: 1n },
    chainId: "scenario-1",
    height: at,
    time: timeOf(at),
    lastBlockId: { hash: lastBlock, parts: { total: 1, hash: hash(2) } },
    ...{ lastCommitHash: hash(3), dataHash: hash(4), validatorsHash: hash(5), nextValidatorsHash: hash(6) },
    ...{ consensusHash: hash(7), lastResultsHash: NO_HASH, evidenceHash: hash(8), proposerAddress: new Uint8Array(20) },
    appHash: app.multiStore.at(at - 1n).appHash,
  });
  const block = header(height, hash(1));
  return { block, next: header(height + 1n, headerHash(sha256, block)) };
}

/** The times that `Process.block` gives. */
export const timeOf = (height: Height) => ({ seconds: 1_700_000_000n + 5n * height, nanos: 0 });

export function witnessOf(
  { app }: HasApp,
  handler: WasmHandler,
  height: Height,
  time: Timestamp = timeOf(height),
): RecordedWitness {
  const { multiStore } = app;
  const states = { before: multiStore.at(height - 1n), after: multiStore.at(height) };
  return recordWitness({ core, sha256, handler, chainId: "scenario-1", height, time, ...states });
}

/** A chain that is upgraded at 4, with two blocks after it. */
export function upgraded(): Process {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n });
  old.untilHalt();
  const process = chain.start({ handlers: [splitBalances()] });
  process.blocks(3);
  return process;
}
