/**
 * Runs the bundle beside it with the code that V8 compiled for it before: a simulation starts thousands of processes, and half of
 * the time of each was the same compilation. A process that ends by itself leaves its code for the next ones; the threads of
 * a process, which run other functions, have a file each.
 */
const { readFileSync, renameSync, writeFileSync, existsSync } = require("node:fs");
const Module = require("node:module");
const { Script, constants } = require("node:vm");
const { isMainThread } = require("node:worker_threads");

const file = __filename.replace(/\.boot\.cjs$/, ".cjs");
const codeFile = `${file}.${isMainThread ? "main" : "thread"}.code`;
const cachedData = existsSync(codeFile) ? readFileSync(codeFile) : undefined;
const script = new Script(Module.wrap(readFileSync(file, "utf8")), {
  filename: file,
  cachedData,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const bundle = { exports: {} };
script.runInThisContext()(bundle.exports, Module.createRequire(file), bundle, file, __dirname);
if (!cachedData) {
  process.on("exit", () => {
    const begun = `${codeFile}.${process.pid}`;
    writeFileSync(begun, script.createCachedData());
    renameSync(begun, codeFile);
  });
}
