/** A store of records renamed by the store loader, commit included. */
import { openStores, report, timeAndCpu, withDatabase, writeRecords } from "./records.js";

const count = Number(process.argv[2]);

withDatabase((path) => {
  const before = openStores(path, ["old"]);
  writeRecords(before.store("old"), count);
  before.commit();
  before.close();
  const total = timeAndCpu(() => {
    const renamed = [{ oldKey: "old", newKey: "new" }];
    const multiStore = openStores(path, ["new"], { added: [], renamed, deleted: [] });
    multiStore.commit();
    multiStore.close();
  });
  report({ ...total });
});
