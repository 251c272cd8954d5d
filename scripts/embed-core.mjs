// `npm run embed:core`: the packages below embed/ carry copies of core.wasm and check.wasm, of those that `npm run build` made.
import { copyFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const files = readdirSync("embed", { recursive: true, encoding: "utf8" });
const cores = files.filter((path) => /(^|[\\/])core\.wasm$/.test(path) && !/(^|[\\/])build[\\/]/.test(path));
for (const folder of cores.map((path) => join("embed", dirname(path)))) {
  for (const name of ["core.wasm", "check.wasm"]) {
    copyFileSync(join("dist", name), join(folder, name));
    process.stdout.write(`${join(folder, name)}\n`);
  }
}
