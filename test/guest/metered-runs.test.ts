/** A file with its metered module runs as the file without it, but for the price of the bytes: of handlers made at random. */
import { expect, test } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { loadHandler, type WasmHandler } from "../../host/upgrade/handler/handler.js";
import { HOST_PRICES } from "../../host/upgrade/handler/meter/schedule.js";
import { withMetered } from "../../host/upgrade/handler/metered-section.js";
import { build, guest, sha256 } from "./build.js";
import { Random } from "./random/random.js";
import { randomGuest } from "./random/random-guest.js";
import { arrayStores, type Pairs, pairsOf, runHandlerIn, STORES } from "./running.js";

const GUESTS = 200;
const GAS = 20_000_000n;

const STORED: Readonly<Record<string, Pairs>> = {
  all: [
    ["01", "aa"],
    ["0101", "bbbb"],
    ["ff02", "cc"],
  ],
  read: [
    ["01", "01"],
    ["02", "0202"],
  ],
  part: [["0102", "dd"]],
};

/** All that can be seen of a run, its gas without that of the file's bytes. */
function ran(
  handler: WasmHandler,
  rest: bigint,
): { readonly seen: unknown; readonly gas: bigint; readonly code: string } {
  const file = BigInt(handler.bytes.length * HOST_PRICES.fileByte);
  const words: string[] = [];
  const said = {
    log: (level: string, text: string) => words.push(`${level} ${text}`),
    progress: (done: bigint, total: bigint) => words.push(`${done}/${total}`),
  };
  const base = arrayStores(STORED);
  const stores = base.branch();
  try {
    const { report } = runHandlerIn(handler, { input: { ...said, base, stores, gasLimit: file + rest } });
    const pairs = STORES.map(({ name }) => pairsOf(stores, name));
    return { seen: { ...report, gas: 0n, words, pairs }, gas: report.gas - file, code: "" };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    const { gas, limit: _, ...details } = error.details;
    const message = error.message.replace(/its gas of \d+/, "its gas");
    return { seen: { message, details, words }, gas: BigInt(gas ?? -1) - file, code: error.code };
  }
}

test("loadHandler(withMetered(file)) of random handlers, with enough gas and cut → runs as loadHandler(file)", () => {
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= GUESTS; seed++) {
    const { parts, manifest } = randomGuest(seed);
    const file = build(guest(parts), manifest);
    const [plain, whole] = [loadHandler(file, { sha256 }), loadHandler(withMetered(file), { sha256 })];
    const first = ran(plain, GAS);
    expect(ran(whole, GAS), `seed ${seed}`).toEqual(first);
    const cut = first.gas > 0n ? BigInt(new Random(seed).below(Number(first.gas))) : 0n;
    const short = ran(plain, cut);
    expect(ran(whole, cut), `seed ${seed}, gas ${cut}`).toEqual(short);
    for (const { code } of [first, short]) ends.set(code, (ends.get(code) ?? 0) + 1);
  }
  // All the ends that a run can have occur, runs that succeed often.
  expect(ends.get("")).toBeGreaterThan(GUESTS / 6);
  for (const code of ["UPG_MIGRATION_FAILED", "UPG_MIGRATION_OUT_OF_GAS", "UPG_HANDLER_TRAP", "UPG_HANDLER_STACK"]) {
    expect(ends.get(code), code).toBeGreaterThan(1);
  }
});
