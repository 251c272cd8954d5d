/** Adds guests of WebAssembly text, and cuts of their runs. */
import { seededLimits } from "../../../host/upgrade/test-kit/gas-points.js";
import { build, type GuestParts, guest, type ManifestSource } from "../../guest/build.js";
import { IMPORTS, STORES } from "../../guest/running.js";
import type { Collection } from "./collection.js";
import { chargesOf, sampled } from "./gas-boundaries.js";
import type { CaseInput, GivenRun, RunOutcome, StorePairs } from "./shapes.js";

/** Enough for all that is no bomb, and soon gone. */
const GAS_LIMIT = "30000000";

export interface TextGuest {
  readonly label: string;
  readonly parts: GuestParts;
  /** All stores of `STORES` when left out. */
  readonly manifest?: ManifestSource;
  readonly stores?: Readonly<Record<string, StorePairs>>;
  readonly input?: Partial<CaseInput>;
  readonly gasLimit?: string;
  readonly batchBytes?: number;
  /** How many of the points at which the host takes gas are cut at. */
  readonly cuts?: number;
  /** The guards of a chain with this table are asked too. */
  readonly guards?: Pick<GivenRun, "module_stores" | "vital_modules">;
}

export function addGuest(
  to: Collection,
  { label, parts, manifest = { stores: STORES }, ...rest }: TextGuest,
): RunOutcome {
  const name = to.handler(label, build(guest({ imports: IMPORTS, ...parts }), manifest));
  const { gasLimit = GAS_LIMIT, batchBytes, cuts = 0, guards } = rest;
  const given: GivenRun = {
    label,
    guest: name,
    input: smallInput(to, label, rest.stores, rest.input),
    gas_limit: gasLimit,
    ...(batchBytes === undefined ? {} : { batch_bytes: batchBytes }),
    ...guards,
  };
  return addCut(to, given, cuts);
}

/** A run, and the same with less gas: by turns right before and right at so many charges of the host, and at points between. */
export function addCut(to: Collection, given: GivenRun, cuts: number): RunOutcome {
  let outcome: RunOutcome = {};
  const charges = chargesOf(() => {
    outcome = to.run(given);
  });
  const used = BigInt(outcome.gas ?? 0);
  if (cuts === 0 || used < 2n) return outcome;
  const reached = charges.filter((point) => point < used);
  const points = sampled(reached, cuts).map((point, i) => (i % 2 === 0 ? point - 1n : point));
  const random = seededLimits(given.label.length, Math.floor(cuts / 4), used);
  // All that the run used is enough; one less is not, unless it failed by itself.
  const ends = outcome.error === undefined ? [used - 1n, used] : [];
  for (const limit of [...new Set([...points, ...random, ...ends])].sort((a, b) => (a < b ? -1 : 1))) {
    if (limit >= 0n) to.run({ ...given, label: `${given.label}, gas ${limit}`, gas_limit: String(limit) });
  }
  return outcome;
}

/** Returns the name of the input. */
function smallInput(
  to: Collection,
  name: string,
  stores: Readonly<Record<string, StorePairs>> = {},
  more: Partial<CaseInput> = {},
): string {
  const names = [...STORES.map((store) => store.name), ...Object.keys(stores)];
  return to.input({
    name,
    chain_id: "test-1",
    height: "7",
    time: { seconds: "1", nanos: 0 },
    plan: "",
    versions: {},
    stores: Object.fromEntries(names.map((store) => [store, stores[store] ?? []])),
    ...more,
  });
}
