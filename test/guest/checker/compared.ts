/** One file read twice: by check.wasm, and by the reading in TypeScript, which is its oracle. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect, isDeepStrictEqual } from "node:util";
import { examineHandler } from "../../../host/upgrade/handler/check/check.js";
import { meterModule } from "../../../host/upgrade/handler/meter/meter.js";
import { type CheckedFile, Checker } from "./checker.js";

/** From the repository's root, where all its commands run. */
export const checker = new Checker(new Uint8Array(readFileSync(join("build", "check.wasm"))));

/** @throws Error where verdict, codes, places, messages, manifest or metered module differ; names `what` */
export function compared(file: Uint8Array, what: string): CheckedFile {
  const found = checker.file(new Uint8Array(file));
  const due = examineHandler(file);
  const isHandler = due.findings.length === 0;
  const metered = isHandler && due.module ? (due.metered ?? meterModule(due.module)) : undefined;
  requireSame(`${what}: findings`, found.findings, due.findings);
  requireSame(`${what}: manifest`, found.manifest, due.manifest);
  requireSame(`${what}: facts`, found.facts !== undefined, isHandler);
  requireSame(`${what}: carried`, found.facts?.carriesMetered, isHandler ? due.metered !== undefined : undefined);
  requireSame(`${what}: bytes of the metered module`, found.metered?.length, metered?.length);
  if (found.metered && metered) requireSame(`${what}: metered module`, Buffer.compare(found.metered, metered), 0);
  return found;
}

function requireSame(what: string, found: unknown, due: unknown): void {
  if (isDeepStrictEqual(found, due)) return;
  throw new Error(
    `${what}: check.wasm says ${inspect(found, { depth: 9 })}, it should say ${inspect(due, { depth: 9 })}`,
  );
}
