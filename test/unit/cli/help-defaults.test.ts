/** What help says of a flag's default can be typed. */

import { expect, test } from "vitest";
import { notesChain } from "../../../examples/notes-chain/chain.js";
import { makeProgram } from "../../../host/cli/program/program.js";
import { contextOf } from "../../example-context.js";

const notes = contextOf(notesChain);

type Program = Awaited<ReturnType<typeof makeProgram>>;

const all = (at: Program): Program[] => [at, ...at.commands.flatMap((each) => all(each as Program))];

test("help of every command, a default that it words itself → the flag takes it", async () => {
  const worded = all(await makeProgram(notes, ["completion"], "1.0.0")).flatMap((command) =>
    command.options.filter(({ defaultValueDescription: text, parseArg }) => text && parseArg),
  );
  expect(worded.length).toBeGreaterThan(2);
  for (const { parseArg, defaultValueDescription, defaultValue, long } of worded) {
    expect(parseArg?.(String(defaultValueDescription), defaultValue), long).toEqual(defaultValue);
  }
});

test("--index-events with an empty text → all events; with something else → what it takes", async () => {
  const start = all(await makeProgram(notes, ["start"], "1.0.0")).find((command) => command.name() === "start");
  const parse = start?.options.find(({ long }) => long === "--index-events")?.parseArg;
  expect(parse?.("", [])).toEqual([]);
  expect(parse?.("transfer.recipient, message.sender", [])).toEqual(["transfer.recipient", "message.sender"]);
  for (const text of ["[]", "all", "transfer", "transfer.recipient,"]) {
    expect(() => parse?.(text, []), text).toThrow(
      'expected events such as transfer.recipient,message.sender, or "" for all.',
    );
  }
});
