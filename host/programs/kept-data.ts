/** Earlier data of a home, beside its data folder. */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The newest folder with such a database; a rollback of the sidecar, or an operator, has moved it there. Empty: there is none. */
export function keptData(databaseFile: string): { readonly kept_data?: string } {
  const data = dirname(databaseFile);
  const timeOf = (folder: string) => statSync(join(folder, basename(databaseFile)), { throwIfNoEntry: false })?.mtimeMs;
  const kept = readdirSync(dirname(data))
    .filter((name) => name.startsWith(`${basename(data)}-`))
    .map((name) => ({ kept_data: join(dirname(data), name), time: timeOf(join(dirname(data), name)) ?? 0 }))
    .sort((a, b) => b.time - a.time)[0];
  return kept && kept.time > 0 ? { kept_data: kept.kept_data } : {};
}
