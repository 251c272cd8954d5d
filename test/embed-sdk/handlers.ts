/**
 * `npm run embed:sdk:handlers`: compiles the handlers of the Cosmos SDK's example chain, with their metered modules, into
 * `embed/go/sdk/testdata`, from where the Go tests read them. `--check` compares instead of writing.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/sources.js";
import { buildHandler } from "./build-handler.js";

const SOURCES = join(ROOT, "embed/go/sdk/example/handlers");
const OUT = join(ROOT, "embed/go/sdk/testdata");

const isCheck = process.argv.includes("--check");
let differing = 0;
for (const file of readdirSync(SOURCES)) {
  if (!file.endsWith(".ts")) continue;
  const bytes = await buildHandler(SOURCES, file);
  const target = join(OUT, file.replace(/\.ts$/, ".wasm"));
  if (!isCheck) writeFileSync(target, bytes);
  else if (!Buffer.from(bytes).equals(readFileSync(target))) {
    differing += 1;
    console.log(`${target} is not what its source gives: npm run embed:sdk:handlers`);
  }
  if (!isCheck) console.log(`${target}  ${bytes.length} bytes`);
}
process.exitCode = differing === 0 ? 0 : 1;
