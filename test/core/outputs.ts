/** Every export of core.wasm that returns bytes, over one store. */
import { fromHex, toHex, utf8 } from "../../host/base/text/bytes.js";
import { keyHex, u64Hex } from "./cores.js";
import { canonicalPlan } from "./plan-wire.js";
import type { Argument } from "./raw-core.js";

export const PLAN = canonicalPlan("v2", 100n, "info");
const FIELDS = fromHex(
  ["6400000000000000", "00096e88f1ffffff", "00000000", "00000000", "02000000", "04000000", "7632", "696e666f"].join(""),
);
export const STORE = {
  "00": toHex(PLAN),
  [keyHex("01", "v1")]: u64Hex(258n),
  [keyHex("02", "auth")]: u64Hex(3n),
  [keyHex("02", "bank")]: u64Hex(0n),
  "03": u64Hex(513n),
  [keyHex("04", "v1")]: "aabbcc",
};
const text = (value: string) => toHex(utf8(value));

/** Every export with `out, cap`: what comes before them, and the answer. */
export const OUTPUTS: readonly (readonly [name: string, args: readonly Argument[], answer: string])[] = [
  ["plan_get", [], toHex(PLAN)],
  ["last_done", [], `0201000000000000${text("v1")}`],
  ["version_get", ["auth"], "0300000000000000"],
  ["version_map_get", [], "0a080a04617574681003" + "0a060a0462616e6b"],
  ["protocol_version", [], "0102000000000000"],
  ["receipt_get", ["v1"], "aabbcc"],
  ["key_plan", [], "00"],
  ["key_done", ["v2"], "017632"],
  ["key_version", ["bank"], "0262616e6b"],
  ["key_protocol", [], "03"],
  ["key_receipt", ["v2"], "047632"],
  ["plan_decode", [PLAN], toHex(FIELDS)],
  ["plan_encode", [FIELDS], toHex(PLAN)],
  ["halt_text", [2, 1n, 0n, PLAN], text('UPGRADE "v2" SKIPPED at 100: info')],
  ["halt_text", [4, 1n, 0n, PLAN], text('UPGRADE "v2" NEEDED at height: 100: info')],
  [
    "halt_text",
    [5, 1n, 0n, PLAN],
    text('BINARY UPDATED BEFORE TRIGGER! UPGRADE "v2" - in binary but not executed on chain. Downgrade your binary'),
  ],
  ["halt_text", [6, 1n, 18n, "v1"], text("wrong app version 18, upgrade handler is missing for v1 upgrade plan")],
  ["upgrade_info", [101n, PLAN], text('{"name":"v2","time":"0001-01-01T00:00:00Z","height":101,"info":"info"}')],
];
