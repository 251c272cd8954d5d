/** What is wrong with a file, in the order and with the places that help its author: a node only needs to know that it refuses. */

import { utf8 } from "../../base/text/bytes.js";
import { customSection } from "../../upgrade/wasm/custom-section.js";
import type { Finding } from "../../upgrade/wasm/findings.js";
import { functionNamer } from "../../upgrade/wasm/function-names.js";
import { InstructionCursor } from "../../upgrade/wasm/instruction-cursor.js";
import { OP } from "../../upgrade/wasm/opcodes.js";
import type { WasmModule } from "../../upgrade/wasm/wasm-module.js";

/** In the file that a refused build leaves when its declaration could not be run: that it has no manifest is no fault of its author. */
const REFUSED_SECTION = "chain-upgrade.refused";
/** Functions of the compiler's library, not the author's. */
const LIBRARY = /^~lib\//;

export const refusedMark = () => customSection(REFUSED_SECTION, utf8("the declaration could not be run"));

/**
 * What the host does not offer comes first, in the function that calls it: a clock or a random number brings floats and their
 * types along. What is about a type alone comes last, after the functions that use it.
 */
export function authorFindings(module: WasmModule, findings: readonly Finding[]): readonly Finding[] {
  const isMarked = module.customs.some(({ name }) => name === REFUSED_SECTION);
  const shown = findings.filter((each) => !(isMarked && findings.length > 1 && isManifestAbsent(each)));
  const placed = shown.map((each) => (each.code === "UPG_HANDLER_IMPORT" ? atItsCall(each, module) : each));
  return placed.sort((a, b) => rank(a) - rank(b));
}

const isManifestAbsent = ({ code, offset }: Finding) => code === "UPG_HANDLER_MANIFEST" && offset === null;

function rank({ code, function: name }: Finding): number {
  if (code === "UPG_HANDLER_IMPORT") return 0;
  return code === "UPG_HANDLER_OPCODE" && name === null ? 2 : 1;
}

/** The finding of an import, at the first call of it; as it is where nothing calls it. */
function atItsCall(finding: Finding, module: WasmModule): Finding {
  const index = module.functionImports.findIndex(({ offset }) => offset === finding.offset);
  if (index < 0) return finding;
  const nameOf = functionNamer(module);
  const calls = callsOf(module, index).map(({ caller, at }) => ({ caller: nameOf(caller), at }));
  const call = calls.find(({ caller }) => !LIBRARY.test(caller)) ?? calls[0];
  return call ? { ...finding, function: call.caller, offset: call.at } : finding;
}

/** The first call in each function. */
function callsOf(module: WasmModule, index: number): { caller: number; at: number }[] {
  const cursor = new InstructionCursor(module);
  return module.bodies.flatMap((body) => {
    cursor.open(body);
    while (cursor.step()) {
      if (cursor.opcode === OP.call && cursor.immediate === index)
        return [{ caller: body.functionIndex, at: cursor.start }];
    }
    return [];
  });
}
