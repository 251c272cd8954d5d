// The instructions that the meter puts in. Twin of host/upgrade/handler/meter/injected.ts, which says where the gas is kept.
import * as wasm from "../wasm/module";
import { BR_IF, CALL, END, I32_CONST, I64_CONST, IF, RETURN, UNREACHABLE } from "../wasm/opcodes";
import { I64 } from "../wasm/value-types";
import { BULK_BYTES_LOG2, FAR_LOAD_PRICE, GROW_PAGE_PRICE, NEAR_PAGES } from "./schedule";
import { bytes2, bytes3, signed, u8Of, unsigned } from "./writer";

export const EMPTY_BLOCK: u32 = 0x40;
const LOCAL_GET: u32 = 0x20;
const LOCAL_SET: u32 = 0x21;
const LOCAL_TEE: u32 = 0x22;
const GLOBAL_GET: u32 = 0x23;
const GLOBAL_SET: u32 = 0x24;
const MEMORY_SIZE: u32 = 0x3f;
const MEMORY_GROW: u32 = 0x40;
const I32_EQ: u32 = 0x46;
const I32_LT_S: u32 = 0x48;
const I32_GT_U: u32 = 0x4b;
const I64_LT_S: u32 = 0x53;
const I64_GT_U: u32 = 0x56;
const I32_ADD: u32 = 0x6a;
const I32_SUB: u32 = 0x6b;
const I64_ADD: u32 = 0x7c;
const I64_SUB: u32 = 0x7d;
const I64_MUL: u32 = 0x7e;
const I64_SHR_U: u32 = 0x88;
const I64_EXTEND_I32_U: u32 = 0xad;

/** What is known of a module's memory before it runs. */
export const ALWAYS_NEAR: u32 = 0;
export const ALWAYS_FAR: u32 = 1;
export const MAY_BECOME_FAR: u32 = 2;

let size: u32 = ALWAYS_NEAR;
/** A local of the function at hand for its gas; the one after it is for a length (only with bulk memory). */
let local: u32 = 0;
/** The gas stays in the global: for functions that call more than they compute. What it costs is the same. */
let isGlobal: bool = false;

export function setMemorySize(value: u32): void {
  size = value;
}

export function openMetered(gasLocal: u32, staysInGlobal: bool): void {
  local = gasLocal;
  isGlobal = staysInGlobal;
}

/** Indices of what the meter adds: the gas that is left, the stack, whether a growth was refused, whether the memory is large. */
export function gasGlobal(): u32 {
  return wasm.globals;
}

export function stackGlobal(): u32 {
  return wasm.globals + 1;
}

export function refusedGlobal(): u32 {
  return wasm.globals + 2;
}

function farGlobal(): u32 {
  return wasm.globals + 3;
}

/** The function in place of memory.grow. */
export function growFunction(): u32 {
  return wasm.functions;
}

function indexed(opcode: u32, index: u32): void {
  u8Of(opcode);
  unsigned(index);
}

function constant(opcode: u32, value: i64): void {
  u8Of(opcode);
  signed(value);
}

/** From the global to the local. */
export function loadGas(): void {
  if (isGlobal) return;
  indexed(GLOBAL_GET, gasGlobal());
  indexed(LOCAL_SET, local);
}

/** From the local to the global. */
export function storeGas(): void {
  if (isGlobal) return;
  indexed(LOCAL_GET, local);
  indexed(GLOBAL_SET, gasGlobal());
}

function get(): void {
  if (isGlobal) indexed(GLOBAL_GET, gasGlobal());
  else indexed(LOCAL_GET, local);
}

function set(): void {
  if (isGlobal) indexed(GLOBAL_SET, gasGlobal());
  else indexed(LOCAL_SET, local);
}

function subtract(gas: u64): void {
  if (gas == 0) return;
  constant(I64_CONST, gas);
  u8Of(I64_SUB);
}

/** What a segment costs whatever the memory becomes. */
function known(gas: u32, loads: u32): u64 {
  return size == ALWAYS_FAR ? <u64>gas + <u64>loads * FAR_LOAD_PRICE : gas;
}

/** A branch that nearly always goes the same way costs less than a price that is worked out. */
function takeFar(loads: u32): void {
  if (loads == 0 || size != MAY_BECOME_FAR) return;
  indexed(GLOBAL_GET, farGlobal());
  bytes2(IF, EMPTY_BLOCK);
  get();
  subtract(<u64>loads * FAR_LOAD_PRICE);
  set();
  u8Of(END);
}

export function takeGas(gas: u32, loads: u32): void {
  const price = known(gas, loads);
  if (price > 0) {
    get();
    subtract(price);
    set();
  }
  takeFar(loads);
}

/** From the gas on top of the stack, which stays there. */
function takeAll(gas: u32, loads: u32): void {
  subtract(known(gas, loads));
  if (loads == 0 || size != MAY_BECOME_FAR) return;
  set();
  takeFar(loads);
  get();
}

function check(label: u32): void {
  indexed(LOCAL_TEE, local);
  if (isGlobal) {
    indexed(GLOBAL_SET, gasGlobal());
    indexed(LOCAL_GET, local);
  }
  bytes3(I64_CONST, 0, I64_LT_S);
  indexed(BR_IF, label);
}

/** @param label of the cold path */
export function takeAndCheck(gas: u32, loads: u32, label: u32): void {
  get();
  takeAll(gas, loads);
  check(label);
}

/** Where the function begins: the gas comes from the global. */
export function enterGas(gas: u32, loads: u32, label: u32, isChecked: bool): void {
  if (isGlobal && !isChecked) {
    takeGas(gas, loads);
    return;
  }
  indexed(GLOBAL_GET, gasGlobal());
  takeAll(gas, loads);
  if (isChecked) check(label);
  else indexed(LOCAL_SET, local);
}

/** The length on top of the stack stays there. */
export function takeForBytes(label: u32): void {
  const length = local + 1;
  indexed(LOCAL_TEE, length);
  get();
  indexed(LOCAL_GET, length);
  u8Of(I64_EXTEND_I32_U);
  constant(I64_CONST, BULK_BYTES_LOG2);
  bytes2(I64_SHR_U, I64_SUB);
  check(label);
}

function moveStack(bytes: i32, operation: u32): void {
  indexed(GLOBAL_GET, stackGlobal());
  constant(I32_CONST, bytes);
  u8Of(operation);
  indexed(GLOBAL_SET, stackGlobal());
}

export function reserveStack(bytes: i32, label: u32): void {
  moveStack(bytes, I32_SUB);
  indexed(GLOBAL_GET, stackGlobal());
  bytes3(I32_CONST, 0, I32_LT_S);
  indexed(BR_IF, label);
}

export function releaseStack(bytes: i32): void {
  moveStack(bytes, I32_ADD);
}

/** A whole body, from its locals on: (pages: i32) -> i32, for memory.grow. Above the maximum it returns -1, always. */
export function growBody(pagesMax: u32): void {
  bytes3(1, 1, I64);
  bytes3(LOCAL_GET, 0, I64_EXTEND_I32_U);
  bytes3(MEMORY_SIZE, 0, I64_EXTEND_I32_U);
  u8Of(I64_ADD);
  constant(I64_CONST, pagesMax);
  bytes3(I64_GT_U, IF, EMPTY_BLOCK);
  constant(I32_CONST, -1);
  bytes2(RETURN, END);
  indexed(GLOBAL_GET, gasGlobal());
  bytes3(LOCAL_GET, 0, I64_EXTEND_I32_U);
  constant(I64_CONST, GROW_PAGE_PRICE);
  bytes2(I64_MUL, I64_SUB);
  indexed(LOCAL_TEE, 1);
  indexed(GLOBAL_SET, gasGlobal());
  indexed(LOCAL_GET, 1);
  bytes3(I64_CONST, 0, I64_LT_S);
  bytes2(IF, EMPTY_BLOCK);
  bytes2(UNREACHABLE, END);
  indexed(LOCAL_GET, 0);
  bytes2(MEMORY_GROW, 0);
  indexed(LOCAL_TEE, 0);
  constant(I32_CONST, -1);
  bytes3(I32_EQ, IF, EMPTY_BLOCK);
  bytes2(I32_CONST, 1);
  indexed(GLOBAL_SET, refusedGlobal());
  bytes2(UNREACHABLE, END);
  bytes2(MEMORY_SIZE, 0);
  constant(I32_CONST, NEAR_PAGES);
  bytes3(I32_GT_U, IF, EMPTY_BLOCK);
  constant(I32_CONST, 1);
  indexed(GLOBAL_SET, farGlobal());
  u8Of(END);
  indexed(LOCAL_GET, 0);
  u8Of(END);
}

export function callGrow(): void {
  indexed(CALL, growFunction());
}
