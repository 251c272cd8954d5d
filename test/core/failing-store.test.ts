/** A store that fails in the middle of a call: what it threw goes on as it is, and the call has written nothing. */
import { expect, test } from "vitest";
import type { KVStore } from "../../host/base/types/types.js";
import type { Core } from "../../host/upgrade/core/core.js";
import { dueStore, HEIGHT, PLAN } from "./applying.js";
import { describeCores, dump } from "./cores.js";
import { FailingStore } from "./failing-store.js";

const WRITES: readonly (readonly [name: string, write: (core: Core, store: KVStore) => void])[] = [
  ["schedule()", (core, store) => core.schedule(store, HEIGHT, { name: "v3", height: HEIGHT, info: "" })],
  ["apply()", (core, store) => core.apply(store, HEIGHT, PLAN, new Map([["auth", 2n]]), ["bank"])],
  ["setVersionMap()", (core, store) => core.setVersionMap(store, new Map([["auth", 2n]]))],
];
const READS_MAX = 20;
const due = dueStore({ auth: 1n, bank: 1n });

describeCores((core) => {
  test.each(WRITES)("%s over a store whose n-th read throws → the store's error, nothing written", (_, write) => {
    const errors: unknown[] = [];
    for (let reads = 0; reads < READS_MAX; reads++) {
      const error = new RangeError(`read ${reads} failed`);
      const store = new FailingStore(error, reads, "reads");
      for (const [key, value] of due.iterate()) store.set(key, value);
      try {
        write(core, store);
        break;
      } catch (thrown) {
        expect(thrown).toBe(error);
        expect(dump(store.heal())).toEqual(dump(due));
        errors.push(thrown);
      }
    }
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThan(READS_MAX);
  });
});
