// Is this file a handler? Twin of `examineHandler` in host/upgrade/handler/check/check.ts: the same checks in the same order.
import { UPG_HANDLER_FORMAT, UPG_HANDLER_LIMIT, UPG_HANDLER_MANIFEST, UPG_HANDLER_METERED } from "./codes";
import { add, clear, isDone, listed } from "./findings";
import { checkExports, checkImports } from "./interface";
import { HANDLER_BYTES_MAX, MANIFEST_BYTES_MAX } from "./limits";
import { optional } from "./manifest/field";
import { NIL, Node } from "./manifest/node";
import { readManifest } from "./manifest/manifest";
import { dropMetered, meteredLength, meteredPtr, meterModule } from "./meter/meter";
import { writeResult } from "./result";
import { begin, number, text } from "./text/message";
import { decodeModule, isFramed, isWhole } from "./wasm/decode";
import * as wasm from "./wasm/module";

export const FLAG_INVALID: u32 = 1;

/** The first and the second custom section of a name, and how many there are. */
let first: wasm.Custom | null = null;
let second: wasm.Custom | null = null;
let count: u32 = 0;

function find(name: string): void {
  first = null;
  second = null;
  count = 0;
  for (let i: u32 = 0; i < wasm.customs; i++) {
    const custom = wasm.customAt(i);
    if (!wasm.isNamed(custom.name, custom.nameLen, name)) continue;
    if (count == 0) first = custom;
    else if (count == 1) second = custom;
    count++;
  }
}

export function checkFile(ptr: usize, length: u32, flags: u32): u32 {
  clear();
  dropMetered();
  if (length > HANDLER_BYTES_MAX) {
    wasm.openModule(ptr, 0);
    tooLong();
    writeResult(NIL, null);
    return 1;
  }
  wasm.openModule(ptr, length);
  decodeModule();
  const manifest = isFramed ? findManifest() : NIL;
  if (isWhole) {
    checkImports();
    checkExports(hasScans(manifest));
  }
  if (listed() == 0 && (flags & FLAG_INVALID) != 0) invalid();
  const carried = isFramed ? checkMetered() : null;
  writeResult(manifest, carried);
  return listed();
}

function tooLong(): void {
  begin();
  text("the file is longer than the ");
  number(HANDLER_BYTES_MAX);
  text(" bytes that are allowed; strip debug sections and build for size");
  add(UPG_HANDLER_LIMIT, 0);
}

function invalid(): void {
  begin();
  text("operands have the wrong type or number (the engine refuses the module)");
  text("; rebuild it, and check it with wasm-validate");
  add(UPG_HANDLER_FORMAT, 0);
}

function hasScans(manifest: Node): bool {
  const scans = manifest ? optional(manifest, "scans") : NIL;
  return scans ? scans.count > 0 : false;
}

function findManifest(): Node {
  find("chain-upgrade.manifest");
  const found = first;
  if (!found || second) {
    begin();
    text("manifest: there ");
    if (found) {
      text("are ");
      number(count);
      text(" custom sections");
    } else text("is no custom section");
    text(" chain-upgrade.manifest; exactly one is due");
    const last = second;
    add(UPG_HANDLER_MANIFEST, last ? last.start : 0);
    return NIL;
  }
  // A manifest above the limit is refused by its length, so one byte more than the limit is enough to read.
  const length = min(<u32>(found.end - found.payload), MANIFEST_BYTES_MAX + 1);
  const manifest = readManifest(found.payload, length);
  return isDone() ? manifest : NIL;
}

/** The custom section with the metered module that this module has; null: the file has none, or one that is refused. */
function checkMetered(): wasm.Custom | null {
  find("chain-upgrade.metered");
  const twice = second;
  if (twice) {
    begin();
    text("there are two custom sections chain-upgrade.metered, at most one is allowed");
    add(UPG_HANDLER_METERED, twice.start);
  }
  if (listed() > 0) return null;
  meterModule();
  const found = first;
  if (!found) return null;
  const length = <u32>(found.end - found.payload);
  const same = sameBytes(found.payload, meteredPtr, min(length, meteredLength));
  if (length == meteredLength && same == length) return found;
  begin();
  text("custom section chain-upgrade.metered ");
  if (same == length) {
    text("ends after ");
    number(length);
    text(" of ");
    number(meteredLength);
    text(" bytes");
  } else text("is not the metered form of this module");
  add(UPG_HANDLER_METERED, same == length ? found.end : found.payload + same);
  dropMetered();
  return null;
}

/** How many bytes are the same before the first that differs. */
function sameBytes(a: usize, b: usize, most: u32): u32 {
  let at: u32 = 0;
  while (at < most && load<u8>(a + at) == load<u8>(b + at)) at++;
  return at;
}
