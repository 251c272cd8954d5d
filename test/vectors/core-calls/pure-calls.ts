/** The functions of core.wasm that no store is asked for, with arguments good and bad. */
import fc from "fast-check";
import { concatBytes, fromHex } from "../../../host/base/text/bytes.js";
import { INT64_MAX } from "../../../host/base/types/limits.js";
import { mutated } from "../../core/mutated-bytes.js";
import { canonicalPlan, TIME_ZERO, wirePlan } from "../../core/plan-wire.js";
import { type Argument, type GivenCase, pure, room } from "./call-builders.js";

const SEED = 11;
const NAMES: readonly (string | Uint8Array)[] = [
  ...[
    "",
    "v",
    "v2",
    "n".repeat(140),
    "n".repeat(141),
    "é".repeat(70),
    "é".repeat(71),
    "a\u0000",
    "a\u001b[2K",
    "a\u0085",
  ],
  ...["\ufeff", "\ufffd", "🚀", "a b", " ", "a/b", "\u2028"],
  ...["ff", "c3", "61eda080", "c080", "f4908080", "e282"].map(fromHex),
];
const INFOS = ["", "i", '{"binaries":{}}', '"\\\n\t<&>\u2028\u0007', "i".repeat(65_536), "i".repeat(65_537)];
const HEIGHTS = [1n, 7n, 127n, 128n, INT64_MAX, 0n, -1n, -INT64_MAX - 1n];
const CAPS = [0, 1, 2, 3, 4, 40, 41, 42, 65];

const plans: readonly Uint8Array[] = [
  ...NAMES.map((name) => wirePlan({ name, time: TIME_ZERO, height: 100n })),
  ...INFOS.map((info) => canonicalPlan("v2", 100n, info)),
  ...HEIGHTS.map((height) => canonicalPlan("v2", height, "info")),
  wirePlan({ name: "v2", height: 5n }),
  wirePlan({ name: "v2", height: 5n, info: fromHex("ff") }),
  wirePlan({ name: "v2", height: 5n, time: { ...TIME_ZERO, nanos: 1 } }),
  wirePlan({ name: "v2", height: 5n, time: { seconds: 0n, nanos: 0 } }),
  wirePlan({ name: "v2", height: 5n, time: { seconds: 253_402_300_800n, nanos: 0 } }),
  wirePlan({ name: "v2", height: 5n, clientState: fromHex("0a0161") }),
  new Uint8Array(0),
  new Uint8Array(73_729),
];

const message = fc.constantFrom(...plans.filter((plan) => plan.length < 200));

export function pureCases(): GivenCase[] {
  const random = fc.sample(mutated(message), { seed: SEED, numRuns: 300 });
  return [
    { label: "pure: keys", calls: NAMES.flatMap(keysOf) },
    { label: "pure: rooms of every size", calls: CAPS.flatMap(inRooms) },
    { label: "pure: plans", calls: plans.flatMap(planCalls) },
    { label: "pure: plans changed at random", calls: random.flatMap(planCalls) },
    { label: "pure: fields of a plan", calls: fields().map((bytes) => pure("plan_encode", bytes, room(80_000))) },
    { label: "pure: texts of halts", calls: haltCalls() },
    { label: "pure: the lowest height that can be cancelled", calls: estimates() },
  ];
}

function keysOf(name: string | Uint8Array) {
  const own = ["key_done", "key_version", "key_receipt"].map((key) => pure(key, name, room()));
  return [pure("key_plan", room()), pure("key_protocol", room()), ...own];
}

function inRooms(cap: number) {
  const plan = canonicalPlan("v2", 100n, "info");
  return [
    pure("key_plan", room(cap)),
    pure("key_protocol", room(cap)),
    pure("key_done", "v2", room(cap)),
    pure("plan_decode", plan, room(cap)),
    pure("plan_encode", encodedFields({}), room(cap)),
    pure("halt_text", 4, 1n, 0n, plan, room(cap)),
    pure("upgrade_info", 1n, plan, room(cap)),
  ];
}

function planCalls(plan: Uint8Array) {
  return [
    pure("plan_validate", plan),
    pure("plan_decode", plan, room(80_000)),
    pure("halt_text", 4, 1n, 0n, plan, room(80_000)),
    pure("upgrade_info", 101n, plan, room(200_000)),
  ];
}

interface Fields {
  readonly height?: bigint;
  readonly seconds?: bigint;
  readonly nanos?: number;
  readonly flags?: number;
  readonly name?: Uint8Array | string;
  readonly info?: string;
  /** Other lengths than the texts have. */
  readonly lengths?: readonly [number, number];
}

/** The record of `plan_encode` and `plan_decode`. */
function encodedFields({
  height = 5n,
  seconds = TIME_ZERO.seconds,
  nanos = 0,
  flags = 0,
  name = "v2",
  info = "",
  lengths,
}: Fields) {
  const encoder = new TextEncoder();
  const texts = [name, info].map((text) => (typeof text === "string" ? encoder.encode(text) : text));
  const head = new DataView(new ArrayBuffer(32));
  head.setBigInt64(0, height, true);
  head.setBigInt64(8, seconds, true);
  head.setInt32(16, nanos, true);
  head.setUint32(20, flags, true);
  head.setUint32(24, lengths?.[0] ?? texts[0]?.length ?? 0, true);
  head.setUint32(28, lengths?.[1] ?? texts[1]?.length ?? 0, true);
  return concatBytes(new Uint8Array(head.buffer), ...texts);
}

function fields(): Uint8Array[] {
  const whole = encodedFields({ info: "info" });
  return [
    ...NAMES.map((name) => encodedFields({ name })),
    ...INFOS.map((info) => encodedFields({ info })),
    ...HEIGHTS.map((height) => encodedFields({ height })),
    ...[0n, -1n, INT64_MAX, TIME_ZERO.seconds - 1n].map((seconds) => encodedFields({ seconds })),
    ...[-1, 1, 999_999_999, 1_000_000_000].map((nanos) => encodedFields({ nanos })),
    ...[1, 2, 0xffff_ffff].map((flags) => encodedFields({ flags })),
    ...(
      [
        [1, 0],
        [3, 0],
        [0xffff_ffff, 3],
        [2, 0xffff_ffff],
      ] as const
    ).map((lengths) => encodedFields({ lengths })),
    ...[0, 1, 31, 32, 33, whole.length - 1].map((length) => whole.slice(0, length)),
    concatBytes(whole, Uint8Array.of(0)),
  ];
}

function haltCalls() {
  const plan = canonicalPlan("v2", 1_234n, '{"binaries":{}}');
  const subjects: Argument[] = [plan, "v2", "", fromHex("ff"), "n".repeat(141)];
  const decisions = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 2 ** 31 - 1];
  const versions = [0n, 9n, 10n, 10n ** 18n, INT64_MAX, -1n, -INT64_MAX - 1n];
  return [
    ...decisions.flatMap((decision) => subjects.map((subject) => pure("halt_text", decision, 1n, 0n, subject, room()))),
    ...versions.map((version) => pure("halt_text", 6, 1n, version, "v2", room())),
    ...HEIGHTS.map((height) => pure("halt_text", 4, height, 0n, plan, room())),
    ...HEIGHTS.map((height) => pure("upgrade_info", height, plan, room())),
  ];
}

function estimates() {
  const day = 86_400_000_000_000n;
  const each = [-INT64_MAX - 1n, -1n, 0n, 1n, day, INT64_MAX];
  const wrong = [0, 1, 2, 3, 4].flatMap((at) =>
    each.map((value) => [1n, day, day, 0n, 6_000_000_000n].with(at, value)),
  );
  const more = [
    [100n, 0n, 0n, 0n, 1n],
    [100n, 1n, 0n, 0n, 3n],
    [5n, 14n * day, 2n * day, day, 5_000_000_000n],
  ];
  return [...wrong, ...more].map((args) => pure("cancellable_height", ...args));
}
