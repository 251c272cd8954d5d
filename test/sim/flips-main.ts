/** `npm run verify:flips -- --rounds N --seed S --home DIR`: damages a home N times. Exit 1 if something was missed or served wrong. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countFlips, makeUpgradedHome } from "./flips.js";

const options = {
  rounds: { type: "string", default: "200" },
  /** Another sound home that no node holds. */
  home: { type: "string" },
  seed: { type: "string", default: String(Date.now()) },
} as const;
const { rounds, seed, home: given } = parseArgs({ options }).values;
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-flips-"));
try {
  const home = given ?? join(folder, "home");
  if (given === undefined) makeUpgradedHome(home);
  const onMiss = (what: string) => void process.stderr.write(`${what}\n`);
  const count = await countFlips({ home, handlers: "dist/handlers", rounds: Number(rounds), seed, onMiss });
  const all = count.flips + count.zeroed;
  process.stdout.write(
    `seed ${seed}: ${count.flips} flips, ${count.zeroed} zeroed pages; verify found ${count.found} of ${all}; ` +
      `a started node: ${count.refused} refused or gave an error, ${count.same} gave the same, ${count.wrong} wrong\n`,
  );
  process.exitCode = count.found === all && count.wrong === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
