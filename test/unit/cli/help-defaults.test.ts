/** What help says of a flag's default can be typed. */
import { beforeAll, expect, test } from "vitest";
import { notesChain } from "../../../examples/notes-chain/chain.js";
import { serveChain } from "../../../host/cli/flags/program-chain.js";
import { makeProgram } from "../../../host/cli/program/program.js";

type Program = Awaited<ReturnType<typeof makeProgram>>;

const all = (at: Program): Program[] => [at, ...at.commands.flatMap((each) => all(each as Program))];

beforeAll(() => serveChain(notesChain));

test("help of every command, a default that it words itself → the flag takes it", async () => {
  const worded = all(await makeProgram(["completion"], "1.0.0")).flatMap((command) =>
    command.options.filter(({ defaultValueDescription: text, parseArg }) => text && parseArg),
  );
  expect(worded.length).toBeGreaterThan(2);
  for (const { parseArg, defaultValueDescription, defaultValue, long } of worded) {
    expect(parseArg?.(String(defaultValueDescription), defaultValue), long).toEqual(defaultValue);
  }
});

test("--index-events with an empty text → all events; with something else → what it takes", async () => {
  const start = all(await makeProgram(["start"], "1.0.0")).find((command) => command.name() === "start");
  const parse = start?.options.find(({ long }) => long === "--index-events")?.parseArg;
  expect(parse?.("", [])).toEqual([]);
  expect(parse?.("transfer.recipient, message.sender", [])).toEqual(["transfer.recipient", "message.sender"]);
  for (const text of ["[]", "all", "transfer", "transfer.recipient,"]) {
    expect(() => parse?.(text, []), text).toThrow(
      'expected events such as transfer.recipient,message.sender, or "" for all.',
    );
  }
});
