/** The run in a saved page, written part by part: its witness may have 100 MiB, and the page's memory holds it once already. */
import { toBase64 } from "../host/base/text/bytes.js";

/** What a run here needed, as it is in memory. */
export interface KeptRun {
  readonly witness: Uint8Array;
  readonly handler: Uint8Array;
  readonly program: string;
  /** Of the two headers that it is checked against. */
  readonly evidence: unknown;
}

/** A multiple of three, so that the base64 of the pieces is that of the whole. */
const PIECE_BYTES = 3 * 262_144;

/** JSON that cannot end the element that holds it. */
export function inElement(value: unknown): string {
  return JSON.stringify(value ?? null).replaceAll("<", "\\u003c");
}

/** The JSON of a run, in blobs: the browser keeps those outside of the page's memory. */
export function runParts(run: KeptRun | undefined): readonly Blob[] {
  if (!run) return [new Blob(["null"])];
  const { witness, handler, program, evidence } = run;
  return [
    new Blob(['{"witness":"']),
    ...base64Parts(witness),
    new Blob(['","handler":"']),
    ...base64Parts(handler),
    new Blob([`","program":${inElement(program)},"evidence":${inElement(evidence)}}`]),
  ];
}

function base64Parts(bytes: Uint8Array): Blob[] {
  return Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, piece) => {
    const at = piece * PIECE_BYTES;
    return new Blob([toBase64(bytes.subarray(at, at + PIECE_BYTES))]);
  });
}
