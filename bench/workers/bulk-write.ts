/** Records written to a new store through a block's branch, and committed. */
import { openStores, report, time, timeAndCpu, withDatabase, writeRecords } from "./records.js";

const count = Number(process.argv[2]);

withDatabase((path) => {
  const multiStore = openStores(path, ["bank"]);
  const branch = multiStore.branch();
  let write = 0;
  let commit = 0;
  const total = timeAndCpu(() => {
    write = time(() => writeRecords(branch.store("bank"), count));
    commit = time(() => {
      branch.write();
      multiStore.commit();
    });
  });
  multiStore.close();
  report({ ...total, write, commit });
});
