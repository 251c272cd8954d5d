/** Guests for each rule of the guards, with the table of the chain's modules. */
import { data } from "../../guest/build.js";
import type { Collection } from "./collection.js";
import { AFTER } from "./guard-rules-after.js";
import { BEFORE } from "./guard-rules-before.js";
import { addGuest } from "./guest-runs.js";
import type { HexPair } from "./shapes.js";

const MAP = "UPG_MIGRATION_VERSION_MAP";

const PAIR: readonly HexPair[] = [["01", "02"]];
const KEY = data(16, "key");

export function addGuards(to: Collection): void {
  for (const [what, { refused, manifest = {}, versions, opened, table = {}, vital, writes, deletes }] of Object.entries(
    {
      ...BEFORE,
      ...AFTER,
    },
  )) {
    const names = ["upgrade", ...(opened ?? ["gov"])].sort();
    const pairs = names.map((name) => [name.replace("*", ""), name.endsWith("*") ? PAIR : []] as const);
    const call =
      writes === undefined
        ? ""
        : "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 3) (i32.const 16) (i32.const 3)))";
    const remove = deletes === undefined ? "" : "(drop (call $delete (i32.const 0) (i32.const 16) (i32.const 3)))";
    const label = `guards: ${what}`;
    const { error } = addGuest(to, {
      label,
      parts: { run: `${call} ${remove} (i32.const 0)`, more: KEY },
      manifest,
      input: { versions: versions ?? { gov: "1", upgrade: "1" }, stores: Object.fromEntries(pairs) },
      guards: { module_stores: table, vital_modules: vital ?? ["gov", "upgrade"] },
    });
    if (error !== (refused ? MAP : undefined)) throw new Error(`${label}: ${error ?? "taken"}`);
  }
}
