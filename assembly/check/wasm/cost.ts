// What a function may ask of a compiler. Twin of host/upgrade/wasm/compile-cost.ts, which says what is counted and why.
import { UPG_HANDLER_LIMIT } from "../codes";
import {
  BRANCH_VALUES_MAX,
  BRANCH_VARIABLES_MAX,
  BRANCHES_MAX,
  BRANCHES_TOTAL_MAX,
  CALLS_MAX,
  LOOP_NESTING_MAX,
  LOOPS_MAX,
  VALUES_MAX,
} from "../limits";
import { bad, number, refuse, text } from "../text/message";
import * as control from "./control";
import * as cursor from "./cursor";
import { BRANCHES, CALL, CALL_INDIRECT, LOOP, MAKES_VALUE, traitsOf } from "./opcodes";

/** A loop is entered, begun again and left, and what it changes is kept apart in each of them. */
const LOOP_BRANCHES: u32 = 4;

let total: u32 = 0;
let branches: u32 = 0;
let values: u32 = 0;
let loops: u32 = 0;
let calls: u32 = 0;
let variables: u32 = 0;

export function openModuleCost(): void {
  total = 0;
}

export function openFunctionCost(parametersAndLocals: u32): void {
  branches = 0;
  values = 0;
  loops = 0;
  calls = 0;
  variables = parametersAndLocals;
}

/** After each instruction. Fails at the first one that is too much. */
export function count(): void {
  const slot = cursor.slot;
  const traits = traitsOf(slot);
  const isCall = slot == CALL || slot == CALL_INDIRECT;
  if (isCall) require("calls", ++calls, CALLS_MAX, cursor.start);
  if ((traits & MAKES_VALUE) != 0 || isCall) require("values", ++values, VALUES_MAX, cursor.start);
  const isBranch: u32 = (traits & BRANCHES) != 0 ? 1 : 0;
  if (isBranch + cursor.labelCount == 0) return;
  branches += cursor.labelCount + isBranch;
  if (slot == LOOP) {
    branches += LOOP_BRANCHES - 1;
    require("loops", ++loops, LOOPS_MAX, cursor.start);
    require("loops inside each other", control.loops, LOOP_NESTING_MAX, cursor.start);
  }
  checkProducts();
}

/** At the function's end: values that come after the last branch count too. Then what all functions have together. */
export function finish(bodyStart: usize): void {
  checkProducts();
  if (bad) return;
  total += branches;
  require("branches in all functions together", total, BRANCHES_TOTAL_MAX, bodyStart);
}

function checkProducts(): void {
  const all: u64 = variables + control.heightMax;
  require("branches", branches, BRANCHES_MAX, cursor.start);
  require("branches × parameters, locals and operands", branches * all, BRANCH_VARIABLES_MAX, cursor.start);
  require("branches × values", branches * (all + values), BRANCH_VALUES_MAX, cursor.start);
}

function require(what: string, count: u64, most: u32, at: usize): void {
  if (count <= most || bad) return;
  refuse(UPG_HANDLER_LIMIT, at);
  text(what);
  text(": ");
  number(count);
  text(", at most ");
  number(most);
  text(" are allowed; split the function");
}
