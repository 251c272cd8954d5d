/** What is measured in an engine of JavaScript: a metered module is compiled, and run until there was every reason to optimise it. */

const CALLS = 200;
/** Of one call: enough for a walk through most of a function, soon gone in a loop. */
const GAS = 200_000n;
const MILLISECONDS_MAX = 4_000;

export async function compileAndRun(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  const gas = exports["chain-upgrade:gas"] as WebAssembly.Global<"i64">;
  const functions = Object.values(exports).filter((each) => typeof each === "function") as ((arg: number) => number)[];
  const until = Date.now() + MILLISECONDS_MAX;
  for (let call = 0; call < CALLS && Date.now() < until; call++) {
    for (const entry of functions) {
      gas.value = GAS;
      try {
        entry(call & 1);
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      }
    }
  }
  // What the background compilers were given last.
  await new Promise((resolve) => setTimeout(resolve, 500));
}
