/**
 * A process that runs a handler file on stores in a folder and commits: `worker <handler.wasm> <folder> [limits]`.
 * Prints JSON: how it ended, the size of the database, what is left of the spill folder.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import type { SpillLimits } from "../../host/state/store/disk/lmdb-spill.js";
import { CommitMultiStore } from "../../host/state/store/versions/commit-multi-store.js";
import { loadHandler } from "../../host/upgrade/handler/handler.js";
import { runHandler } from "../../host/upgrade/handler/run/sandbox.js";

const [file = "", folder = "", limits = "{}"] = process.argv.slice(2);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const path = join(folder, "chain.mdb");

function run(): string {
  const handler = loadHandler(readFileSync(file), { sha256 });
  const database = new LmdbDatabase(path, { spill: JSON.parse(limits) as SpillLimits });
  const multiStore = new CommitMultiStore(database, { sha256 });
  multiStore.mount(...handler.manifest.stores.map(({ name }) => name));
  multiStore.loadLatestVersion();
  if (multiStore.lastCommitID.version === 0n) multiStore.commit();
  process.stderr.write("ready\n");
  try {
    const branch = multiStore.branch();
    runHandler(handler, {
      chainId: "test-1",
      height: 7n,
      time: { seconds: 1n, nanos: 0 },
      planBytes: new Uint8Array(0),
      versionMap: new Map(),
      stores: branch,
      base: multiStore.loaded(),
    });
    branch.write();
    multiStore.commit();
    return "";
  } catch (error) {
    if (isUpgradeError(error)) return `${error.code} ${error.message}`;
    throw error;
  } finally {
    multiStore.close();
  }
}

const ended = run();
const spill = join(folder, "spill");
const left = existsSync(spill) ? readdirSync(spill).length : 0;
process.stdout.write(JSON.stringify({ ended, databaseBytes: statSync(path).size, left }));
