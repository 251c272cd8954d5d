/** The code section: local declarations, and the walk over every instruction. What breaks one body leaves the others. */

import { itemAt } from "../../base/text/checked-index.js";
import { ByteReader } from "./byte-reader.js";
import { CompileCost } from "./compile-cost.js";
import type { DraftModule } from "./draft-module.js";
import { attempt, malformed, Refusal } from "./findings.js";
import { InstructionCursor } from "./instruction-cursor.js";
import { BODY_BYTES_MAX, FUNCTIONS_MAX, LOCALS_MAX, LOCALS_TOTAL_MAX } from "./limits.js";
import { FLOATS_REFUSED, readValueType, typeAdvice } from "./value-types.js";
import type { FunctionBody } from "./wasm-module.js";

export function decodeCode(module: DraftModule, reader: ByteReader): void {
  const count = reader.count("function bodies", FUNCTIONS_MAX);
  const imported = module.functionImports.length;
  const declared = module.functionTypes.length - imported;
  if (count !== declared) throw malformed(reader.at, `${count} function bodies for ${declared} functions`);
  const cursor = new InstructionCursor(module);
  const cost = new CompileCost();
  let localsTotal = 0;
  for (let i = 0; i < count; i++) {
    const at = reader.at;
    const size = reader.u32("the size of a function body");
    const start = reader.at;
    reader.skip(size, "a function body");
    const functionIndex = imported + i;
    attempt(
      module.findings,
      () => {
        if (size > BODY_BYTES_MAX) {
          const what = `the body has ${size} bytes, at most ${BODY_BYTES_MAX} are allowed; split the function`;
          throw new Refusal("UPG_HANDLER_LIMIT", at, what);
        }
        const body = readBody(module, functionIndex, start, start + size);
        localsTotal += body.locals;
        if (localsTotal > LOCALS_TOTAL_MAX) {
          throw new Refusal("UPG_HANDLER_LIMIT", at, `more than ${LOCALS_TOTAL_MAX} locals in all functions together`);
        }
        checkInstructions(module, cursor, body, cost);
        module.bodies.push(body);
      },
      functionIndex,
    );
  }
  module.bodyCount = count;
}

function readBody(module: DraftModule, functionIndex: number, start: number, end: number): FunctionBody {
  const reader = new ByteReader(module.bytes, start, end);
  const groups = reader.u32("the number of local declarations");
  let locals = 0;
  for (let i = 0; i < groups; i++) {
    const at = reader.at;
    locals += reader.u32("a number of locals");
    readValueType(reader, module.findings, "a local", functionIndex);
    if (locals > LOCALS_MAX) {
      throw new Refusal("UPG_HANDLER_LIMIT", at, `${locals} locals, at most ${LOCALS_MAX} are allowed`);
    }
  }
  const type = itemAt(module.types, itemAt(module.functionTypes, functionIndex));
  return { functionIndex, type, start, codeStart: reader.at, end, locals };
}

function checkInstructions(
  module: DraftModule,
  cursor: InstructionCursor,
  body: FunctionBody,
  total: CompileCost,
): void {
  const report = (message: string) => {
    module.findings.add("UPG_HANDLER_OPCODE", cursor.start, message, body.functionIndex);
  };
  const cost = total.function(body);
  cursor.open(body);
  while (cursor.step()) {
    const { instruction, refusedType } = cursor;
    cost.step(cursor);
    if (instruction.isFloat) report(`${instruction.name}: ${FLOATS_REFUSED}`);
    if (refusedType) report(`a block of type ${refusedType}: ${typeAdvice(refusedType)}`);
  }
  cost.finish(cursor);
  total.add(cost, body.start);
}
