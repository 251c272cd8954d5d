// What `check_file` found, as the protobuf message FileCheck of docs/abi.md.
import { allocZeros } from "./arena";
import { UPG_HANDLER_LIMIT } from "./codes";
import { adviceOf, composeRest, Finding, finding, listed } from "./findings";
import { FUNCTIONS_MAX } from "./limits";
import { NIL, Node, TRUE } from "./manifest/node";
import { optional, required } from "./manifest/field";
import { isWritable } from "./manifest/rules";
import { GAS_SCHEDULE } from "./meter/schedule";
import { beginPart, copy, endPart, endWriting, startWriting, textOf, u8Of, unsigned } from "./meter/writer";
import { hexValue } from "./text/characters";
import { bad, forgive, holdsAdvice, messageLength, messagePtr } from "./text/message";
import * as wasm from "./wasm/module";
import * as reader from "./wasm/reader";

export let resultPtr: usize = 0;
export let resultLength: u32 = 0;

export function setResult(ptr: usize, length: u32): void {
  resultPtr = ptr;
  resultLength = length;
}

function tag(field: u32, type: u32): void {
  unsigned((field << 3) | type);
}

/** A message, or bytes whose length is not known yet. */
export function beginField(field: u32): usize {
  tag(field, 2);
  return beginPart();
}

/** A number that is written also when it is 0. */
function numberAlways(field: u32, value: u64): void {
  tag(field, 0);
  unsigned(value);
}

export function numberField(field: u32, value: u64): void {
  if (value != 0) numberAlways(field, value);
}

/** Bytes that are written also when there are none. */
export function bytesAlways(field: u32, ptr: usize, len: u32): void {
  tag(field, 2);
  unsigned(len);
  copy(ptr, ptr + len);
}

export function bytesField(field: u32, ptr: usize, len: u32): void {
  if (len > 0) bytesAlways(field, ptr, len);
}

/** @param manifest null: it could not be read */
export function writeResult(manifest: Node, metered: wasm.Custom | null): void {
  const names = functionNames();
  const start = startWriting();
  for (let i: u32 = 0; i < listed(); i++) writeFinding(finding(i));
  if (composeRest()) writeRest();
  writeNames(names);
  if (manifest) writeManifest(manifest);
  if (listed() == 0) writeFacts(metered != null);
  setResult(start, endWriting(start));
}

function writeFinding(each: Finding): void {
  const part = beginField(1);
  numberField(1, each.code);
  const message = beginField(2);
  copy(each.message, each.message + each.length);
  const advice = adviceOf(each.code);
  if (advice.length > 0 && !holdsAdvice(each.message, each.length)) {
    textOf("; ");
    textOf(advice);
  }
  endPart(message);
  if (each.at != 0) numberAlways(3, each.at - wasm.fileStart);
  if (each.fn >= 0) numberAlways(4, each.fn);
  endPart(part);
}

/** The finding that counts those that are not listed. */
function writeRest(): void {
  const part = beginField(1);
  numberField(1, UPG_HANDLER_LIMIT);
  bytesField(2, messagePtr(), messageLength());
  endPart(part);
}

/** Of each function: where its name is, how long it is, and whether it was written; 0: it has none. */
const NAME_BYTES: u32 = 12;

function functionNames(): usize {
  let isNeeded = false;
  for (let i: u32 = 0; i < listed(); i++) isNeeded = isNeeded || finding(i).fn >= 0;
  if (!isNeeded) return 0;
  const names = allocZeros(wasm.functions * NAME_BYTES);
  readNameSection(names);
  for (let i: u32 = 0; i < wasm.exports; i++) {
    const each = wasm.exportAt(i);
    if (each.kind == wasm.FUNCTION_KIND && load<usize>(names + each.index * NAME_BYTES) == 0) {
      setName(names, each.index, each.name, each.nameLen);
    }
  }
  return names;
}

function setName(names: usize, fn: u32, name: usize, len: u32): void {
  store<usize>(names + fn * NAME_BYTES, name);
  store<u32>(names + fn * NAME_BYTES, len, 4);
}

/** A custom section cannot make a module invalid: what cannot be read is ignored. */
function readNameSection(names: usize): void {
  for (let i: u32 = 0; i < wasm.customs; i++) {
    const custom = wasm.customAt(i);
    if (!wasm.isNamed(custom.name, custom.nameLen, "name")) continue;
    reader.open(custom.payload, custom.end);
    while (!bad && reader.at < custom.end) readSubsection(names, custom.end);
    forgive();
    return;
  }
}

function readSubsection(names: usize, sectionEnd: usize): void {
  const id = reader.byte("a subsection");
  const size = reader.u32Of("its size");
  const start = reader.at;
  reader.skip(size, "a subsection");
  if (bad || id != 1) return;
  reader.open(start, start + size);
  const count = reader.count("names", 2 * FUNCTIONS_MAX);
  for (let i: u32 = 0; i < count && !bad; i++) {
    const fn = reader.u32Of("a function");
    reader.name("a name");
    if (!bad && reader.nameLen > 0 && fn < wasm.functions) setName(names, fn, reader.namePtr, reader.nameLen);
  }
  if (!bad) reader.open(start + size, sectionEnd);
}

function writeNames(names: usize): void {
  for (let i: u32 = 0; i < listed(); i++) {
    const fn = finding(i).fn;
    if (fn < 0) continue;
    const entry = names + fn * NAME_BYTES;
    if (load<u32>(entry, 8) != 0) continue;
    store<u32>(entry, 1, 8);
    const isImport = load<usize>(entry) == 0 && <u32>fn < wasm.imports;
    if (load<usize>(entry) == 0 && !isImport) continue;
    const part = beginField(2);
    numberField(1, fn);
    const name = beginField(2);
    if (isImport) writeImportName(wasm.importAt(fn));
    else copy(load<usize>(entry), load<usize>(entry) + load<u32>(entry, 4));
    endPart(name);
    endPart(part);
  }
}

function writeImportName(entry: wasm.Import): void {
  copy(entry.module, entry.module + entry.moduleLen);
  u8Of(0x2e);
  copy(entry.name, entry.name + entry.nameLen);
}

function writeFacts(carriesMetered: bool): void {
  const part = beginField(4);
  const schedule = beginField(1);
  textOf(GAS_SCHEDULE);
  endPart(schedule);
  numberField(2, wasm.exportNamed("handler_batch") ? 1 : 0);
  numberField(3, wasm.exportNamed("handler_check") ? 1 : 0);
  numberField(4, wasm.exportNamed("handler_err") ? 1 : 0);
  numberField(5, wasm.exportNamed("_initialize") ? 1 : 0);
  numberField(6, wasm.memoryMin);
  numberField(7, wasm.memoryMax);
  numberField(8, carriesMetered ? 1 : 0);
  endPart(part);
}

function textField(field: u32, node: Node): void {
  bytesField(field, node.ptr, node.len);
}

function textList(field: u32, object: Node, name: string): void {
  const list = object ? optional(object, name) : null;
  for (let each: Node = list ? list.first : NIL; each; each = each.next) textField(field, each);
}

function writeManifest(root: Node): void {
  const part = beginField(3);
  numberField(1, 1);
  textField(2, required(root, "name"));
  numberField(3, decimal(required(root, "gasLimit")));
  for (let each: Node = required(root, "stores").first; each; each = each.next) writeStore(each);
  const upgrades = optional(root, "storeUpgrades");
  textList(5, upgrades, "added");
  const renamed = upgrades ? optional(upgrades, "renamed") : NIL;
  for (let each: Node = renamed ? renamed.first : NIL; each; each = each.next) writeRename(each);
  textList(7, upgrades, "deleted");
  for (let each: Node = required(root, "versions").first; each; each = each.next) writeVersions(each);
  textList(9, root, "removes");
  const scans = optional(root, "scans");
  for (let each: Node = scans ? scans.first : NIL; each; each = each.next) writeScan(each);
  const allows = optional(root, "allows");
  if (allows) writeAllows(allows);
  endPart(part);
}

function decimal(node: Node): u64 {
  let value: u64 = 0;
  for (let i: u32 = 0; i < node.len; i++) value = value * 10 + (load<u8>(node.ptr + i) - 48);
  return value;
}

function prefixField(field: u32, node: Node): void {
  tag(field, 2);
  unsigned(node.len / 2);
  for (let i: u32 = 0; i < node.len; i += 2) {
    u8Of((hexValue(load<u8>(node.ptr + i)) << 4) | hexValue(load<u8>(node.ptr + i + 1)));
  }
}

function writeStore(node: Node): void {
  const part = beginField(4);
  textField(1, required(node, "name"));
  numberField(2, isWritable(node) ? 1 : 0);
  const prefixes = optional(node, "prefixes");
  for (let each: Node = prefixes ? prefixes.first : NIL; each; each = each.next) prefixField(3, each);
  endPart(part);
}

function writeRename(node: Node): void {
  const part = beginField(6);
  textField(1, required(node, "old_key"));
  textField(2, required(node, "new_key"));
  endPart(part);
}

function writeVersions(node: Node): void {
  const part = beginField(8);
  bytesField(1, node.key, node.keyLen);
  const from = optional(node, "from");
  if (from) {
    const list = beginField(2);
    for (let each: Node = from.first; each; each = each.next) unsigned(each.value);
    endPart(list);
  }
  numberField(3, required(node, "to").value);
  endPart(part);
}

function writeScan(node: Node): void {
  const part = beginField(10);
  textField(1, required(node, "store"));
  const prefix = optional(node, "prefix");
  if (prefix) prefixField(2, prefix);
  endPart(part);
}

function writeAllows(node: Node): void {
  const part = beginField(11);
  textList(1, node, "deleteStores");
  textList(2, node, "removeModules");
  textList(3, node, "writeStores");
  textList(4, node, "keepStores");
  const isEmpty = optional(node, "emptyVersionMap");
  numberField(5, isEmpty && isEmpty.kind == TRUE ? 1 : 0);
  endPart(part);
}
