// What the fields of a manifest must be to one another. Twin of host/upgrade/handler/manifest/manifest-rules.ts, which says why.
import { equal } from "../../shared/bytes";
import { bad, put, putBytes, text } from "../text/message";
import { isNamed } from "../wasm/module";
import { optional, required, wrongAs } from "./field";
import { fieldOf, NIL, Node, pathText, wrong } from "./node";

export function checkManifest(root: Node): void {
  checkStores(root);
  if (!bad) checkStoreUpgrades(root);
  if (!bad) checkRemoves(root);
  if (!bad) checkScans(root);
  if (!bad) checkAllows(root);
}

function isSame(a: Node, b: Node): bool {
  return equal(a.ptr, a.len, b.ptr, b.len);
}

/** A list that may be left out. */
function firstOf(object: Node, name: string): Node {
  const list = object ? optional(object, name) : NIL;
  return list ? list.first : NIL;
}

function nameOf(store: Node): Node {
  return required(store, "name");
}

export function isWritable(store: Node): bool {
  return required(store, "access").len == 2;
}

/** A text and a name in quotes, and more text. */
function wrongName(at: Node, before: string, name: Node, after: string): void {
  wrong(at);
  text(before);
  put(0x22);
  putBytes(name.ptr, name.len);
  put(0x22);
  text(after);
}

function isUpgradeStore(name: Node): bool {
  return isNamed(name.ptr, name.len, "upgrade");
}

function lower(byte: u32): u32 {
  return byte >= 65 && byte <= 70 ? byte | 0x20 : byte;
}

/** Of two prefixes in hex. */
function startsWith(text: Node, start: Node): bool {
  if (start.len > text.len) return false;
  for (let i: u32 = 0; i < start.len; i++) {
    if (lower(load<u8>(text.ptr + i)) != lower(load<u8>(start.ptr + i))) return false;
  }
  return true;
}

function checkStores(root: Node): void {
  const first = firstOf(root, "stores");
  for (let store: Node = first; store && !bad; store = store.next) {
    const name = nameOf(store);
    for (let other: Node = first; other && other != store; other = other.next) {
      if (isSame(nameOf(other), name)) return wrongName(name, "store ", name, " is listed twice");
    }
    if (isUpgradeStore(name) && isWritable(store)) {
      wrongAs(required(store, "access"), 'store "upgrade" belongs to the upgrade module; "r" is all there is');
      return;
    }
    const prefixes = firstOf(store, "prefixes");
    for (let prefix: Node = prefixes; prefix && !bad; prefix = prefix.next) checkPrefix(prefixes, prefix);
  }
}

function checkPrefix(first: Node, prefix: Node): void {
  for (let other: Node = first; other; other = other.next) {
    if (other == prefix || !startsWith(prefix, other)) continue;
    wrongAs(prefix, "begins with another prefix of this store (or equals it)");
    return;
  }
}

/** Walks all names of storeUpgrades: `added`, then the two of each rename, then `deleted`. */
let walked: Node = NIL;
let walkedList: u32 = 0;
let isOldKey: bool = false;

function startWalk(upgrades: Node): Node {
  walkedList = 0;
  walked = firstOf(upgrades, "added");
  return nextWalked(upgrades);
}

function nextWalked(upgrades: Node): Node {
  while (!walked && walkedList < 2) {
    walkedList++;
    isOldKey = true;
    walked = firstOf(upgrades, walkedList == 1 ? "renamed" : "deleted");
  }
  const node = walked;
  if (!node) return NIL;
  if (walkedList == 1 && isOldKey) {
    isOldKey = false;
    return required(node, "old_key");
  }
  isOldKey = true;
  walked = node.next;
  return walkedList == 1 ? required(node, "new_key") : node;
}

function checkStoreUpgrades(root: Node): void {
  const upgrades = optional(root, "storeUpgrades");
  if (!upgrades) return;
  let index = 0;
  for (let name: Node = startWalk(upgrades); name; name = nextWalked(upgrades), index++) {
    if (isUpgradeStore(name)) return wrongAs(name, 'store "upgrade" belongs to the upgrade module');
    if (isEarlier(upgrades, name, index)) return wrongName(name, "store ", name, " occurs twice in storeUpgrades");
  }
  for (let store: Node = firstOf(root, "stores"); store; store = store.next) {
    const name = nameOf(store);
    if (isTaken(upgrades, name)) return wrongName(name, "storeUpgrades takes store ", name, " away before the run");
  }
}

/** Is the same name among the first `index`? The walk stays where it was. */
function isEarlier(upgrades: Node, name: Node, index: i32): bool {
  const node = walked;
  const list = walkedList;
  const old = isOldKey;
  let found = false;
  let other = startWalk(upgrades);
  for (let i = 0; i < index && other && !found; i++) {
    found = isSame(other, name);
    other = nextWalked(upgrades);
  }
  walked = node;
  walkedList = list;
  isOldKey = old;
  return found;
}

/** Deleted, or renamed to another name. */
function isTaken(upgrades: Node, name: Node): bool {
  for (let each: Node = firstOf(upgrades, "deleted"); each; each = each.next) if (isSame(each, name)) return true;
  for (let each: Node = firstOf(upgrades, "renamed"); each; each = each.next) {
    if (isSame(required(each, "old_key"), name)) return true;
  }
  return false;
}

function checkRemoves(root: Node): void {
  const versions = required(root, "versions");
  const first = firstOf(root, "removes");
  for (let name: Node = first; name; name = name.next) {
    if (isBefore(first, name)) return wrongName(name, "module ", name, " is listed twice");
    const listed = fieldOf(versions, name.ptr, name.len);
    if (!listed) continue;
    wrongName(name, "module ", name, " is also listed at ");
    pathText(listed);
    return;
  }
}

/** Is the same text before it in its list? */
function isBefore(first: Node, node: Node): bool {
  for (let other: Node = first; other && other != node; other = other.next) if (isSame(other, node)) return true;
  return false;
}

function checkScans(root: Node): void {
  for (let scan: Node = firstOf(root, "scans"); scan && !bad; scan = scan.next) {
    const store = required(scan, "store");
    const listed = listedStore(root, store);
    if (!listed) return wrongName(store, "store ", store, " is not listed in stores");
    if (!optional(listed, "prefixes")) continue;
    const prefix = optional(scan, "prefix");
    if (!prefix) {
      wrongName(scan, "needs a prefix: the manifest gives only parts of store ", store, "");
      return;
    }
    let isInside = false;
    for (let each: Node = firstOf(listed, "prefixes"); each; each = each.next)
      isInside = isInside || startsWith(prefix, each);
    if (!isInside) wrongName(prefix, "lies outside the prefixes that the manifest gives of store ", store, "");
  }
}

function listedStore(root: Node, name: Node): Node {
  for (let each: Node = firstOf(root, "stores"); each; each = each.next) if (isSame(nameOf(each), name)) return each;
  return NIL;
}

const DELETE_STORES: u32 = 0;
const REMOVE_MODULES: u32 = 1;
const WRITE_STORES: u32 = 2;

function checkAllows(root: Node): void {
  checkAllowed(root, "deleteStores", DELETE_STORES);
  if (!bad) checkAllowed(root, "removeModules", REMOVE_MODULES);
  if (!bad) checkAllowed(root, "writeStores", WRITE_STORES);
  if (!bad) checkAllowed(root, "keepStores", 3);
}

function checkAllowed(root: Node, list: string, what: u32): void {
  const first = firstOf(optional(root, "allows"), list);
  for (let name: Node = first; name; name = name.next) {
    if (isBefore(first, name)) return wrongName(name, "", name, " is listed twice");
    if (!doesIt(root, what, name)) return wrongName(name, "allows what the manifest does not do with ", name, "");
  }
}

/** Does the manifest do what would be allowed? */
function doesIt(root: Node, what: u32, name: Node): bool {
  const upgrades = optional(root, "storeUpgrades");
  if (what == DELETE_STORES) return isTaken(upgrades, name);
  const removes = firstOf(root, "removes");
  if (what == REMOVE_MODULES) {
    for (let each: Node = removes; each; each = each.next) if (isSame(each, name)) return true;
    return false;
  }
  if (what == WRITE_STORES) return writesTo(root, upgrades, name);
  return removes != NIL && !isTaken(upgrades, name);
}

/** By the name after the upgrade, or by the old one of a rename. */
function writesTo(root: Node, upgrades: Node, name: Node): bool {
  const listed = listedStore(root, name);
  if (listed && isWritable(listed)) return true;
  for (let each: Node = firstOf(upgrades, "renamed"); each; each = each.next) {
    if (!isSame(required(each, "old_key"), name)) continue;
    const renamed = listedStore(root, required(each, "new_key"));
    if (renamed && isWritable(renamed)) return true;
  }
  return false;
}
