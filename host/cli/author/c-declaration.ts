/**
 * The declaration of a handler in C (guests/c/chain_upgrade_declaration.h): its macros leave their own text in a custom section,
 * as calls of C with their arguments, and the manifest is made of that as of a declaration in AssemblyScript.
 */
import { itemAt } from "../../base/text/checked-index.js";
import { decodeText } from "../../base/text/text.js";
import { readModule } from "../../upgrade/wasm/decode.js";
import { Declaration, type ManifestDocument, refuseDeclaration } from "./declaration.js";

export const C_DECLARATION_SECTION = "chain_upgrade_declaration";

interface Call {
  readonly name: string;
  /** Each as its tokens. */
  readonly args: readonly (readonly string[])[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|\w+|\S/g;
const LISTS: readonly string[] = ["stores", "declare"];

/** Undefined where a module has no such section. @throws UpgradeError UPG_INVALID_ARGUMENT: it declares what cannot be */
export function cManifest(bytes: Uint8Array): ManifestDocument | undefined {
  const sections = readModule(bytes).customs.filter(({ name }) => name === C_DECLARATION_SECTION);
  if (sections.length === 0) return undefined;
  const text = sections.map(({ payloadStart, section }) =>
    decodeText(bytes.subarray(payloadStart, section.end), notText),
  );
  const declared = new CDeclaration();
  const calls = callsOf(text.join("\n").match(TOKEN) ?? []);
  for (const call of calls) {
    if (LISTS.includes(call.name)) for (const tokens of call.args) declared.take(itemAt(callsOf(tokens), 0));
    else declared.take(call);
  }
  return declared.manifest();
}

const notText = () => refuseDeclaration("it is not UTF-8; save its source as UTF-8");

class CDeclaration {
  readonly #declaration = new Declaration();
  /** Names that the code has for stores: the place in the list is the store's. */
  readonly #ids: string[] = [];

  manifest(): ManifestDocument {
    return this.#declaration.manifest();
  }

  take(call: Call): void {
    const { name } = call;
    const [text, number] = [(at: number) => textOf(call, at), (at: number) => numberOf(call, at)];
    const declaration = this.#declaration;
    if (name === "plan") declaration.plan(text(0), number(1));
    else if (name === "store" || name === "read_store" || name === "add_store") {
      this.#store(call, 1, name === "add_store" ? "added" : "", name === "read_store" ? "r" : "rw");
    } else if (name === "rename_store") this.#store(call, 2, "renamed", "rw", text(1));
    else if (name === "delete_store") declaration.store(text(0), "", "deleted", "");
    else if (name === "migrate") declaration.step(text(0), number(1), number(2));
    else if (name === "add_module") declaration.module(text(0), number(1));
    else if (name === "remove_module") declaration.module(text(0), 0n);
    else if (name === "scan") declaration.scan(this.#handle(call), text(1));
    else if (name === "allow") declaration.allow(text(0), text(1));
    else if (name !== "invariant") throw refuseDeclaration(`there is no "${name}"`);
  }

  /** @param at of its name; the prefixes of its keys are after it */
  #store(call: Call, at: number, upgrade: string, access: string, before = ""): void {
    const handle = this.#ids.push(call.args[0]?.join("") ?? "") - 1;
    this.#declaration.store(textOf(call, at), access, upgrade, before);
    for (let i = at + 1; i < call.args.length; i++) this.#declaration.prefix(handle, textOf(call, i));
  }

  #handle(call: Call): number {
    const id = call.args[0]?.join("") ?? "";
    const handle = this.#ids.indexOf(id);
    if (handle < 0) throw refuseDeclaration(`scan(${id}): CU_STORES has no store of this name`);
    return handle;
  }
}

/** Calls one after the other, with or without commas. */
function callsOf(tokens: readonly string[]): Call[] {
  const calls: Call[] = [];
  for (let at = 0; at < tokens.length; ) {
    if (tokens[at] === ",") {
      at++;
      continue;
    }
    const name = itemAt(tokens, at);
    const end = tokens[at + 1] === "(" ? closing(tokens, at + 1) : -1;
    if (end < 0) throw refuseDeclaration(`"${name}" is no part of a declaration`);
    calls.push({ name, args: split(tokens.slice(at + 2, end)) });
    at = end + 1;
  }
  return calls.length > 0 ? calls : [{ name: "", args: [] }];
}

/** Where the bracket that opens at `at` closes; -1: nowhere. */
function closing(tokens: readonly string[], at: number): number {
  let depth = 0;
  for (let i = at; i < tokens.length; i++) {
    if (tokens[i] === "(") depth++;
    else if (tokens[i] === ")" && --depth === 0) return i;
  }
  return -1;
}

function split(tokens: readonly string[]): string[][] {
  const args: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (token === "," && depth === 0) args.push([]);
    else itemAt(args, args.length - 1).push(token);
  }
  return args;
}

/** Texts that are beside each other are one, as in C. */
function textOf({ name, args }: Call, at: number): string {
  const tokens = args[at] ?? [];
  const isText = tokens.length > 0 && tokens.every((token) => token.startsWith('"') && !token.includes("\\"));
  if (!isText) throw refuseDeclaration(`argument ${at + 1} of ${name}() is no text in quotation marks without escapes`);
  return tokens.map((token) => token.slice(1, -1)).join("");
}

function numberOf({ name, args }: Call, at: number): bigint {
  const digits = /^(\d+)[uUlL]*$/.exec(args[at]?.join("") ?? "")?.[1];
  if (digits === undefined) throw refuseDeclaration(`argument ${at + 1} of ${name}() is no whole number`);
  return BigInt(digits);
}
