// `npm run embed:core`: the packages below embed/ carry copies of core.wasm, of the one that `npm run build` made.
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const files = readdirSync("embed", { recursive: true, encoding: "utf8" });
for (const file of files.filter((path) => /(^|[\\/])core\.wasm$/.test(path) && !/(^|[\\/])build[\\/]/.test(path))) {
  copyFileSync("dist/core.wasm", join("embed", file));
  process.stdout.write(`embed/${file}\n`);
}
