/** handler-cases.json: runs of handlers, good and bad, and files that are refused. */

import { isUpgradeError } from "../../host/base/errors/errors.js";
import { fromBase64 } from "../../host/base/text/bytes.js";
import { examineHandler } from "../../host/upgrade/handler/check/check.js";
import { loadHandler, type WasmHandler } from "../../host/upgrade/handler/handler.js";
import { sha256 } from "../guest/build.js";
import { runCase } from "./handler-cases/run-case.js";
import type { CaseInput, GuestFile, HandlerCase, LoadCase } from "./handler-cases/shapes.js";
import { expectEqual, type HeadedRunner, type VectorCase } from "./harness.js";

export const runHandlerCases: HeadedRunner = (vector, head) => {
  const given = vector as HandlerCase;
  if (loaded?.head !== head) open(head);
  if (!("input" in given)) {
    compareRefusal(given, head);
    return [];
  }
  const { label, guest, input, gas_limit, batch_bytes, module_stores, vital_modules, ...expected } = given;
  const inputs: CaseInput[] = head["inputs"];
  const found = inputs.find(({ name }) => name === input);
  if (!found) throw new Error(`there is no input "${input}"`);
  expectEqual(runCase(load(guest, head), found, given), expected, "outcome");
  return [];
};

/** Handlers of the file that was read last. */
let loaded: { head: VectorCase; handlers: Map<string, WasmHandler> } | undefined;

/** What only a host with a meter refuses belongs to no case. */
function open(head: VectorCase): void {
  loaded = { head, handlers: new Map() };
  for (const each of head["refused_by_meter"] as LoadCase[]) compareRefusal(each, head);
}

function load(name: string, head: VectorCase): WasmHandler {
  const known = loaded?.handlers.get(name);
  if (known) return known;
  const handler = loadHandler(fileOf(name, head), { sha256 });
  loaded?.handlers.set(name, handler);
  return handler;
}

function fileOf(name: string, head: VectorCase): Uint8Array {
  const guests: GuestFile[] = head["guests"];
  const file = guests.find((guest) => guest.name === name);
  if (!file) throw new Error(`there is no guest "${name}"`);
  return fromBase64(file.wasm);
}

/** A host without a meter wants the metered module in the file; this one makes it. */
function compareRefusal({ guest, error, without_meter }: LoadCase, head: VectorCase): void {
  const file = fileOf(guest, head);
  const { facts, findings } = examineHandler(file);
  const expected = without_meter ? { findings: [], error: undefined } : { findings: [error], error };
  const got = { findings: findings.slice(0, 1).map(({ code }) => code), error: refusal(file) };
  expectEqual(got, expected, "code of the refusal");
  if (without_meter) expectEqual([facts?.carriesMetered, error], [false, "UPG_HANDLER_METERED"], "metered module");
}

function refusal(file: Uint8Array): string | undefined {
  try {
    loadHandler(file, { sha256 });
    return undefined;
  } catch (error) {
    if (isUpgradeError(error)) return error.code;
    throw error;
  }
}
