/** A guest that moves each pair of one store to another, batch by batch: what tests and vectors of batches run. */
import { IN, OUT } from "./build.js";

export const MOVE = {
  stores: [
    { name: "old", access: "rw" },
    { name: "new", access: "rw" },
  ],
  scans: [{ store: "old" }],
};

/** Reports `scan * 1000 + flags` and the length of each batch. */
export const REPORT = `(call $progress
  (i64.extend_i32_u (i32.add (i32.mul (local.get $scan) (i32.const 1000)) (local.get $flags)))
  (i64.extend_i32_u (local.get $len)))`;

/** Moves each pair from store 0 to store 1; takes no further frame once its output has `outBytesMax`. */
export function mover(outBytesMax: number, first = ""): string {
  return `(local $in i32) (local $out i32) (local $key i32) (local $both i32)
    ${first} ${REPORT}
    (local.set $in (i32.const ${IN}))
    (local.set $out (i32.const ${OUT + 4}))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $in) (i32.add (i32.const ${IN}) (local.get $len))))
      (br_if $done (i32.ge_u (local.get $out) (i32.const ${OUT + outBytesMax})))
      (local.set $key (i32.load (local.get $in)))
      (local.set $both (i32.add (local.get $key) (i32.load offset=4 (local.get $in))))
      (i32.store (local.get $out) (i32.or (local.get $key) (i32.const 0x01000000)))
      (i32.store offset=4 (local.get $out) (i32.load offset=4 (local.get $in)))
      (memory.copy (i32.add (local.get $out) (i32.const 8)) (i32.add (local.get $in) (i32.const 8)) (local.get $both))
      (local.set $out (i32.add (local.get $out) (i32.add (local.get $both) (i32.const 8))))
      (i32.store (local.get $out) (i32.or (local.get $key) (i32.const 0x40000000)))
      (memory.copy (i32.add (local.get $out) (i32.const 4)) (i32.add (local.get $in) (i32.const 8)) (local.get $key))
      (local.set $out (i32.add (local.get $out) (i32.add (local.get $key) (i32.const 4))))
      (local.set $in (i32.add (local.get $in) (i32.add (local.get $both) (i32.const 8))))
      (br $next)))
    (i32.store (i32.const ${OUT}) (i32.sub (local.get $in) (i32.const ${IN})))
    (i32.sub (local.get $out) (i32.const ${OUT}))`;
}
