/** Where the sidecar's files are. */
import { join } from "node:path";
import { START_FILE } from "../../../node/home/supervised-start.js";
import type { Settings } from "../settings.js";

export type PlaceOf = Pick<Settings, "home" | "root" | "name">;

export function placesOf({ home, root }: PlaceOf) {
  const data = join(home, "data");
  return {
    data,
    planFile: join(data, "upgrade-info.json"),
    genesis: join(home, "config", "genesis.json"),
    haltFile: join(data, "halt.json"),
    /** Of this project's chains alone. */
    database: join(data, "chain.mdb"),
    wal: join(data, "cs.wal"),
    current: join(root, "current"),
    previous: join(root, "previous"),
    /** The plan that brought the current program. */
    currentPlan: join(root, "current", "upgrade-info.json"),
    /** Why the last run of the sidecar did not go on. */
    failureFile: join(root, "failure.json"),
    /** The error that the application exited with. */
    appFailureFile: join(root, "app-failure.json"),
    returnedFile: join(root, "returned.json"),
    passedFile: join(root, "passed.json"),
    /** How the last sidecar was started. */
    startFile: join(root, START_FILE),
    /** The application is to be started again: `chainvisor restart`. */
    restartFile: join(root, "restart.json"),
  };
}

export type Places = ReturnType<typeof placesOf>;
