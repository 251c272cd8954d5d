/**
 * Takes the place of `@assemblyscript/loader` in the page and in `chain-upgrade/verify`. What the loader adds, conversions of managed objects, the
 * core's interface does not have, and a visitor would have to download it.
 */
export function instantiateSync(module: WebAssembly.Module, imports: WebAssembly.Imports) {
  const instance = new WebAssembly.Instance(module, imports);
  return { module, instance, exports: instance.exports };
}
