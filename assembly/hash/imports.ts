// @ts-nocheck: TypeScript knows no decorators of functions; the AssemblyScript compiler does, and checks the types.
// What the host does for the module while it finishes nodes.

/** Takes a finished chunk; its bytes are valid during the call. */
@external("host", "emit")
export declare function emit(chunk: f64, ptr: usize, length: u32): void;

/** Hashes one long message: there the platform is faster. */
@external("host", "digest")
export declare function digest(ptr: usize, length: u32, target: usize): void;
