/** One file read twice: by check.wasm, and by the oracle in TypeScript. */
import { inspect, isDeepStrictEqual } from "node:util";
import { type Examination, examineHandler } from "../../../host/upgrade/handler/check/check.js";
import { examineByOracle } from "../../oracle/examine.js";

/** @throws Error where verdict, codes, places, messages, manifest or metered module differ; names `what` */
export function compared(file: Uint8Array, what: string): Examination {
  const found = examineHandler(file);
  const due = examineByOracle(new Uint8Array(file));
  requireSame(`${what}: findings`, found.findings, due.findings);
  requireSame(`${what}: manifest`, found.manifest, due.manifest);
  requireSame(`${what}: facts`, found.facts !== undefined, due.findings.length === 0);
  requireSame(`${what}: carried`, found.facts?.carriesMetered, due.metered?.isCarried);
  const [metered, expected] = [found.metered, due.metered?.bytes];
  requireSame(`${what}: bytes of the metered module`, metered?.length, expected?.length);
  if (metered && expected) requireSame(`${what}: metered module`, Buffer.compare(metered, expected), 0);
  return found;
}

export function requireSame(what: string, found: unknown, due: unknown): void {
  if (isDeepStrictEqual(found, due)) return;
  throw new Error(
    `${what}: check.wasm says ${inspect(found, { depth: 9 })}, it should say ${inspect(due, { depth: 9 })}`,
  );
}
