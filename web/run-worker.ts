/** The worker that runs an upgrade again: fetched when a reader asks for it, since most do not. */
import { sha256 } from "@noble/hashes/sha2.js";
import { reExecute } from "../host/verify/re-execute.js";
import type { OtherWrite, RunAsked, RunDone, RunSaid } from "./messages.js";
import { refusalOf } from "./refusal.js";
import { hexOf } from "./words.js";

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

function ran({ witness, handler, block, next }: RunAsked): RunDone {
  const begun = performance.now();
  // As many bytes as the reader was shown before they were fetched.
  const maxBytes = witness.length;
  const { gas, appHash, roots, others } = reExecute({ witness, maxBytes, handler, headers: { block, next }, sha256 });
  return {
    ...{ kind: "ran", gas, appHash: hexOf(appHash), height: block.height },
    roots: [...roots].map(([store, { after }]) => ({ store, root: hexOf(after) })),
    others: others.flatMap(({ store, writes }) =>
      writes.map(({ key, value }): OtherWrite => ({ store, key: hexOf(key), bytes: value?.length })),
    ),
    millis: performance.now() - begun,
  };
}
