// @ts-nocheck: TypeScript knows no decorators of functions; the AssemblyScript compiler does, and checks the types.
// How a declaration is heard: these exist while `chaind handler build` makes the manifest (`--use DESCRIBE=1`), and in no
// handler that it builds.

@external("describe", "allow")
export declare function describeAllow(what: string, name: string): void;

@external("describe", "plan")
export declare function describePlan(name: string, gasLimit: u64): void;

@external("describe", "store")
export declare function describeStore(name: string, access: string, upgrade: string, before: string): void;

@external("describe", "prefix")
export declare function describePrefix(handle: u32, prefix: string): void;

@external("describe", "step")
export declare function describeStep(module: string, from: u64, to: u64): void;

@external("describe", "module")
export declare function describeModule(module: string, version: u64): void;

@external("describe", "scan")
export declare function describeScan(handle: u32, prefix: string): void;
