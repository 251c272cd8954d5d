/** Yes or no, asked of a person. */
import { expect, test } from "vitest";
import { confirm } from "../../../../host/base/terminal/confirm.js";
import type { Prompt } from "../../../../host/base/terminal/prompt.js";

const asked: string[] = [];
const prompt = (line: () => Promise<string>): Prompt => ({
  line: (question) => {
    asked.push(question);
    return line();
  },
  secret: () => Promise.reject(new Error("not asked for")),
  close: () => undefined,
});
const saying = (answer: string) => prompt(async () => answer);

test.each(["y", "Y", "yes", " YES \n"])(
  "confirm() with the input %j → goes on, after the question with [y/N]",
  async (answer) => {
    asked.length = 0;
    await confirm(saying(answer), false, "Delete it?");
    expect(asked).toEqual(["Delete it? [y/N]: "]);
  },
);

test.each(["", "n", "no", "yess", "maybe y"])("confirm() with the input %j → cancelled", async (answer) => {
  await expect(confirm(saying(answer), false, "Delete it?")).rejects.toThrow("cancelled");
});

test("confirm() without input → an error that names --yes; with --yes nothing is asked", async () => {
  const nobody = prompt(() => Promise.reject(new Error("no input")));
  await expect(confirm(nobody, false, "Delete it?")).rejects.toThrow("give --yes");
  asked.length = 0;
  await confirm(nobody, true, "Delete it?");
  expect(asked).toEqual([]);
});
