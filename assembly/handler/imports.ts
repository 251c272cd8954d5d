// @ts-nocheck: TypeScript knows no decorators of functions; the AssemblyScript compiler does, and checks the types.
// What a host offers (docs/abi.md): module `chain`. All optional; what is not used is not imported.

@external("chain", "store_get")
export declare function store_get(store: u32, key: usize, keyLen: u32, out: usize, cap: u32): i32;

@external("chain", "store_set")
export declare function store_set(store: u32, key: usize, keyLen: u32, value: usize, valueLen: u32): i32;

@external("chain", "store_delete")
export declare function store_delete(store: u32, key: usize, keyLen: u32): i32;

@external("chain", "store_write")
export declare function store_write(ops: usize, len: u32): i32;

@external("chain", "store_scan")
export declare function store_scan(
  store: u32,
  start: usize,
  startLen: u32,
  end: usize,
  endLen: u32,
  out: usize,
  cap: u32,
): i32;

@external("chain", "log")
export declare function log(level: u32, ptr: usize, len: u32): void;

@external("chain", "progress")
export declare function progress(done: i64, total: i64): void;

@external("chain", "fail")
export declare function fail(code: i32, ptr: usize, len: u32): void;
