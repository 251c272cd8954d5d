/** Runs work again whenever files of a project change. Looks at them now and then: that works in every kind of folder. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MILLIS = 200;

/**
 * Runs `work` at once, then each time after something changed; not while it runs. Does not return.
 *
 * @param folders what to look at, whether they exist or not
 */
export async function watchFolders(folders: readonly string[], work: () => Promise<void>): Promise<never> {
  for (let seen: string | undefined; ; ) {
    const now = stateOf(folders);
    if (now !== seen) {
      // What changes while it runs is seen after it.
      seen = now;
      await work();
    } else await sleep(LOOK_MILLIS);
  }
}

function stateOf(folders: readonly string[]): string {
  return folders.flatMap(filesIn).join("\n");
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const { mtimeMs, size } = statSync(join(parentPath, name));
        return `${parentPath}/${name} ${mtimeMs} ${size}`;
      })
      .sort();
  } catch {
    return []; // absent, or changed just now
  }
}
