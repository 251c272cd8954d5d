/** A question where no answer is an answer: without a person nothing is changed. */
import { makePrompt } from "./prompt.js";

/** Only `y` or `yes` is one. */
export async function isAgreed(question: string): Promise<boolean> {
  const prompt = makePrompt();
  try {
    return /^\s*y(es)?\s*$/i.test(await prompt.line(`${question} [y/n]: `));
  } catch {
    return false;
  } finally {
    prompt.close();
  }
}
