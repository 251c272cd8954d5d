/** The last committed height of a home of this project, from its database. */
import { existsSync } from "node:fs";

/** Undefined: no block was made, or the database is not free or not whole, which the program's own start will find. */
export type StoreHeight = (home: string) => Promise<bigint | undefined>;

/** Only while no node runs here: nothing is written, and the home is free again when it settles. */
export const storeHeight: StoreHeight = async (path) => {
  const [{ Home }, { openShared }, { lastVersionOf }] = await Promise.all([
    import("../../../node/home/home.js"),
    import("../../../node/open/home-database.js"),
    import("../../../state/store/disk/fenced-database.js"),
  ]);
  const home = new Home(path);
  if (!existsSync(home.databaseFile)) return undefined;
  try {
    const reader = openShared(home);
    try {
      return BigInt(lastVersionOf(reader.database));
    } finally {
      reader.close();
    }
  } catch {
    return undefined;
  }
};
