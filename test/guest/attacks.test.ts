/** Guests that want much for little: what the host does for them is bounded by what they can pay, or by a limit. */
import { describe, expect, test } from "vitest";
import { LOG_BYTES_MAX, LOG_LINES_MAX } from "../../host/base/types/limits.js";
import { HOST_PRICES } from "../../host/upgrade/handler/meter/schedule.js";
import { load } from "./build.js";
import { arrayStores, failure, IMPORTS, runHandlerIn, STORES } from "./running.js";

const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");
const OUT_OF_GAS = "UPG_MIGRATION_OUT_OF_GAS";
/** Besides the loading of the file. */
const GAS = 30_000_000n;

const handlerOf = (run: string) => load({ imports: IMPORTS, run: `${run} (i32.const 0)` }, { stores: STORES });
const limitOf = (handler: ReturnType<typeof handlerOf>) => GAS + BigInt(handler.bytes.length * HOST_PRICES.fileByte);

describe("reads for ever", () => {
  const keys = "(i32.store (i32.const 16) (i32.add (i32.load (i32.const 16)) (i32.const 1)))";
  const scan = (room: number, start = 4) => `(drop (call $scan ${i32(0, 16, start, 0, 0, 4_096, room)}))`;
  const get = `(drop (call $get ${i32(0, 16, 4, 4_096, 64)}))`;
  const put = `(drop (call $set ${i32(0, 16, 4, 64, 1)}))`;
  const remove = `(drop (call $delete ${i32(0, 16, 4)}))`;

  test.each<[what: string, body: string]>([
    ["scans without room", scan(0)],
    ["scans with room for a pair", scan(13)],
    ["scans from the start", scan(0, 0)],
    ["puts, and a scan after each", `${keys} ${put} ${scan(0)}`],
    ["deletes, and a scan over all of them after each", `${keys} ${remove} ${scan(0, 0)}`],
    ["gets of what is not there", `${keys} ${get}`],
    ["puts and gets", `${keys} ${put} ${get}`],
  ])("%s → out of gas after no more reads than it could pay", (_, body) => {
    const handler = handlerOf(`(loop $l ${body} (br $l))`);
    const stores = arrayStores().branch();
    const store = stores.store("all");
    const original = { scan: store.scan.bind(store), get: store.get.bind(store) };
    let reads = 0;
    store.scan = (range) => {
      reads++;
      return original.scan(range);
    };
    store.get = (key) => {
      reads++;
      return original.get(key);
    };
    stores.store = () => store;
    expect(() => runHandlerIn(handler, { input: { stores, gasLimit: limitOf(handler) } })).toThrow(failure(OUT_OF_GAS));
    expect(reads).toBeGreaterThan(10);
    expect(reads).toBeLessThanOrEqual(Number(GAS) / HOST_PRICES.store_scan);
  });
});

describe("a flood of log lines", () => {
  const logs = (count: number, bytes: number) => `(local $i i32) (local.set $i (i32.const ${count}))
    (loop $l (call $log ${i32(1, 4_096, bytes)}) (br_if $l (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))`;

  test.each([
    [LOG_LINES_MAX, 0, LOG_LINES_MAX],
    [LOG_LINES_MAX + 1, 0, LOG_LINES_MAX + 1],
    [LOG_LINES_MAX + 500, 9, LOG_LINES_MAX + 1],
  ])(
    "%i lines of %i bytes → %i are written, the last past the limit says that no more are",
    (count, bytes, written) => {
      const { lines } = runHandlerIn(handlerOf(logs(count, bytes)));
      expect(lines).toHaveLength(written);
      const notices = lines.filter((line) => line.startsWith("warn the handler logged 10000 lines"));
      expect(notices).toHaveLength(count > LOG_LINES_MAX ? 1 : 0);
    },
  );

  test.each([0, 1, 64, LOG_BYTES_MAX, 262_144])(
    "lines of %i bytes for ever → out of gas, each paid by its bytes",
    (bytes) => {
      const handler = handlerOf(`(loop $l (call $log ${i32(1, 4_096, bytes)}) (br $l))`);
      let written = 0;
      let characters = 0;
      const log = (_level: string, text: string) => {
        written++;
        characters += text.length;
      };
      const input = { gasLimit: limitOf(handler), log };
      expect(() => runHandlerIn(handler, { input })).toThrow(failure(OUT_OF_GAS));
      const price = HOST_PRICES.log + Math.min(bytes, LOG_BYTES_MAX) * HOST_PRICES.logByte;
      expect(written).toBeGreaterThan(0);
      expect(written).toBeLessThanOrEqual(Number(GAS) / price);
      expect(characters).toBeLessThanOrEqual(Number(GAS) / HOST_PRICES.logByte);
    },
  );
});
