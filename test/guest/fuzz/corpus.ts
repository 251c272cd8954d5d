/** Handlers to begin from: small ones that use all there is, and the examples as they were built. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromHex } from "../../../host/base/text/bytes.js";
import { withMetered } from "../../../host/upgrade/handler/metered-section.js";
import { build, data, guest, OUT } from "../build.js";
import { IMPORTS, STORES } from "../running.js";

const MANIFEST = { stores: STORES, scans: [{ store: "read" }, { store: "part", prefix: "01" }] };

const LOOPS = `(func $work (param $n i32) (result i32) (local $i i32) (local $sum i64)
  (block $out (loop $again
    (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
    (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 31)) (i64.extend_i32_u (i32.load8_u (local.get $i)))))
    (if (i32.and (local.get $i) (i32.const 1)) (then (i32.store8 offset=512 (local.get $i) (i32.const 7))) (else (nop)))
    (block $b (block $a (br_table $a $b $again (i32.rem_u (local.get $i) (i32.const 5)))) (local.set $i (i32.add (local.get $i) (i32.const 1))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br $again)))
  (i32.wrap_i64 (local.get $sum)))`;
const INDIRECT = `(type $unary (func (param i32) (result i32))) (table 3 funcref) (elem (i32.const 0) $work $double $rec)
  (func $double (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func $rec (param i32) (result i32) (if (result i32) (local.get 0) (then (i32.add (i32.const 1) (call $rec (i32.sub (local.get 0) (i32.const 1))))) (else (i32.const 0))))`;
const RUN = `(drop (call_indirect (type $unary) (i32.const 40) (i32.const 0)))
  (drop (call_indirect (type $unary) (i32.const 9) (i32.const 2)))
  (drop (memory.grow (call $double (i32.const 1))))
  (memory.fill (i32.const 8192) (i32.const 3) (i32.const 600)) (memory.copy (i32.const 9000) (i32.const 8192) (i32.const 99))
  (drop (call $set (i32.const 0) (i32.const 16) (i32.const 2) (i32.const 8192) (i32.const 40)))
  (drop (call $get (i32.const 0) (i32.const 16) (i32.const 2) (i32.const 4096) (i32.const 64)))
  (drop (call $scan (i32.const 0) (i32.const 16) (i32.const 2) (i32.const 0) (i32.const 0) (i32.const 4096) (i32.const 512)))
  (call $log (i32.const 1) (i32.const 16) (i32.const 8)) (call $progress (i64.const 1) (i64.const 2)) (i32.const 0)`;

const full = {
  imports: IMPORTS,
  run: RUN,
  batch: `(i32.store (i32.const ${OUT}) (local.get $len)) (i32.const 13)`,
  check: "(i32.const 0)",
  err: "(i32.const 1024)",
  more: `${LOOPS} ${INDIRECT} ${data(16, fromHex("0102"))} ${data(OUT + 4, fromHex("010000400102030405"))}`,
};

/** From the repository's root, where all its commands run. */
const examples = join("build", "examples");

export function corpus(): Uint8Array[] {
  const built = readdirSync(examples).filter((name) => name.endsWith(".wasm"));
  return [
    build(guest(full), MANIFEST),
    build(guest({ ...full, run: "(i32.const 0)" }), MANIFEST),
    build(guest({ ...full, check: "(drop (call $work (i32.const 99))) (i32.const 0)" }), MANIFEST),
    build(guest()),
    withMetered(build(guest(full), MANIFEST)),
    ...built.map((name) => new Uint8Array(readFileSync(join(examples, name)))),
  ];
}
