/** embed/go takes the metered form of whatever the node takes, the functions that are dearest to compile among them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { concatBytes } from "../../host/base/text/bytes.js";
import { METERED_SECTION } from "../../host/upgrade/handler/metered-section.js";
import { customSection } from "../../host/upgrade/wasm/custom-section.js";
import { prepareGo } from "../engines/prepare.js";
import { largestBody } from "../guest/bombs/bombs.js";
import { moduleOf } from "../guest/bombs/module-of.js";
import { SHAPES } from "../guest/bombs/shapes.js";
import { metered } from "../guest/random/metering.js";
import { ROOT } from "../house/sources.js";

const MODULE = join(ROOT, "embed/go");
const LOCALS = 8;
const missing = prepareGo(MODULE);

test.skipIf(missing)(
  `the reader of embed/go, the largest function of every shape, metered → taken${missing ? ` (skipped: ${missing})` : ""}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-bombs-"));
    try {
      const files = Object.values(SHAPES).map((shape, i) => {
        const plain = moduleOf([largestBody(shape, LOCALS)]);
        const file = join(folder, `${i}.wasm`);
        writeFileSync(file, concatBytes(plain, customSection(METERED_SECTION, metered(plain))));
        return file;
      });
      const { stdout, stderr } = spawnSync("go", ["run", "./internal/taken", ...files], {
        cwd: MODULE,
        encoding: "utf8",
      });
      expect(`${stdout}${stderr}`).toBe(`${files.length} files are taken\n`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  300_000,
);
