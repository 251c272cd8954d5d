/** The worker that runs an upgrade again: fetched when a reader asks for it, since most do not. */
import { sha256 } from "@noble/hashes/sha2.js";
import { reExecute } from "../host/verify/re-execute.js";
import type { RunProgress } from "../host/verify/run-watch.js";
import type { OtherWrite, RunAsked, RunDone, RunSaid } from "./messages.js";
import { hexOf } from "./number-text.js";
import { refusalOf } from "./refusal.js";

/** Between two reports within one stage. */
const REPORT_MILLIS = 100;

addEventListener("message", ({ data }: MessageEvent<RunAsked>) => {
  if (data.kind === "run") postMessage(said(data));
});

function said(asked: RunAsked): RunSaid {
  try {
    return ran(asked);
  } catch (error) {
    return refusalOf(error);
  }
}

function ran({ witness, handler, block, next, receipt }: RunAsked): RunDone {
  const begun = performance.now();
  // As many bytes as the reader was shown before they were fetched.
  const maxBytes = witness.length;
  const onProgress = reporter();
  const input = { witness, maxBytes, handler, headers: { block, next }, receipt, sha256, onProgress };
  const { gas, appHash, roots, others } = reExecute(input);
  return {
    ...{ kind: "ran", gas, appHash: hexOf(appHash), height: block.height },
    roots: [...roots].map(([store, { after }]) => ({ store, root: hexOf(after) })),
    others: others.flatMap(({ store, writes }) =>
      writes.map(({ key, value }): OtherWrite => ({ store, key: hexOf(key), bytes: value?.length })),
    ),
    millis: performance.now() - begun,
  };
}

function reporter(): (progress: RunProgress) => void {
  let [last, stage] = [Number.NEGATIVE_INFINITY, ""];
  return (progress) => {
    const now = performance.now();
    if (progress.stage === stage && now - last < REPORT_MILLIS) return;
    [last, stage] = [now, progress.stage];
    postMessage({ kind: "progress", ...progress });
  };
}
