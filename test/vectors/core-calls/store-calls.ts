/** Calls of core.wasm on stores: in order, full of what it would never write, and with arguments that are wrong. */
import { concatBytes, fromHex, toHex, utf8 } from "../../../host/base/text/bytes.js";
import { INT64_MAX } from "../../../host/base/types/limits.js";
import { encodeVersionMap } from "../../../host/upgrade/core/version-map.js";
import { entry, names, PLAN } from "../../core/applying.js";
import { keyHex, u64Hex } from "../../core/cores.js";
import { OUTPUTS, STORE } from "../../core/outputs.js";
import { canonicalPlan, TIME_ZERO, wirePlan } from "../../core/plan-wire.js";
import { type Argument, type GivenCase, on, room } from "./call-builders.js";

type Store = Readonly<Record<string, string>>;

const DUE: Store = { ...STORE, "00": toHex(PLAN) };
const AFTER = concatBytes(entry("auth", 4n), entry("bank", 0n));
const NO_NAMES: Uint8Array = new Uint8Array(0);
const CAPS = [0, 1, 7, 8, 9, 100];
const LONG = "n".repeat(141);

export function storeCases(): GivenCase[] {
  return [
    {
      label: "stores: every output in rooms of every size",
      calls: OUTPUTS.flatMap(([name, args]) => CAPS.map((cap) => on(STORE, name, ...args, room(cap)))),
    },
    { label: "stores: reads of what is absent", calls: reads({}) },
    {
      label: "stores: reads with names that are none",
      calls: ["", LONG, fromHex("ff"), "a\u0000"].flatMap((name) => reads(STORE, name)),
    },
    { label: "stores: the state table", calls: stateTable() },
    { label: "stores: plan_schedule", calls: schedules() },
    {
      label: "stores: plan_clear",
      calls: [on(DUE, "plan_clear"), on({}, "plan_clear"), on({ "00": "ff" }, "plan_clear")],
    },
    { label: "stores: apply", calls: applies() },
    { label: "stores: version_map_set", calls: maps().map((map) => on(STORE, "version_map_set", map)) },
    { label: "stores: receipt_set", calls: receipts() },
    { label: "stores: 64 modules", calls: manyModules() },
    ...corrupt().map(([what, store]) => ({ label: `stores: corrupt, ${what}`, calls: everything(store) })),
    { label: "stores: pointers outside of both areas", calls: strays() },
  ];
}

function reads(store: Store, name: Argument = "bank") {
  return [
    on(store, "plan_get", room()),
    on(store, "done_height", name),
    on(store, "last_done", room()),
    on(store, "version_get", name, room()),
    on(store, "version_map_get", room(80_000)),
    on(store, "protocol_version", room()),
    on(store, "receipt_get", name, room()),
  ];
}

function everything(store: Store) {
  return [
    ...reads(store),
    on(store, "pre_block", 99n, 9),
    on(store, "plan_schedule", 99n, canonicalPlan("bank", 100n)),
    on(store, "apply", 100n, PLAN, AFTER, NO_NAMES),
    on(store, "version_map_set", AFTER),
    on(store, "receipt_set", "bank", "r"),
    on(store, "plan_clear"),
  ];
}

function stateTable() {
  const plans = [undefined, 101n, 100n, 99n];
  const lasts: readonly Store[] = [{}, { "017631": u64Hex(50n) }, { "017631": u64Hex(50n), "017a": u64Hex(60n) }];
  return plans.flatMap((height) =>
    lasts.flatMap((last) => {
      const store = { ...last, ...(height === undefined ? {} : { "00": toHex(canonicalPlan("v2", height)) }) };
      const flags = Array.from({ length: 16 }, (_, i) => on(store, "pre_block", 100n, i));
      return [
        ...flags,
        ...[16, -1].map((i) => on(store, "pre_block", 100n, i)),
        ...[0n, -1n, INT64_MAX].map((at) => on(store, "pre_block", at, 1)),
      ];
    }),
  );
}

function schedules() {
  const at = (height: bigint, plan: Uint8Array, store: Store = STORE) => on(store, "plan_schedule", height, plan);
  const heights = [-1n, 0n, 1n, 99n, 100n, 101n, INT64_MAX];
  return [
    ...heights.map((height) => at(height, PLAN)),
    ...heights.map((height) => at(99n, canonicalPlan("v3", height))),
    at(1n, canonicalPlan("v1", 100n)),
    at(1n, PLAN, {}),
    at(1n, canonicalPlan("v4", 100n), DUE),
    ...["", LONG, "a\u001b"].map((name) => at(1n, canonicalPlan(name, 100n))),
    at(1n, canonicalPlan("v2", 100n, "i".repeat(65_536))),
    at(1n, canonicalPlan("v2", 100n, "i".repeat(65_537))),
    at(1n, wirePlan({ name: "v2", height: 100n })),
    at(1n, wirePlan({ name: "v2", height: 100n, time: { seconds: 1n, nanos: 0 } })),
    at(1n, wirePlan({ name: "v2", height: 100n, time: TIME_ZERO, clientState: fromHex("0a0161") })),
    at(1n, new Uint8Array(0)),
  ];
}

/** Version maps as bytes: good ones, and each way to be wrong. */
function maps(): Uint8Array[] {
  const many = (count: number) =>
    concatBytes(...Array.from({ length: count }, (_, i) => entry(`m${String(i).padStart(5, "0")}`, 1n)));
  return [
    new Uint8Array(0),
    AFTER,
    concatBytes(entry("bank", 1n), entry("auth", 1n)),
    concatBytes(entry("auth", 1n), entry("auth", 2n)),
    entry("", 1n),
    entry(undefined, 1n),
    entry(LONG, 1n),
    entry(fromHex("ff"), 1n),
    entry("a\u0000", 1n),
    entry("auth", 2n ** 64n - 1n),
    entry("auth"),
    fromHex("0a08"),
    fromHex("1200"),
    fromHex("0a0461757468"),
    concatBytes(AFTER, fromHex("00")),
    many(1_024),
    many(1_025),
  ];
}

function applies() {
  const apply = (map: Uint8Array, removes = NO_NAMES, height = 100n, plan = PLAN, store: Store = DUE) =>
    on(store, "apply", height, plan, map, removes);
  return [
    ...maps().map((map) => apply(map)),
    ...[1n, 99n, 101n, 0n, -1n].map((height) => apply(AFTER, NO_NAMES, height)),
    apply(AFTER, NO_NAMES, 100n, canonicalPlan("v3", 100n)),
    apply(AFTER, NO_NAMES, 100n, new Uint8Array(0)),
    apply(AFTER, NO_NAMES, 100n, PLAN, {}),
    apply(entry("auth", 4n)),
    apply(entry("auth", 4n), names("bank")),
    apply(entry("auth", 2n), names("bank")),
    apply(AFTER, names("bank")),
    apply(AFTER, names("none")),
    apply(AFTER, names("b", "a")),
    apply(AFTER, names("a", "a")),
    apply(AFTER, names("")),
    apply(AFTER, names(LONG)),
    apply(AFTER, fromHex("ff")),
    apply(AFTER, NO_NAMES, 100n, PLAN, { ...DUE, "017632": u64Hex(7n) }),
    apply(AFTER, NO_NAMES, 100n, PLAN, { ...DUE, "03": u64Hex(2n ** 64n - 2n) }),
  ];
}

function receipts() {
  const sizes = [0, 1, 1_000, 524_288, 524_289];
  const bytes = (size: number) => new Uint8Array(size).fill(0x72);
  return [
    ...sizes.map((size) => on({}, "receipt_set", "v2", bytes(size))),
    ...["", LONG, "a\u0000", fromHex("ff")].map((name) => on({}, "receipt_set", name, bytes(3))),
    on(STORE, "receipt_set", "v1", bytes(3)),
    on(STORE, "receipt_set", "v9", bytes(3)),
  ];
}

function manyModules() {
  const map = new Map(Array.from({ length: 64 }, (_, i) => [`module-${i}`, BigInt(i) << 40n]));
  const pairs = [...map].map(([name, version]) => [keyHex("02", name), u64Hex(version)]);
  const store: Store = { ...DUE, ...Object.fromEntries(pairs) };
  return [
    on(store, "version_map_get", room(80_000)),
    on(store, "version_map_get", room(0)),
    on(store, "version_map_set", encodeVersionMap(map)),
    on(store, "version_map_set", AFTER),
    on(store, "version_map_set", new Uint8Array(0)),
    on(store, "apply", 100n, PLAN, encodeVersionMap(new Map([...map, ["auth", 3n], ["bank", 0n]])), NO_NAMES),
    on(store, "version_get", "module-63", room()),
  ];
}

/** What the core would never write. */
function corrupt(): (readonly [what: string, store: Store])[] {
  const zeros = (length: number) => "00".repeat(length);
  const lengths = [0, 1, 7, 9, 16, 505];
  const plans = [
    new Uint8Array(0),
    fromHex("ff"),
    PLAN.slice(0, 9),
    concatBytes(PLAN, fromHex("3001")),
    canonicalPlan("", 100n),
    canonicalPlan("v2", 0n),
  ];
  return [
    ...["01", "02", "04"].flatMap((prefix) =>
      lengths.map((n) => [`${n} bytes under ${prefix}`, { ...DUE, [keyHex(prefix, "bank")]: zeros(n) }] as const),
    ),
    ...["01", "02"].flatMap((prefix) =>
      [prefix, `${prefix}ff`, prefix + "61".repeat(141), `${prefix}61eda080`].map(
        (key) => [`key ${key.slice(0, 12)}`, { ...DUE, [key]: u64Hex(1n) }] as const,
      ),
    ),
    ...[0n, 2n ** 63n, 2n ** 64n - 1n].map(
      (height) => [`Done at ${height}`, { ...DUE, [keyHex("01", "bank")]: u64Hex(height) }] as const,
    ),
    ...lengths.map((n) => [`a protocol version of ${n} bytes`, { ...DUE, "03": zeros(n) }] as const),
    ["the last protocol version", { ...DUE, "03": "ff".repeat(8) }],
    ...plans.map((plan, i) => [`plan ${i}`, { ...DUE, "00": toHex(plan) }] as const),
    ["other prefixes", { ...DUE, "04": "aa", "05": "01", "0561": "02", ff: "03", "0101": toHex(utf8("8 bytes!")) }],
  ];
}

/** Pointers of a careless host. Each is a trap. */
function strays() {
  const spans: readonly (readonly [number, number])[] = [
    [0, 1],
    [1_048_575, 1],
    [1_048_576, 1],
    [-1, 1],
    [-1, 2],
    [-256, 512],
    [0, -1],
  ];
  return spans.flatMap(([ptr, len]) => [
    on(STORE, "plan_schedule", 1n, ptr, len),
    on(STORE, "version_map_set", ptr, len),
    on(STORE, "receipt_set", "v2", ptr, len),
    on(STORE, "done_height", ptr, len),
    on(STORE, "version_get", ptr, len, room()),
    on(STORE, "plan_get", ptr, len),
    on(STORE, "key_done", "v2", ptr, len),
    on(STORE, "plan_validate", ptr, len),
    on(STORE, "apply", 100n, PLAN, ptr, len, NO_NAMES),
  ]);
}
