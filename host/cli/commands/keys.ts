/** `chaind keys`: keys of accounts in this machine's keyring. */

import type { Cobra } from "../../base/terminal/cobra.js";
import { parseCount } from "../../base/terminal/options.js";
import { usage } from "../../base/terminal/usage.js";
import { fromHex, toHex } from "../../base/text/bytes.js";
import type { AddressCodec } from "../../chain/values/address.js";
import { keyJson } from "../../chain/values/key-json.js";
import { addKeyringFlags, type KeyringFlags, type KeyringUse } from "../client/keyring-options.js";
import { addRefusedKeyFlags } from "../client/tx/refused-flags.js";
import type { Context } from "../flags/context.js";
import type { KeyInfo } from "../wallet/keyring.js";

interface AddFlags extends KeyringFlags {
  readonly recover?: boolean;
  readonly dryRun?: boolean;
  readonly backup: boolean;
  readonly hdPath?: string;
  readonly account: number;
  readonly index: number;
  readonly words: number;
  readonly multisig?: string;
  readonly multisigThreshold: number;
  readonly sort: boolean;
  readonly pubkey?: string;
}

export function registerKeys(program: Cobra, context: Context): void {
  const keys = program
    .command("keys")
    .summary("Manage the keys of accounts")
    .description(
      "Keys of accounts (secp256k1). Backend `file` seals them with a password, in <home>/keyring-file; backend `test`\n" +
        "keeps them open, in <home>/keyring-test, for development.",
    )
    .group();
  registerAdd(keys, context);
  registerReaders(keys, context);
  registerMovers(keys, context);
  registerSdkKeys(keys, context);
}

const homeOf = (command: Cobra) => String(command.optsWithGlobals()["home"]);

async function inKeyring<T>(context: Context, flags: KeyringFlags, command: Cobra, use: KeyringUse<T>): Promise<T> {
  return (await import("../client/keyring-options.js")).withKeyring(context, flags, homeOf(command), use);
}

function registerAdd(keys: Cobra, context: Context): void {
  addRefusedKeyFlags(addKeyringFlags(keys.command("add")))
    .argument("<name>", "a name for the key")
    .summary("Make a key, or take one back from its mnemonic")
    .description("Makes a key from a new mnemonic; with --recover from one that is read from the terminal or a pipe.")
    .option("--recover", "read the mnemonic instead of making one")
    .option("--no-backup", "do not print the mnemonic")
    .option("--dry-run", "make the key and keep nothing")
    .option("--hd-path <string>", "derivation path (default: m/44'/118'/<account>'/0/<index>)")
    .option("--account <uint>", "account number in the path", parseCount, 0)
    .option("--index <uint>", "address index in the path", parseCount, 0)
    .option("--words <uint>", "words of a new mnemonic: 12, 15, 18, 21 or 24", parseCount, 24)
    .option("--multisig <names>", "make a multisig key of these keys: alice,bob,carol")
    .option("--multisig-threshold <uint>", "members that must sign", parseCount, 1)
    .option("--no-sort", "keep the members in the order given, not in that of their addresses")
    .option("--pubkey <json>", "keep this public key alone: of somebody else, for a multisig key")
    .example("keys add alice --keyring-backend test", "keys add alice --recover --keyring-backend test < mnemonic.txt")
    .action(async (name: string, flags: AddFlags, command: Cobra) => add(name, flags, command, context));
}

async function add(name: string, flags: AddFlags, command: Cobra, context: Context): Promise<void> {
  const { chain } = context;
  const { keyFromMnemonic, newMnemonic } = await import("../wallet/derive.js");
  const { checkKeyName } = await import("../wallet/folder.js");
  checkKeyName(name);
  if (flags.multisig !== undefined || flags.pubkey !== undefined) {
    const { addPublicKey } = await import("../client/public-keys.js");
    await inKeyring(context, flags, command, (keyring) => context.print(shownKey(addPublicKey(keyring, name, flags))));
    return;
  }
  await inKeyring(context, flags, command, async (keyring, prompt) => {
    if (!flags.dryRun && keyring.has(name)) throw keyring.exists(name);
    const mnemonic = flags.recover ? await prompt.secret("The mnemonic: ") : newMnemonic(flags.words);
    const key = keyFromMnemonic(mnemonic, flags.hdPath ?? `m/44'/118'/${flags.account}'/0/${flags.index}`);
    const simple = { type: "secp256k1", bytes: key.publicKey } as const;
    const info = flags.dryRun
      ? { name, address: chain.addresses.encode(key.addressBytes), type: "local" as const, key: simple }
      : await keyring.add(name, key);
    const isShown = !flags.recover && flags.backup;
    await context.print({ ...shownKey(info), ...(isShown && context.isJson ? { mnemonic } : {}) });
    if (!isShown || context.isJson) return;
    context.say(
      `\nWrite these words down and keep them safe: they are the only way to have the key back.\n\n${mnemonic}`,
    );
  });
}

/** As the Cosmos SDK shows a key. */
function shownKey({ name, address, type, key }: KeyInfo) {
  return { name, type, address, pubkey: JSON.stringify(keyJson(key)) };
}

interface ShowFlags extends KeyringFlags {
  readonly address?: boolean;
  readonly pubkey?: boolean;
  readonly bech: string;
}

function registerReaders(keys: Cobra, context: Context): void {
  addKeyringFlags(keys.command("list"))
    .summary("List the keys")
    .option("-n, --list-names", "names only")
    .action(async (flags: KeyringFlags & { listNames?: boolean }, command: Cobra) => {
      const { listKeys } = await import("../client/sdk-keys.js");
      await inKeyring(context, flags, command, async (keyring) => {
        const all = listKeys(keyring, (line) => context.say(line));
        if (flags.listNames)
          await context.print(
            all.map(({ name }) => name),
            all.map(({ name }) => `${name}\n`).join(""),
          );
        else await context.print(all.map(shownKey));
      });
    });
  addKeyringFlags(keys.command("show"))
    .argument("<key>", "name or address of a key")
    .summary("Show a key")
    .option("-a, --address", "its address only")
    .option("-p, --pubkey", "its public key only")
    .option("--bech <string>", "form of the address: acc, val or cons", "acc")
    .example("keys show alice -a --keyring-backend test")
    .action(async (name: string, flags: ShowFlags, command: Cobra) => {
      await inKeyring(context, flags, command, async (keyring) => show(shownKey(keyring.find(name)), flags, context));
    });
  keys
    .command("mnemonic")
    .summary("Print a new mnemonic and keep nothing")
    .option("--words <uint>", "12, 15, 18, 21 or 24", parseCount, 24)
    .action(async ({ words }: { words: number }) => {
      const { newMnemonic } = await import("../wallet/derive.js");
      const mnemonic = newMnemonic(words);
      await context.print({ mnemonic }, mnemonic);
    });
}

async function show(key: ReturnType<typeof shownKey>, flags: ShowFlags, context: Context): Promise<void> {
  const { chain } = context;
  const { addresses } = chain;
  const forms: ReadonlyMap<string, AddressCodec> = new Map([
    ["acc", addresses],
    ["val", addresses.operators],
    ["cons", addresses.consensus],
  ]);
  const form = forms.get(flags.bech);
  if (!form) throw usage(`invalid argument "${flags.bech}" for "--bech" flag: acc, val or cons`);
  if (flags.address && flags.pubkey) throw usage("cannot use both --address and --pubkey at once");
  const address = form.encode(addresses.decode(key.address));
  if (flags.address) await context.print({ address }, address);
  else if (flags.pubkey) await context.print({ pubkey: key.pubkey }, key.pubkey);
  else await context.print({ ...key, address });
}

interface ExportFlags extends KeyringFlags {
  readonly unarmoredHex?: boolean;
  readonly unsafe?: boolean;
  readonly yes?: boolean;
}

function registerMovers(keys: Cobra, context: Context): void {
  addKeyringFlags(keys.command("delete"))
    .argument("<key>", "name of a key")
    .summary("Delete a key")
    .option("-y, --yes", "do not ask; the password of a sealed keyring is asked for all the same")
    .action(async (name: string, flags: ExportFlags, command: Cobra) => {
      const { confirm } = await import("../../base/terminal/confirm.js");
      await inKeyring(context, flags, command, async (keyring, prompt) => {
        const key = keyring.find(name);
        await keyring.unlock();
        await confirm(prompt, flags.yes === true, `Delete the key "${key.name}" (${key.address}) for ever?`);
        keyring.remove(key.name);
        context.say(`deleted ${key.name}`);
      });
    });
  addKeyringFlags(keys.command("export"))
    .argument("<key>", "name of a key")
    .summary("Print a private key, open")
    .option("--unarmored-hex", "as hex; needs --unsafe too")
    .option("--unsafe", "yes, the private key in clear text")
    .action(async (name: string, flags: ExportFlags, command: Cobra) => {
      if (!flags.unarmoredHex || !flags.unsafe) {
        throw usage("a private key is printed in clear text only: say --unarmored-hex --unsafe if you mean it");
      }
      await inKeyring(context, flags, command, async (keyring) => {
        const hex = toHex(await keyring.privateKey(keyring.find(name).name));
        await context.print({ name, private_key: hex }, hex);
      });
    });
  addKeyringFlags(keys.command("import-hex"))
    .argument("<name>", "a name for the key")
    .argument("[hex]", "the private key; read from the terminal or a pipe when left out")
    .summary("Take a private key as hex")
    .action(async (name: string, given: string | undefined, flags: KeyringFlags, command: Cobra) => {
      const { accountKey } = await import("../wallet/derive.js");
      await inKeyring(context, flags, command, async (keyring, prompt) => {
        const text = (given ?? (await prompt.secret("The private key (hex): "))).trim();
        if (!/^[0-9a-fA-F]{64}$/.test(text)) throw usage("a private key is 64 hex digits");
        await context.print(shownKey(await keyring.add(name, accountKey(fromHex(text)))));
      });
    });
}

function registerSdkKeys(keys: Cobra, context: Context): void {
  addKeyringFlags(keys.command("migrate"))
    .argument("[names...]", "names of keys; all of them when left out")
    .summary("Copy the keys of a Cosmos SDK keyring")
    .description(
      "Copies keys that another program of the Cosmos SDK keeps in the same folder\n" +
        "(keyring-test/*.info, keyring-file/*.info). Its files stay as they are.",
    )
    .example("keys migrate --keyring-backend test", "keys migrate alice --keyring-dir ~/.simapp")
    .action(async (names: string[], flags: KeyringFlags, command: Cobra) => {
      const { migrateKeys } = await import("../client/sdk-keys.js");
      const copied: KeyInfo[] = [];
      await inKeyring(context, flags, command, (keyring) =>
        migrateKeys(keyring, names, (key) => copied.push(key)).finally(async () => {
          if (copied.length > 0) await context.print(copied.map(shownKey));
        }),
      );
    });
  addKeyringFlags(keys.command("import"))
    .argument("<name>", "a name for the key")
    .argument("<file>", "the output of `keys export` of a Cosmos SDK program")
    .summary("Import a key exported by a Cosmos SDK program")
    .description(
      "Reads the armored key that `simd keys export NAME` prints (Cosmos SDK 0.50 or\n" +
        "later), and prompts for the password it was exported with.",
    )
    .example("keys import alice alice.armor --keyring-backend test")
    .action(async (name: string, file: string, flags: KeyringFlags, command: Cobra) => {
      const { importArmor } = await import("../client/sdk-keys.js");
      await inKeyring(
        context,
        flags,
        command,
        async (keyring, prompt) => await context.print(shownKey(await importArmor(keyring, prompt, name, file))),
      );
    });
}
