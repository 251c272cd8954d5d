/**
 * One migration, written in three ways, over the same store: what the sandbox costs. The work is that of
 * examples/split-balances with its checks; the commit is measured beside it.
 */
import { readFileSync } from "node:fs";
import type { MultiStore } from "../../host/base/types/types.js";
import { loadHandler } from "../../host/upgrade/handler/handler.js";
import { runHandler } from "../../host/upgrade/handler/run/sandbox.js";
import { writeAccounts } from "../bulk/accounts.js";
import { bestJs } from "../bulk/best-js.js";
import { naturalJs } from "../bulk/natural-js.js";
import { openStores, report, sha256, time, timeAndCpu, withDatabase } from "./records.js";

const [, , size = "0", row = "", handlerFile = "build/examples/split-balances.wasm"] = process.argv;
const count = Number(size);

function sandboxed(stores: MultiStore, base: MultiStore): void {
  runHandler(loadHandler(readFileSync(handlerFile), { sha256 }), {
    chainId: "bench-1",
    height: 2n,
    time: { seconds: 0n, nanos: 0 },
    planBytes: new Uint8Array(0),
    versionMap: new Map([
      ["auth", 1n],
      ["bank", 1n],
    ]),
    stores,
    base,
    log: () => undefined,
    progress: () => undefined,
  });
}

const ROWS = new Map([
  ["natural-js", naturalJs],
  ["best-js", bestJs],
  ["sandboxed", sandboxed],
]);

const migrate = ROWS.get(row);
if (!migrate) throw new Error(`there is no row ${row}`);

withDatabase((path) => {
  const before = openStores(path, ["auth"]);
  writeAccounts(before.store("auth"), count);
  before.commit();
  before.close();
  const multiStore = openStores(path, ["auth", "bank"], { added: ["bank"], renamed: [], deleted: [] });
  const branch = multiStore.branch();
  const handler = timeAndCpu(() => migrate(branch, multiStore.loaded()));
  let hash = 0;
  const commit = time(() => {
    branch.write();
    hash = Buffer.from(multiStore.commit().hash).readUIntBE(0, 6);
  });
  multiStore.close();
  report({ ...handler, commit, hash });
});
