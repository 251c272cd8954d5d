/**
 * Handlers that wait for their height: `<home>/handlers/staged`, and a folder that the operator names. Before the height
 * a staged handler counts as absent, so the old version goes on; at the height it is present. Files may come and go while
 * the node runs. One that is no valid handler is said so and passed over: nobody can know whose plan it was meant for.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../base/errors/errors.js";
import type { Sha256 } from "../../base/types/types.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import { type HandlerFile, listWasm, loadHandlerFile } from "./handlers-folder.js";

export interface StagedHandlersOptions {
  readonly folders: readonly string[];
  readonly sha256: Sha256;
  readonly log: (level: LogLevel, message: string) => void;
  /** Handlers that this process passes over in silence. */
  readonly isIgnored: (file: HandlerFile) => boolean;
}

interface Seen {
  /** Changes when the file does. */
  readonly stamp: string;
  readonly handler: WasmHandler | undefined;
}

export class StagedHandlers {
  #seen = new Map<string, Seen>();
  #failure = "";

  constructor(private readonly options: StagedHandlersOptions) {}

  /** Looks into the folders; a file that has not changed is not read again. Never throws. */
  look(): WasmHandler[] {
    const seen = new Map<string, Seen>();
    for (const file of this.#files()) {
      const stamp = stampOf(file);
      if (stamp === undefined) continue;
      const before = this.#seen.get(file);
      seen.set(file, before?.stamp === stamp ? before : { stamp, handler: this.#load(file) });
    }
    this.#seen = seen;
    return [...seen].flatMap(([file, { handler }]) => {
      const isUsed = handler !== undefined && !this.options.isIgnored({ file, handler });
      return isUsed ? [handler] : [];
    });
  }

  #files(): string[] {
    return [...new Set(this.options.folders)].flatMap((folder) => {
      try {
        return listWasm(folder).map((name) => join(folder, name));
      } catch (error) {
        const text = messageOf(error);
        if (text !== this.#failure) this.options.log("warn", `staged handlers: ${text}`);
        this.#failure = text;
        return [];
      }
    });
  }

  #load(file: string): WasmHandler | undefined {
    try {
      return loadHandlerFile(file, this.options.sha256);
    } catch (error) {
      const text = messageOf(error);
      this.options.log("warn", `a staged file is no handler: ${text}; it is read again when it changes`);
      return undefined;
    }
  }
}

function stampOf(file: string): string | undefined {
  try {
    const { mtimeNs, ctimeNs, size, ino } = statSync(file, { bigint: true });
    return `${mtimeNs} ${ctimeNs} ${size} ${ino}`;
  } catch {
    return undefined; // it went away
  }
}
