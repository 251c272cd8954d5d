/**
 * `chaind rescue`: what a report of a failed upgrade needs, in one archive. Only what is listed here goes into it, none of it is a
 * key, and all of it is searched for the home's secrets before it is written.
 */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { readFileIfThere, writeFileAtomically } from "../../../base/files/atomic-file.js";
import { readRegularFile } from "../../../base/files/open-file.js";
import { sha256 } from "../../../base/native/sha256.js";
import { joinBytes, toHex, utf8 } from "../../../base/text/bytes.js";
import { completeAll } from "../../../base/text/program-text.js";
import { decodeLossy } from "../../../base/text/text.js";
import { HANDLER_BYTES_MAX } from "../../../base/types/limits.js";
import type { Chain } from "../../../chain/app/chain.js";
import { listWasm } from "../../../node/home/handlers-folder.js";
import { Home } from "../../../node/home/home.js";
import { TAR_END, type TarFile, tarParts } from "../../../node/snapshots/tar.js";
import { outputFile } from "../output-file.js";
import { rescueFacts } from "./facts.js";
import { lastLines } from "./last-lines.js";
import { Secrets } from "./secrets.js";
import { openSettings } from "./settings.js";

export interface RescueFlags {
  /** Undefined: `rescue-<time>.tar.gz` in this folder. */
  readonly out?: string;
  /** A file that the node's log was written to. */
  readonly log?: string;
}

/** As it is printed. */
export interface Rescued {
  readonly file: string;
  readonly bytes: number;
  readonly entries: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** Entries that a secret was taken out of. */
  readonly cleaned: number;
  /** What could not be read, and why. */
  readonly problems: readonly string[];
}

const WASM_MAGIC = "\0asm";
const RECEIPT = /^[^/]+\.json$/;
const ENTRY_NAME = /[^A-Za-z0-9._=%-]/g;
const NAME_LENGTH_MAX = 80;

/** @throws UpgradeError UPG_INVALID_CONFIG where there is no home, UPG_INVALID_ARGUMENT, UPG_STORE_IO, UPG_STORE_FULL */
export function rescue(chain: Chain, path: string, { out, log }: RescueFlags): Rescued {
  const home = new Home(resolve(path));
  if (!existsSync(home.path)) throw new UpgradeError("UPG_INVALID_CONFIG", `there is no home ${path}`);
  const name = `rescue-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.tar.gz`;
  const output = outputFile(home, out ?? name);
  if (output.isStream)
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `${output.path} is a device or a pipe: name a file`);
  const gathered = new Gathering(chain, home);
  gathered.all(log);
  const { files, problems, secrets } = gathered;
  const archive = gzipSync(joinBytes([...files.flatMap(tarParts), TAR_END]));
  rmSync(output.path, { force: true });
  writeFileAtomically(output.path, archive);
  return {
    ...{ file: output.path, bytes: archive.length, cleaned: secrets.count, problems },
    entries: files.map(({ name, bytes }) => ({ name, bytes: bytes.length, sha256: toHex(sha256(bytes)) })),
  };
}

class Gathering {
  readonly files: TarFile[] = [];
  readonly problems: string[] = [];
  readonly secrets: Secrets;

  constructor(
    private readonly chain: Chain,
    private readonly home: Home,
  ) {
    this.secrets = this.#tried("keys", () => Secrets.of(home.path)) ?? new Secrets([]);
  }

  all(log: string | undefined): void {
    const { home } = this;
    this.#text(
      "report.json",
      () => `${JSON.stringify(completeAll(rescueFacts(this.chain, home), this.chain.name), null, 2)}\n`,
    );
    for (const name of ["halt.json", "upgrade-info.json"]) this.#file(name, join(home.dataFolder, name));
    for (const name of ["app.toml", "client.toml", "config.toml"]) {
      this.#file(`settings/${name}`, join(home.configFolder, name), openSettings);
    }
    const receipts = join(home.dataFolder, "receipts");
    for (const name of existsSync(receipts) ? readdirSync(receipts) : []) {
      if (RECEIPT.test(name)) this.#file(`receipts/${shortened(name)}`, join(receipts, name));
    }
    for (const folder of [home.handlersFolder, home.stagedFolder]) {
      for (const name of listWasm(folder)) this.#handler(join(folder, name), shortened(name));
    }
    const ran = this.#handlerOfHalt();
    if (ran !== undefined) this.#handler(ran, "of-the-halt.wasm");
    if (log !== undefined) this.#text("log.txt", () => lastLines(log));
  }

  /** That halt.json names. */
  #handlerOfHalt(): string | undefined {
    try {
      const record = JSON.parse(decodeLossy(readFileIfThere(this.home.haltFile) ?? new Uint8Array())) as {
        readonly handler?: { readonly file?: unknown } | null;
      };
      const file = record.handler?.file;
      return typeof file === "string" && file.endsWith(".wasm") ? file : undefined;
    } catch {
      return undefined;
    }
  }

  #file(name: string, path: string, open: (text: string) => string = (text) => text): void {
    const bytes = this.#tried(name, () => readFileIfThere(path));
    if (bytes) this.#text(name, () => open(decodeLossy(bytes)));
  }

  #text(name: string, make: () => string): void {
    const text = this.#tried(name, make);
    if (text !== undefined) this.#add(name, utf8(this.secrets.without(text)));
  }

  /** What has the name of a handler and is none may be anything. */
  #handler(path: string, name: string): void {
    const bytes = this.#tried(path, () => readRegularFile(path, HANDLER_BYTES_MAX));
    if (!bytes) return;
    const isHandler = decodeLossy(bytes.subarray(0, WASM_MAGIC.length)) === WASM_MAGIC;
    if (isHandler) this.#add(`handlers/${name}`, bytes);
    else this.problems.push(`${path} is no WebAssembly module, and is left out`);
  }

  #add(name: string, bytes: Uint8Array): void {
    const entry = this.files.some((file) => file.name === name)
      ? `${this.files.length}-${name.replaceAll("/", "-")}`
      : name;
    if (this.secrets.isIn(bytes)) this.problems.push(`${name} has a secret of this home in it, and is left out`);
    else this.files.push({ name: entry, bytes });
  }

  #tried<T>(what: string, make: () => T): T | undefined {
    try {
      return make();
    } catch (error) {
      this.problems.push(`${what}: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** As tar takes it. */
const shortened = (name: string) => name.replace(ENTRY_NAME, "_").slice(-NAME_LENGTH_MAX);

/** For people. */
export function rescuedInWords({ file, bytes, entries, cleaned, problems }: Rescued): string {
  return [
    `${file}: ${bytes} bytes; no keys, look through it before you send it`,
    ...entries.map((entry) => `  ${entry.name} ${entry.bytes}`),
    ...(cleaned === 0 ? [] : [`secrets were taken out of ${cleaned} of them`]),
    ...problems.map((problem) => `not in it: ${problem}`),
  ].join("\n");
}
