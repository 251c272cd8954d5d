/**
 * What a function may ask of a compiler. An optimising compiler keeps, at each place where ways part or meet, every value
 * that may be alive there: its memory grows with the product of the two, and some of its steps with the square of one.
 * So few kilobytes of code could take gigabytes (measured: docs/gas.md, "Compilers"). The limits leave the largest
 * functions of usual handlers ten times the room that they use, and those of a codec of images 1.3 to 2.4 times.
 *
 * Four figures of each function are counted here, in order of its code:
 *   - branches: each block, loop, if, else, return, bulk operation and division is one; so is each label of br, br_if,
 *     br_table; a loop is four;
 *   - variables: parameters, locals, and the greatest number of operands at once;
 *   - values: the instructions that make one, each once;
 *   - calls: each keeps apart what was before it and what comes after, so it costs more than a value.
 */
import { Refusal } from "./findings.js";
import type { InstructionCursor } from "./instruction-cursor.js";
import {
  BRANCH_VALUES_MAX,
  BRANCH_VARIABLES_MAX,
  BRANCHES_MAX,
  BRANCHES_TOTAL_MAX,
  CALLS_MAX,
  LOOP_NESTING_MAX,
  LOOPS_MAX,
  VALUES_MAX,
} from "./limits.js";
import { type Instruction, numbersByOpcode, OP, slotOf } from "./opcodes.js";
import type { FunctionBody } from "./wasm-module.js";

const BRANCHES = 1;
const MAKES_VALUE = 2;
/** By opcode: what of {@link BRANCHES} and {@link MAKES_VALUE} it does. */
const traits = /* @__PURE__ */ numbersByOpcode(
  (instruction, opcode) => (branches(opcode, instruction) ? BRANCHES : 0) | (makesValue(instruction) ? MAKES_VALUE : 0),
);

function branches(opcode: number, { name }: Instruction): boolean {
  if (opcode === OP.block || opcode === OP.loop || opcode === OP.if || opcode === OP.else) return true;
  if (opcode === OP.return) return true;
  return /\.(div|rem)_|^memory\.(grow|copy|fill|init)$/.test(name);
}

/** A local that is read is a value that existed before. */
function makesValue({ name, pushes }: Instruction): boolean {
  return pushes > 0 && !/^local\./.test(name);
}

/** A loop is entered, begun again and left, and what it changes is kept apart in each of them. */
const LOOP_BRANCHES = 4;

export class CompileCost {
  #total = 0;

  /** Counts for one function; `step` after each of its instructions. */
  function(body: FunctionBody): FunctionCost {
    return new FunctionCost(body.type.params.length + body.locals);
  }

  /** @throws Refusal when the functions so far have more branches together than are allowed */
  add({ branches }: FunctionCost, at: number): void {
    this.#total += branches;
    require("branches in all functions together", this.#total, BRANCHES_TOTAL_MAX, at);
  }
}

export class FunctionCost {
  branches = 0;
  values = 0;
  #loops = 0;
  #calls = 0;

  constructor(private readonly variables: number) {}

  /** @throws Refusal at the first instruction that is too much */
  step({ opcode, labelCount, control, start }: InstructionCursor): void {
    const trait = traits[slotOf(opcode)] as number;
    const isCall = opcode === OP.call || opcode === OP.callIndirect;
    if (isCall) require("calls", ++this.#calls, CALLS_MAX, start);
    if (trait & MAKES_VALUE || isCall) {
      this.values++;
      if (this.values > VALUES_MAX) require("values", this.values, VALUES_MAX, start);
    }
    if (!(trait & BRANCHES) && labelCount === 0) return;
    this.branches += labelCount + (trait & BRANCHES);
    if (opcode === OP.loop) {
      this.#loops++;
      this.branches += LOOP_BRANCHES - 1;
      require("loops", this.#loops, LOOPS_MAX, start);
      require("loops inside each other", control.loops, LOOP_NESTING_MAX, start);
    }
    this.#check(this.variables + control.heightMax, start);
  }

  /** At the function's end: values that come after the last branch count too. */
  finish({ control, start }: InstructionCursor): void {
    this.#check(this.variables + control.heightMax, start);
  }

  #check(variables: number, at: number): void {
    const { branches, values } = this;
    require("branches", branches, BRANCHES_MAX, at);
    require("branches × parameters, locals and operands", branches * variables, BRANCH_VARIABLES_MAX, at);
    require("branches × values", branches * (variables + values), BRANCH_VALUES_MAX, at);
  }
}

function require(what: string, count: number, max: number, at: number): void {
  if (count <= max) return;
  throw new Refusal("UPG_HANDLER_LIMIT", at, `${what}: ${count}, at most ${max} are allowed; split the function`);
}
