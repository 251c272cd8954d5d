// For `chain-upgrade/verify`, where check.wasm is a file of its own.

/**
 * A plugin of esbuild. A browser that runs an upgrade again fetches check.wasm beside the code, and keeps it when only the code
 * changes. esbuild's own chunks would be three here, of which two would have one name.
 */
export const checkWasmBeside = {
  name: "check-wasm-beside",
  setup({ onResolve }) {
    onResolve({ filter: /\/check-wasm\.js$/ }, () => ({ path: "./verify-check-wasm.js", external: true }));
  },
};
