/** A question where no answer is an answer: without a person nothing is changed. */
import type { Io } from "./io.js";
import { makePrompt } from "./prompt.js";

/** Only `y` or `yes` is one. */
export async function isAgreed(io: Io, question: string): Promise<boolean> {
  const prompt = makePrompt(io);
  try {
    return /^\s*y(es)?\s*$/i.test(await prompt.line(`${question} [y/n]: `));
  } catch {
    return false;
  } finally {
    prompt.close();
  }
}
