/** Yes or no. Without a person and without `--yes` the answer is an error, never a wait without end. */

import type { Io } from "./io.js";
import { makePrompt, type Prompt } from "./prompt.js";
import { usage } from "./usage.js";

/** @throws UpgradeError UPG_INVALID_ARGUMENT unless the answer is yes */
export async function confirm(prompt: Prompt, isSure: boolean, question: string): Promise<void> {
  if (isSure) return;
  let answer: string;
  try {
    answer = await prompt.line(`${question} [y/N]: `);
  } catch {
    throw usage("this needs a yes: answer the question, or give --yes");
  }
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw usage("cancelled");
}

/** The same at the terminal. @throws UpgradeError UPG_INVALID_ARGUMENT unless the answer is yes */
export async function confirmHere(io: Io, isSure: boolean, question: string): Promise<void> {
  const prompt = makePrompt(io);
  try {
    await confirm(prompt, isSure, question);
  } finally {
    prompt.close();
  }
}
