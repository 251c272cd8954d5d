/** Commands of a chain in the test's own process. */
import { makeProgram } from "../../../host/cli/program/program.js";
import { contextOf, exampleContext, type TestContext } from "../../example-context.js";

/** Runs a command and returns what it prints, as JSON. */
export const runHere = (...args: string[]): Promise<unknown> => runIn(contextOf(exampleContext.chain), ...args);

/** The same, with what it printed and its exit status in the context. */
export async function runIn(context: TestContext, ...args: string[]): Promise<unknown> {
  const program = await makeProgram(context, args, "0.0.0");
  await program.parseAsync([...args, "-o", "json"], { from: "user" });
  return JSON.parse(context.io.stdout.text);
}
