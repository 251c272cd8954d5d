/** What the page does when a reader asks for a run, with the page's own code: fetches the files, and has a worker run them. */
import type { Header } from "../../host/chain/comet-types/header.js";
import { fetchFile } from "../../web/fetching.js";
import type { RunAsked, RunSaid } from "../../web/messages.js";
import { ask } from "../../web/worker-text.js";

/** Where the files are, and how large they are at most. */
export interface RunFiles {
  readonly program: string;
  readonly integrity: string;
  readonly witness: string;
  readonly handler: string;
  readonly bytesMax: number;
}

/** Milliseconds of one run. */
export interface RunTimes {
  /** Until witness, handler and program are in the page. */
  readonly fetched: number;
  /** From then on until the result is: the worker's beginning included. */
  readonly ran: number;
}

/** @throws Error unless the app hash came out */
async function run(files: RunFiles, headers: { block: Header; next: Header }): Promise<RunTimes> {
  const { integrity, bytesMax } = files;
  const begun = performance.now();
  const response = fetch(files.program, { integrity, credentials: "omit" });
  const options = { bytesMax, signal: new AbortController().signal, onBytes: () => undefined };
  const witness = await fetchFile(files.witness, options);
  const handler = await fetchFile(files.handler, options);
  const verifier = document.getElementById("verify-worker")?.textContent ?? "";
  const both = `${verifier}\n${await (await response).text()}`;
  const fetched = performance.now();
  const said = await ask<RunAsked, RunSaid>(both, {
    ...{ kind: "run", witness, handler, ...headers },
    receipt: undefined,
  });
  const ran = performance.now();
  if (said.kind === "refused") throw new Error(`${said.code} ${said.message}`);
  return { fetched: fetched - begun, ran: ran - fetched };
}

Object.assign(globalThis, { runHere: run });
