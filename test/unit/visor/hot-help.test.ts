/** The sidecar is stopped while it asks a program whether a hot switch is for it. */
import { expect, test } from "vitest";
import { ScriptsHome } from "./scripts-home.js";

test("`start --help` does not end, and the sidecar is stopped → it stops at once, and starts nothing", async () => {
  const home = new ScriptsHome();
  home.program("genesis", "echo asked >> $OUT; exec sleep 60");
  const run = home.run(["start", "--engine", "cometbft"], { isHotSwitch: true });
  while (home.out === "") await new Promise((resolve) => setTimeout(resolve, 10));
  const begin = performance.now();
  home.stop.abort();
  expect(await run).toBe(0);
  expect(performance.now() - begin).toBeLessThan(5_000);
  expect([home.out, home.lines.filter((line) => line.includes("running app"))]).toEqual(["asked\n", []]);
});
