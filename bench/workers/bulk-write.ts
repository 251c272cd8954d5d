/** Records written to a new store through a block's branch, and committed. */
import { openStores, report, time, withDatabase, writeRecords } from "./records.js";

const count = Number(process.argv[2]);

withDatabase((path) => {
  const multiStore = openStores(path, ["bank"]);
  const branch = multiStore.branch();
  const write = time(() => writeRecords(branch.store("bank"), count));
  const commit = time(() => {
    branch.write();
    multiStore.commit();
  });
  multiStore.close();
  report({ ms: write + commit, write, commit });
});
