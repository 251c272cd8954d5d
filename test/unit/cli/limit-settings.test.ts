/** Limits of the servers: from app.toml, the environment and flags into what the servers are opened with. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readyArguments } from "../../../host/base/terminal/arguments.js";
import { Cobra } from "../../../host/base/terminal/cobra.js";
import { settle } from "../../../host/base/terminal/settings.js";
import {
  addLimitFlags,
  type ChosenLimits,
  chosenLimits,
  limitDefaults,
  limitLines,
} from "../../../host/cli/flags/limit-settings.js";
import { SEARCH_LIMITS } from "../../../host/node/blocks/search-budget.js";
import { SERVER_LIMITS } from "../../../host/serve/limits/server.js";

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-limits-"));
const file = join(home, "config", "app.toml");
beforeAll(() => mkdirSync(join(home, "config")));
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function chosen(toml: string, args: readonly string[] = [], env = {}): Promise<ChosenLimits> {
  writeFileSync(file, toml);
  let limits: ChosenLimits | undefined;
  const root = new Cobra("chaind").option("--home <string>", "", home).exitOverride();
  const start = root.command("start");
  addLimitFlags(start).action((_: unknown, command: Cobra) => {
    limits = chosenLimits(command);
  });
  const ready = readyArguments(["start", ...args], root);
  root.hook("preAction", (_, command) => settle(command, { env, off: ready.off }));
  await root.parseAsync(ready.args, { from: "user" });
  if (!limits) throw new Error("start did not run");
  return limits;
}

describe("limits", () => {
  test("said nowhere, or as app.toml is written by init → those of the program", async () => {
    const asProgrammed = { servers: SERVER_LIMITS, search: SEARCH_LIMITS };
    expect(await chosen("")).toEqual(asProgrammed);
    expect(await chosen(`[rpc]\n${limitLines("rpc")}\n[limits]\n${limitLines("limits")}`)).toEqual(asProgrammed);
  });

  test("flag > environment > app.toml, each with its unit; the others stay", async () => {
    const toml = '[limits]\nanswer-time = "2s"\nmax-requests = 7\nheader-time = "3s"\n[rpc]\nmax-websockets = 9\n';
    const args = ["--limits.answer-time", "1500ms"];
    const env = { CHAIND_LIMITS_ANSWER_TIME: "4s", CHAIND_LIMITS_HEADER_TIME: "5s" };
    const { servers, search } = await chosen(toml, args, env);
    const said = { answerMillis: 1_500, headerMillis: 5_000, concurrency: 7, websockets: 9 };
    expect(servers).toEqual({ ...SERVER_LIMITS, ...said });
    expect(search).toEqual(SEARCH_LIMITS);
  });

  test.each([...limitDefaults()])(
    "%s: 0, words and too much → refused with exit 2, by name and place",
    async (key, text) => {
      const isTime = text.endsWith("ms");
      const [table = "", name = ""] = key.split(".");
      const zero = isTime ? "0s" : "0";
      const wrong = ["x", "-1", isTime ? "2147483648ms" : "1.5"];
      if (key !== "limits.search-waiting") wrong.push(zero);
      for (const value of wrong) {
        const refused = (place: string) => ({
          kind: expect.objectContaining({ exit: 2 }),
          message: expect.stringContaining(place),
        });
        await expect(chosen("", [`--${key}=${value}`])).rejects.toMatchObject(refused(key));
        const toml = `[${table}]\n${name} = ${JSON.stringify(value)}\n`;
        await expect(chosen(toml)).rejects.toMatchObject(refused(name));
      }
      // The longest time that a timer counts.
      if (isTime) await chosen("", [`--${key}=2147483647ms`]);
    },
  );
});
