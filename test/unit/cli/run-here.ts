/** Commands of the example chain in the test's own process. */
import "../../serve-chain.js";
import { type Mock, vi } from "vitest";
import { makeProgram } from "../../../host/cli/program/program.js";

/** Runs a command and returns what it prints, as JSON. */
export async function runHere(...args: string[]): Promise<unknown> {
  process.exitCode = undefined;
  const program = await makeProgram(args, "0.0.0");
  const write = vi.spyOn(process.stdout, "write").mockImplementation(() => true) as unknown as Mock;
  try {
    await program.parseAsync([...args, "-o", "json"], { from: "user" });
    return JSON.parse(write.mock.calls.map(([text]) => String(text)).join(""));
  } finally {
    write.mockRestore();
  }
}
