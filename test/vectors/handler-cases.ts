/** handler-cases.json: runs of handlers, good and bad, and files that are refused. */
import { fromBase64 } from "../../host/bytes.js";
import { isUpgradeError } from "../../host/errors.js";
import { loadHandler, type WasmHandler } from "../../host/handler/handler.js";
import { sha256 } from "../guest/build.js";
import { runCase } from "./handler-cases/run-case.js";
import type { CaseInput, GuestFile, HandlerCase } from "./handler-cases/shapes.js";
import { expectEqual, type HeadedRunner, type VectorCase } from "./harness.js";

export const runHandlerCases: HeadedRunner = (vector, head) => {
  const given = vector as HandlerCase;
  if (!("input" in given)) {
    expectEqual(
      refusal(() => load(given.guest, head)),
      given.error,
      "code of the refusal",
    );
    return [];
  }
  const { label, guest, input, gas_limit, batch_bytes, ...expected } = given;
  const inputs: CaseInput[] = head["inputs"];
  const found = inputs.find(({ name }) => name === input);
  if (!found) throw new Error(`there is no input "${input}"`);
  expectEqual(runCase(load(guest, head), found, given), expected, "outcome");
  return [];
};

/** Handlers of the file that was read last. */
let loaded: { head: VectorCase; handlers: Map<string, WasmHandler> } | undefined;

function load(name: string, head: VectorCase): WasmHandler {
  if (loaded?.head !== head) loaded = { head, handlers: new Map() };
  const known = loaded.handlers.get(name);
  if (known) return known;
  const guests: GuestFile[] = head["guests"];
  const file = guests.find((guest) => guest.name === name);
  if (!file) throw new Error(`there is no guest "${name}"`);
  const handler = loadHandler(fromBase64(file.wasm), { sha256 });
  loaded.handlers.set(name, handler);
  return handler;
}

function refusal(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (isUpgradeError(error)) return error.code;
    throw error;
  }
}
