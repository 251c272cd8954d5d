// The manifest of a handler: custom section `chain-upgrade.manifest`. Twin of host/upgrade/handler/manifest/manifest.ts; its values are
// read in the same order, so that the same one is the first that is wrong.
import {
  GAS_LIMIT_MAX,
  HANDLER_STORES_MAX,
  MANIFEST_BYTES_MAX,
  MODULE_VERSION_MAX,
  SCANS_MAX,
  STORE_PREFIXES_MAX,
} from "../limits";
import { bad, bytesOverLimit, number, text } from "../text/message";
import { isNamed } from "../wasm/module";
import * as field from "./field";
import { parse } from "./json";
import { FALSE, Node, openManifest, TRUE, wrong } from "./node";
import { checkManifest } from "./rules";

/** The manifest as it was read, its versions with their numbers. Check `bad` after it. */
export function readManifest(ptr: usize, len: u32): Node {
  if (len > MANIFEST_BYTES_MAX) {
    const root = openManifest(ptr);
    wrong(root);
    // The message counts at most one byte above the limit.
    bytesOverLimit(MANIFEST_BYTES_MAX + 1, MANIFEST_BYTES_MAX);
    return root;
  }
  const root = parse(ptr, len);
  readFields(root);
  if (!bad) checkManifest(root);
  return root;
}

function readFields(root: Node): void {
  if (!field.isObject(root)) return;
  field.requireField(root, "abi");
  field.requireField(root, "name");
  field.requireField(root, "gasLimit");
  field.requireField(root, "stores");
  field.requireField(root, "versions");
  field.requireKnown(root, "abi name gasLimit stores versions storeUpgrades removes scans allows");
  if (bad) return;
  readAbi(field.required(root, "abi"));
  if (!bad) field.readName(field.required(root, "name"));
  if (!bad) readGasLimit(field.required(root, "gasLimit"));
  if (!bad) readStores(field.required(root, "stores"));
  readStoreUpgrades(field.optional(root, "storeUpgrades"));
  if (!bad) readVersions(field.required(root, "versions"));
  readNames(field.optional(root, "removes"));
  readScans(field.optional(root, "scans"));
  readAllows(field.optional(root, "allows"));
}

function readAbi(node: Node): void {
  field.readInteger(node);
  if (bad || field.value == 1) return;
  wrong(node);
  text("this host speaks interface 1, not ");
  number(field.value);
}

function readGasLimit(node: Node): void {
  field.readDecimal(node, GAS_LIMIT_MAX);
  if (!bad && field.value == 0) field.wrongAs(node, "must be at least 1");
}

function readNames(node: Node): void {
  if (!node || !field.isList(node)) return;
  for (let each: Node = node.first; each && !bad; each = each.next) field.readName(each);
}

function readStoreNames(node: Node): void {
  if (!node || !field.isList(node)) return;
  for (let each: Node = node.first; each && !bad; each = each.next) field.readStoreName(each);
}

function isHexDigit(byte: u32): bool {
  const lower = byte | 0x20;
  return (byte >= 48 && byte <= 57) || (lower >= 97 && lower <= 102);
}

function readPrefix(node: Node): void {
  if (!field.isText(node)) return;
  if (node.len == 0) return field.wrongAs(node, "is empty; leave it out to mean every key");
  let isHex = node.len % 2 == 0;
  for (let i: u32 = 0; i < node.len && isHex; i++) isHex = isHexDigit(load<u8>(node.ptr + i));
  if (!isHex) field.wrongAs(node, "must be an even number of hex digits");
}

function readPrefixes(node: Node): void {
  if (!node || !field.isListOf(node, STORE_PREFIXES_MAX)) return;
  for (let each: Node = node.first; each && !bad; each = each.next) readPrefix(each);
  if (!bad && node.count == 0) field.wrongAs(node, "is empty; leave it out to mean every key");
}

function readStores(node: Node): void {
  if (!field.isListOf(node, HANDLER_STORES_MAX)) return;
  for (let each: Node = node.first; each && !bad; each = each.next) readStore(each);
}

function readStore(node: Node): void {
  if (!field.isObject(node)) return;
  field.requireField(node, "name");
  field.requireField(node, "access");
  field.requireKnown(node, "name access prefixes");
  if (bad) return;
  const access = field.required(node, "access");
  if (!field.isText(access)) return;
  if (!isNamed(access.ptr, access.len, "r") && !isNamed(access.ptr, access.len, "rw")) {
    field.wrongAs(access, 'must be "r" or "rw"');
    return;
  }
  field.readStoreName(field.required(node, "name"));
  readPrefixes(field.optional(node, "prefixes"));
}

function readStoreUpgrades(node: Node): void {
  if (!node || !field.isObject(node)) return;
  field.requireKnown(node, "added renamed deleted");
  const renamed = field.optional(node, "renamed");
  if (bad || (renamed && !field.isList(renamed))) return;
  readStoreNames(field.optional(node, "added"));
  if (renamed) for (let each: Node = renamed.first; each && !bad; each = each.next) readRename(each);
  readStoreNames(field.optional(node, "deleted"));
}

function readRename(node: Node): void {
  if (!field.isObject(node)) return;
  field.requireField(node, "old_key");
  field.requireField(node, "new_key");
  field.requireKnown(node, "old_key new_key");
  if (bad) return;
  field.readStoreName(field.required(node, "old_key"));
  field.readStoreName(field.required(node, "new_key"));
}

function readVersions(node: Node): void {
  if (!field.isObject(node)) return;
  for (let each: Node = node.first; each && !bad; each = each.next) {
    if (!field.hasNameProblem(each, each.key, each.keyLen, "the module's name ")) readModuleVersions(each);
  }
}

function readModuleVersions(node: Node): void {
  if (!field.isObject(node)) return;
  field.requireField(node, "to");
  field.requireKnown(node, "to from");
  if (bad) return;
  const to = field.required(node, "to");
  readVersion(to);
  const from = field.optional(node, "from");
  if (bad || !from || !field.isList(from)) return;
  for (let each: Node = from.first; each && !bad; each = each.next) readFrom(from, each, to.value);
  if (!bad && from.count == 0) field.wrongAs(from, "is empty; leave it out for a new module");
}

function readFrom(list: Node, node: Node, to: u64): void {
  readVersion(node);
  if (bad) return;
  if (node.value > to) {
    wrong(node);
    text('is above "to" (');
    number(to);
    text("); a version never goes down");
    return;
  }
  for (let each: Node = list.first; each && each != node; each = each.next) {
    if (each.value == node.value) return field.wrongAs(node, "this version is listed twice");
  }
}

/** A module at the greatest number that can be stored could never be raised again. */
function readVersion(node: Node): void {
  field.readU64(node);
  node.value = field.value;
  if (bad || field.value <= MODULE_VERSION_MAX) return;
  wrong(node);
  text("is ");
  number(field.value);
  text(", a version is at most ");
  number(MODULE_VERSION_MAX);
}

function readScans(node: Node): void {
  if (!node || !field.isListOf(node, SCANS_MAX)) return;
  for (let each: Node = node.first; each && !bad; each = each.next) readScan(each);
}

function readScan(node: Node): void {
  if (!field.isObject(node)) return;
  field.requireField(node, "store");
  field.requireKnown(node, "store prefix");
  if (bad) return;
  field.readStoreName(field.required(node, "store"));
  const prefix = field.optional(node, "prefix");
  if (prefix) readPrefix(prefix);
}

function readAllows(node: Node): void {
  if (!node || !field.isObject(node)) return;
  field.requireKnown(node, "deleteStores removeModules writeStores keepStores emptyVersionMap");
  if (bad) return;
  readNames(field.optional(node, "deleteStores"));
  readNames(field.optional(node, "removeModules"));
  readNames(field.optional(node, "writeStores"));
  readNames(field.optional(node, "keepStores"));
  const isEmpty = field.optional(node, "emptyVersionMap");
  if (isEmpty && !bad && isEmpty.kind != TRUE && isEmpty.kind != FALSE) field.wrongAs(isEmpty, "must be true or false");
}
