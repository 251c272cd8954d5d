/** A worker that Vite builds, with its default settings and as a module: both verify, and run an upgrade again. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIST } from "../e2e/chaind.js";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { type Prepared, preparedData } from "../engines/verify/data.js";
import { ROOT } from "../house/sources.js";
import { otherSite } from "./other-site.js";

const MINUTES = 120_000;
const missing = prepareChromium();

/** The part of Vite's interface that is used; vitest brings it. */
interface Vite {
  build(options: object): Promise<{ output: { fileName: string; code?: string; source?: string }[] }>;
}

async function vite(): Promise<Vite> {
  const ofVitest = createRequire(createRequire(import.meta.url).resolve("vitest/config"));
  return (await import(pathToFileURL(ofVitest.resolve("vite")).href)) as Vite;
}

const MAIN = `
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => { document.body.textContent = data + "\\nend"; });
`;

describe.skipIf(missing !== undefined)(`a worker of Vite${missing ? ` (${missing})` : ""}`, () => {
  let data: Prepared;
  let folder: string;
  beforeAll(async () => {
    data = await preparedData();
    folder = mkdtempSync(join(tmpdir(), "chain-upgrade-vite-"));
    writeFileSync(join(folder, "index.html"), '<!doctype html><body>…<script type="module" src="./main.js"></script>');
    writeFileSync(join(folder, "main.js"), MAIN);
    const worker = [
      `import * as verify from ${JSON.stringify(join(DIST, "verify.js"))};`,
      `import { report } from ${JSON.stringify(join(ROOT, "test/engines/verify/program.ts"))};`,
      `report(verify, ${JSON.stringify(data.json)}).then((text) => postMessage(text));`,
    ];
    writeFileSync(join(folder, "worker.js"), worker.join("\n"));
  }, MINUTES);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["of the default format, one classic script", undefined],
    ["of modules", "es"],
  ])(
    "%s → claims, a refusal, and a run",
    async (_what, format) => {
      const worker = format === undefined ? {} : { worker: { format } };
      const common = { root: folder, configFile: false, logLevel: "silent", base: "./" };
      const { output } = await (await vite()).build({ ...common, build: { outDir: `out-${format}` }, ...worker });
      const files = output.map(({ fileName }) => {
        return [`/${fileName}`, readFileSync(join(folder, `out-${format}`, fileName), "utf8")] as const;
      });
      const site = await otherSite(Object.fromEntries(files));
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        await page.goto(`${site.url}index.html`);
        await page.locator("body", { hasText: /\nend$/ }).waitFor();
        const text = (await page.textContent("body")) ?? "";
        expect(text).toMatch(data.claims);
        expect(text).toContain("forged: UPG_PROOF_COMMIT");
        expect(text).toContain(data.run);
      } finally {
        await browser.close();
        site.close();
      }
    },
    MINUTES,
  );
});
