/** Starts the programs of the package as it is built: all of them are one script, `programs.cjs`, which is beside them. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { runScript } from "../../base/native/code-cache.js";
import { scriptOfModule } from "../../base/native/module-script.js";

/** What the script returns. Each function loads what it needs when it is called. */
export interface Programs {
  /** The exports of `chain-upgrade/node`. */
  node(): Readonly<Record<string, unknown>>;
  chaind(): Promise<void>;
  demo(): Promise<void>;
  chainvisor(): Promise<void>;
}

/** The exports of `library.js`. The script takes from it what `chain-upgrade` and it both use, so each class exists once. */
export type Library = Readonly<Record<string, unknown>>;

/** What only a module can give to a script. */
type Script = (
  require: NodeJS.Require,
  url: string,
  importFile: (url: string) => Promise<unknown>,
  library: (file: string, name: string) => unknown,
) => Programs;

/** No module of this process uses the library but the program. As a script its code can be cached. */
function openLibrary(): Library {
  const { href } = new URL("library.js", import.meta.url);
  const script = runScript(fileURLToPath(href), scriptOfModule) as (require: NodeJS.Require) => Library;
  return script(createRequire(href));
}

export function openPrograms(library: Library): Programs {
  const { href } = new URL("programs.cjs", import.meta.url);
  const script = runScript(fileURLToPath(href)) as Script;
  return script(
    createRequire(href),
    href,
    (url) => import(url),
    (file, name) => library[`${file}_${name}`],
  );
}

/** Runs a program. A machine on which it cannot be loaded is reported in a message. */
export async function startProgram(name: Exclude<keyof Programs, "node">): Promise<void> {
  try {
    await openPrograms(openLibrary())[name]();
  } catch (error) {
    const isOutOfFiles =
      error instanceof Error && "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
    if (!isOutOfFiles || !isMainThread) throw error;
    const remedy = "raise the hard limit, `ulimit -Hn` (LimitNOFILE= of a service, --ulimit nofile= of a container)";
    process.stderr.write(`Error: too many open files while the program is loaded: ${remedy} [UPG_STORE_IO]\n`);
    process.exit(30);
  }
}
