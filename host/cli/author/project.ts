/** A handler author's project: where everything is. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { type Fixture, parseFixture } from "../../upgrade/test-kit/fixture.js";
import { readTextFile } from "./text-file.js";

export interface NamedFixture {
  readonly name: string;
  readonly fixture: Fixture;
}

export class HandlerProject {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = resolve(folder);
  }

  /** The author's file, relative to the project. */
  readonly entry = "assembly/index.ts";
  readonly lockName = "handler.lock.json";
  /** The built handler, relative to the project. */
  readonly wasmName = "build/handler.wasm";

  get lockFile(): string {
    return join(this.folder, this.lockName);
  }

  get wasmFile(): string {
    return join(this.folder, this.wasmName);
  }

  /** Where the lock of a file that is built belongs: a file beside the project's own has a lock of its own beside it. */
  lockOf(file: string): string {
    return file === this.wasmFile ? this.lockFile : `${file.replace(/\.wasm$/, "")}.lock.json`;
  }

  /** The lock that a build of the file has to agree with: its own, or where it has none, the project's. */
  lockFor(file: string): string {
    const own = this.lockOf(file);
    return existsSync(own) ? own : this.lockFile;
  }

  /** Folders that what a test shows depends on. */
  get watched(): readonly string[] {
    return ["assembly", "fixtures"].map((name) => join(this.folder, name));
  }

  /** @throws UpgradeError UPG_STORE_IO */
  fixtureFiles(): string[] {
    const folder = join(this.folder, "fixtures");
    const names = filesOf(folder).filter((name) => name.endsWith(".json"));
    return names.sort().map((name) => join(folder, name));
  }

  /** Scenes in `fixtures/*.json`, by name. @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_IO */
  fixtures(): NamedFixture[] {
    return this.fixtureFiles().map((file) => readFixture(file, basename(file, ".json")));
  }
}

export function readFixture(path: string, name = path): NamedFixture {
  let text: string;
  try {
    text = readTextFile(path);
  } catch (cause) {
    const message = messageOf(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot read the fixture ${path}: ${message}`, { cause });
  }
  try {
    return { name, fixture: parseFixture(text) };
  } catch (cause) {
    if (!isUpgradeError(cause)) throw cause;
    throw new UpgradeError(cause.code, `${path}: ${cause.template}`, { cause });
  }
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new UpgradeError("UPG_STORE_IO", `cannot read ${folder}`, { cause });
  }
}
