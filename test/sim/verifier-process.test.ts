/** The process that looks at damaged homes may end at any time; none of that may end the campaign. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { VerifierProcess } from "./faults/verifier-process.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-verifier-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @param answers what it does when it is asked, in JavaScript */
function verifier(answers: string): VerifierProcess {
  const script = join(folder, "verifier.mjs");
  writeFileSync(script, `process.on("message", ({ home }) => { ${answers} });`);
  return new VerifierProcess(script);
}

const VERDICT = `process.send({ verdict: home });`;
const asked = (home: string) => ({ home, handlers: "", steps: [] });

describe("VerifierProcess.verify()", () => {
  test("the process ends while it looks → Error with its status and words; the next home has one of its own", async () => {
    const process = verifier(`if (home === "bad") { console.error("torn page"); process.exit(7); } ${VERDICT}`);
    await expect(process.verify(asked("bad"))).rejects.toThrow(/^the process that opened it ended with 7: torn page/);
    expect(await process.verify(asked("good"))).toBe("good");
    process.stop();
  });

  test("it ends after its verdict, before or while the next home is asked about → Error, once, and no unhandled one", async () => {
    for (const wait of [0, 100]) {
      const process = verifier(
        `process.send({ verdict: home }, () => home === "bad" && process.kill(process.pid, 9));`,
      );
      expect(await process.verify(asked("bad"))).toBe("bad");
      await new Promise((resolve) => setTimeout(resolve, wait));
      await expect(process.verify(asked("next"))).rejects.toThrow(/ended with SIGKILL/);
      expect(await process.verify(asked("good"))).toBe("good");
      process.stop();
    }
  });
});
