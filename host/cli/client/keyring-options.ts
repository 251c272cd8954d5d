/** The flags that say which keyring is meant. */

import { type Command, Option } from "commander";
import { makePrompt, type Prompt } from "../../base/terminal/prompt.js";
import type { Context } from "../flags/context.js";
import { BACKENDS, type Backend, Keyring } from "../wallet/keyring.js";

export interface KeyringFlags {
  readonly keyringBackend: Backend;
  readonly keyringDir?: string;
}

export function addKeyringFlags<T extends Command>(command: T): T {
  return command
    .addOption(
      new Option("--keyring-backend <string>", "where keys are kept: sealed in files, or open for tests")
        .choices([...BACKENDS])
        .default("file"),
    )
    .option("--keyring-dir <string>", "folder of the keyring (default: the home)") as T;
}

export type KeyringUse<T> = (keyring: Keyring, prompt: Prompt) => Promise<T> | T;

export async function withKeyring<T>(
  context: Context,
  flags: KeyringFlags,
  home: string,
  use: KeyringUse<T>,
): Promise<T> {
  const { chain } = context;
  const prompt = makePrompt(context.io);
  try {
    return await use(
      new Keyring({
        ...{ folder: flags.keyringDir ?? home, backend: flags.keyringBackend, prompt },
        addresses: chain.addresses,
      }),
      prompt,
    );
  } finally {
    prompt.close();
  }
}
