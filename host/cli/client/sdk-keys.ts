/** Copies keys of Cosmos SDK programs into the keyring: from the folder they share, or from the output of `keys export`. */
import { readFile } from "node:fs/promises";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import type { Prompt } from "../../base/terminal/prompt.js";
import { usage } from "../../base/terminal/usage.js";
import type { KeyInfo, Keyring } from "../wallet/keyring.js";
import { isArmor, openArmor } from "../wallet/sdk-keyring.js";

/**
 * @param names empty: all keys that are not here yet
 * @param onCopied called for each key; keys before a failure stay
 * @throws UpgradeError UPG_NOT_FOUND_KEY, UPG_INVALID_ARGUMENT, UPG_STORE_CORRUPT
 */
export async function migrateKeys(
  keyring: Keyring,
  names: readonly string[],
  onCopied: (key: KeyInfo) => void,
): Promise<void> {
  const wanted = names.length > 0 ? names : keyring.sdkNames();
  if (wanted.length === 0) throw new UpgradeError("UPG_NOT_FOUND_KEY", keyring.sdkMissing());
  for (const name of wanted) onCopied(await keyring.migrate(name));
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: the file holds no such key, or the password is wrong */
export async function importArmor(keyring: Keyring, prompt: Prompt, name: string, file: string): Promise<KeyInfo> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw usage(`cannot read the exported key: ${messageOf(cause)}`);
  });
  if (!isArmor(text)) throw usage(`${file} does not hold a key as \`keys export\` of a Cosmos SDK program prints it`);
  return keyring.add(name, openArmor(text, await prompt.secret("The password the key was exported with: ")));
}

/** The keys to list. @throws UpgradeError UPG_NOT_FOUND_KEY: all keys in the folder are another program's */
export function listKeys(keyring: Keyring, say: (line: string) => void): KeyInfo[] {
  const keys = keyring.list();
  const notice = keyring.sdkNotice();
  if (notice !== undefined && keys.length === 0) throw new UpgradeError("UPG_NOT_FOUND_KEY", notice);
  if (notice !== undefined) say(notice);
  return keys;
}
