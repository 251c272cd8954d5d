/** Handler files, mutated and made by hand: every host says of each what the node says. `npm run embed:mutated` judges 10,000. */
import { expect, test } from "vitest";
import { EMBEDDED_HOSTS, verdictsOf } from "./mutated-files/embedded-hosts.js";
import { FILES_BY_HAND, fileName } from "./mutated-files/files-by-hand.js";
import { mutatedFiles } from "./mutated-files/mutated-files.js";
import { nodeVerdicts } from "./mutated-files/node-verdicts.js";
import { difference } from "./mutated-files/verdict.js";

const FILES = 200;
const SEED = 20_272;
/** One of so many is run, if it is taken. */
const RUNS = 2;
/** wasmtime is compiled first, when nobody did it before. */
const COMPILED_MS = 1_200_000;

for (const [name, host] of Object.entries(EMBEDDED_HOSTS)) {
  const missing = host.missing();
  test.skipIf(missing)(
    `embed/${name}, ${FILES} mutated files and some made by hand → verdict, code, place, metered module, gas and receipt are the node's${missing ? ` (skipped: ${missing})` : ""}`,
    () => {
      const files = [...mutatedFiles(FILES, SEED), ...FILES_BY_HAND.map(({ bytes }) => bytes())];
      const due = nodeVerdicts(files, RUNS).verdicts;
      expect(due.slice(FILES).map(({ code }) => code)).toEqual(FILES_BY_HAND.map(({ code }) => code));
      expect(due.filter(({ code }) => code === undefined).length).toBeGreaterThan(FILES / 20);
      expect(due.filter(({ code }) => code === "UPG_HANDLER_METERED").length).toBeGreaterThan(FILES / 10);
      expect(due.filter(({ end }) => end !== undefined).length).toBeGreaterThan(FILES / 50);
      const { verdicts } = verdictsOf(host, files, RUNS);
      const differences = due.map((verdict, round) => difference(verdict, verdicts[round] ?? {}));
      expect(
        differences.flatMap((what, round) => (what ? [`${fileName(round, FILES)}: the node says ${what}`] : [])),
      ).toEqual([]);
      expect(verdicts).toHaveLength(files.length);
    },
    COMPILED_MS,
  );
}
