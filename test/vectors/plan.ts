/**
 * plan.json: the Plan record from fields to bytes and back, what is wrong with it, and its texts.
 *
 * Ours may refuse what the Cosmos SDK takes, never the other way round. Every such refusal must be one that `stricterRule` or
 * `isLooseWire`, written apart from the core, expects; it becomes the case's tag. All that is left is compared: texts
 * do not hang on a plan being valid, and what a lenient decoder took is compared in the form it writes again.
 */
import { parse } from "yaml";
import { type ErrorCode, isUpgradeError, type UpgradeError } from "../../host/base/errors/errors.js";
import { jsonToYaml } from "../../host/base/terminal/yaml.js";
import { EMPTY, toHex } from "../../host/base/text/bytes.js";
import { formatTime, parseTime } from "../../host/base/time/time.js";
import type { Any } from "../../host/base/types/types.js";
import { Core } from "../../host/upgrade/core/core.js";
import { goJsonText } from "../../host/upgrade/plan-info/go-json-text.js";
import { planCliJson, planDueAt, planProtoJson, planText } from "../../host/upgrade/plan-info/plan-text.js";
import { type CaseRunner, expectBytes, expectEqual, expectText, type VectorCase } from "./harness.js";
import { isLooseWire, planBytes, planOf, strictWire, utf8Text, type VectorPlan } from "./plan-input.js";
import { type ExpectedText, hexBytes, isText, textOf } from "./short-forms.js";

const PLAN_TYPE_URL = "/cosmos.upgrade.v1beta1.Plan";
const HEIGHT_TEXT = "height must be greater than 0: invalid request";
const FIELDS: Readonly<Record<string, string>> = {
  encode: "plan marshal validate string due_at proto_json go_json cli_json cli_yaml",
  decode: "bytes codec strict plan validate remarshal",
};

const YAML_1_1 = { version: "1.1", logLevel: "error" } as const;

const core = new Core();

export const runPlan: CaseRunner = (vector) => {
  const kind: string = vector["kind"];
  const known = new Set(["kind", "label", "error", ...(FIELDS[kind] ?? "").split(" ")]);
  for (const [name, value] of Object.entries(vector)) {
    const field = name.replace(/_error$/, "");
    if (!known.has(field)) throw new Error(`${kind} has the field ${name}, which nothing here compares`);
    if (kind === "encode" && value === null && field !== "validate") {
      expectEqual((vector[`${field}_error`] ?? null) !== null, true, `${field} is null without an error`);
    }
  }
  return kind === "encode" ? runEncode(vector) : runDecode(vector);
};

function runEncode(vector: VectorCase): string[] {
  const plan = planOf(vector["plan"]);
  const isInRange = vector["marshal"] !== null;
  compareTime(plan, vector["plan"].time.rfc3339, isInRange);
  expectText(planText(plan), vector["string"], "string");
  expectEqual(planDueAt(plan), vector["due_at"], "due_at");
  compareProtoJson(plan, vector);
  compareCommandLine(plan, vector);
  compareGoJson(plan, vector);
  if (!isInRange) {
    const { time } = plan;
    expectRefusal(() => core.encodePlan({ name: "v2", info: "", height: 1n, time }), "UPG_INVALID_PLAN_BYTES");
    return compareValidity({ ...plan, time: { ...time, seconds: 0n } }, vector["validate"]);
  }
  const bytes = planBytes(plan);
  expectBytes(bytes, vector["marshal"], "marshal");
  compareCodec(bytes, plan);
  const tags = compareValidity(plan, vector["validate"], bytes);
  compareUpgradeInfo(bytes, plan, vector, tags.length === 0 && vector["validate"] === null);
  return tags;
}

function runDecode(vector: VectorCase): string[] {
  const bytes = hexBytes(vector["bytes"]);
  expectEqual(vector["codec_error"] === null, vector["error"] === null, "both of the source's decoders");
  const isLoose = isLooseWire(bytes);
  if (vector["error"] !== null || isLoose) {
    expectRefusal(() => core.decodePlanFields(bytes), "UPG_INVALID_PLAN_BYTES");
    expectRefusal(() => core.validatePlan(bytes), "UPG_INVALID_PLAN_BYTES");
  }
  if (vector["error"] !== null) {
    expectEqual([vector["plan"], vector["validate"], vector["remarshal"]], [null, null, null], "nothing decoded");
    return [];
  }
  // The decoder of transactions knows no type that could be in a client state, which does not concern ours.
  const strict = vector["strict_error"] === null ? null : textOf(vector["strict_error"]);
  if (strict !== null && !strict.startsWith("unable to resolve type URL")) {
    expectEqual(isLoose, true, `accepted by ours although the source's strict decoder says ${strict}`);
  }
  return [...(isLoose ? ["strict-wire"] : []), ...compareDecoded(bytes, isLoose, vector)];
}

function compareDecoded(bytes: Uint8Array, isLoose: boolean, vector: VectorCase): string[] {
  const plan = planOf(vector["plan"]);
  compareTime(plan, vector["plan"].time.rfc3339, true);
  const again = planBytes(plan);
  // The source keeps unknown fields of a client state, and only those.
  if (isLoose && plan.upgradedClientState) {
    expectEqual(toHex(strictWire(hexBytes(vector["remarshal"])) ?? EMPTY), toHex(again), "known fields of remarshal");
  } else expectBytes(again, vector["remarshal"], "remarshal");
  const input = isLoose ? again : bytes;
  compareCodec(input, plan);
  return compareValidity(plan, vector["validate"], input);
}

/** Bytes to fields, and fields to the one form of the bytes. */
function compareCodec(bytes: Uint8Array, plan: VectorPlan): void {
  const { name, info, hasClientState, ...rest } = core.decodePlanFields(bytes);
  const { height, time, upgradedClientState: state } = plan;
  expectEqual(rest, { height, ...time }, "decoded height and time");
  expectEqual([toHex(name), toHex(info)], [toHex(plan.name), toHex(plan.info)], "decoded name and info");
  expectEqual(hasClientState, state !== undefined, "decoded client state");
  const texts = { name: utf8Text(plan.name), info: utf8Text(plan.info) };
  if (texts.name === undefined || texts.info === undefined) {
    expectRefusal(() => core.decodePlan(bytes), "UPG_INVALID_PLAN_BYTES");
    return;
  }
  const decoded = core.decodePlan(bytes);
  expectEqual([decoded.name, decoded.info, decoded.height], [texts.name, texts.info, height], "decoded plan");
  if (state) expectRefusal(() => core.encodePlan(decoded), "UPG_INVALID_PLAN_DEPRECATED");
  else expectEqual(toHex(core.encodePlan(decoded)), toHex(planBytes(plan)), "encoded plan");
}

function compareTime({ time }: VectorPlan, text: string, isInRange: boolean): void {
  if (isInRange) {
    expectEqual(formatTime(time), text, "time as text");
    expectEqual(parseTime(text), time, "time from text");
  } else expectRefusal(() => formatTime(time), "UPG_INVALID_ARGUMENT");
}

/** Returns the tag of the rule by which ours refuses what the source takes. */
function compareValidity(plan: VectorPlan, given: ExpectedText | null, bytes = planBytes(plan)): string[] {
  const expected = given === null ? null : textOf(given);
  const refusal = refusalOf(() => core.validatePlan(bytes));
  // Our rules come before the check of the height, the source's other checks before ours.
  const rule = expected === null || expected === HEIGHT_TEXT ? stricterRule(plan) : undefined;
  const text = rule?.text ?? expected;
  expectEqual(refusal?.message ?? null, text, "validate");
  expectEqual(refusal?.code ?? null, text === null ? null : codeOf(text), "code of the refusal");
  return rule && expected === null ? [rule.tag] : [];
}

function codeOf(text: string): ErrorCode {
  if (text.startsWith("name ")) return "UPG_INVALID_PLAN_NAME";
  if (text.startsWith("info ")) return "UPG_INVALID_PLAN_INFO";
  return text === HEIGHT_TEXT ? "UPG_INVALID_PLAN_HEIGHT" : "UPG_INVALID_PLAN_DEPRECATED";
}

/** The rule for names or infos that ours has and the source has not. */
function stricterRule({ name, info }: VectorPlan): { tag: string; text: string } | undefined {
  const wrongName =
    textRule(name, 140) ?? (/\p{Cc}/u.test(utf8Text(name) ?? "") ? "cannot hold control characters" : undefined);
  if (wrongName !== undefined) return { tag: "name-rule", text: `name ${wrongName}: invalid request` };
  const wrongInfo = textRule(info, 65_536);
  return wrongInfo === undefined ? undefined : { tag: "info-rule", text: `info ${wrongInfo}: invalid request` };
}

function textRule(bytes: Uint8Array, limit: number): string | undefined {
  if (bytes.length > limit) return `expected at most ${limit} bytes, got ${bytes.length}`;
  return utf8Text(bytes) === undefined ? "is not UTF-8" : undefined;
}

/** The form of upgrade-info.json, which the core writes for valid plans; here the escapes of the others too. */
function compareGoJson({ name, height, info, upgradedClientState }: VectorPlan, vector: VectorCase): void {
  const expected = vector["go_json"];
  if (expected === undefined) expectEqual(upgradedClientState !== undefined, true, "go_json is left out");
  else if (expected === null) expectEqual(vector["marshal"], null, "go_json is an error");
  else {
    const members = [
      name.length > 0 && `"name":${goJsonText(name)}`,
      `"time":"${vector["plan"].time.rfc3339}"`,
      height !== 0n && `"height":${height}`,
      info.length > 0 && `"info":${goJsonText(info)}`,
    ];
    expectText(`{${members.filter((member) => member !== false).join(",")}}`, expected, "go_json");
  }
}

function compareUpgradeInfo(bytes: Uint8Array, plan: VectorPlan, vector: VectorCase, isValid: boolean): void {
  const write = () => core.upgradeInfo(plan.height, bytes);
  if (isValid) expectText(new TextDecoder().decode(write()), vector["go_json"], "upgrade-info.json");
  else expectEqual(refusalOf(write)?.message, refusalOf(() => core.validatePlan(bytes))?.message, "upgrade-info.json");
}

function compareProtoJson(plan: VectorPlan, vector: VectorCase): void {
  const expected = vector["proto_json"];
  if (expected === null) {
    const { message } = expectRefusal(() => planProtoJson(plan), "UPG_INVALID_ARGUMENT");
    if (vector["marshal"] !== null) expectEqual(message, vector["proto_json_error"], "proto_json_error");
  } else expectText(planProtoJson(plan), expected, "proto_json");
}

/** `query upgrade plan` with `-o json` and without. */
function compareCommandLine(plan: VectorPlan, vector: VectorCase): void {
  const typeUrl = plan.upgradedClientState?.typeUrl;
  const print = () => `{"plan":${typeUrl === PLAN_TYPE_URL ? planCliJson(plan, aminoPlan) : planCliJson(plan)}}`;
  if (!vector["cli_json"]) {
    const { message } = expectRefusal(print, "UPG_INVALID_ARGUMENT");
    // The source panics on a type without a name; plans that it cannot encode it does not print either.
    const isPrinted = vector["marshal"] !== null;
    if (isPrinted && typeUrl !== "") expectEqual(message, vector["cli_json_error"], "cli_json_error");
    expectEqual(vector["cli_yaml"], undefined, "cli_yaml without cli_json");
    return;
  }
  expectText(print(), vector["cli_json"], "cli_json");
  const json = JSON.parse(print());
  const yaml = jsonToYaml(json);
  expectEqual(parse(yaml, YAML_1_1), json, "YAML, read back");
  compareYaml(yaml, vector);
}

/** Quotes and folds may differ from the source's, values may not. Ours also prints what the source cannot. */
function compareYaml(yaml: string, vector: VectorCase): void {
  const expected: ExpectedText | null = vector["cli_yaml"];
  if (expected === null) {
    expectEqual(vector["cli_yaml_error"], "yaml: control characters are not allowed", "cli_yaml_error");
    expectEqual(/\\u00[0-9a-f]{2}/.test(yaml), true, "cli_yaml escapes control characters");
  } else if (typeof expected === "object" && "len" in expected) {
    expectText(yaml.replaceAll('" "', "' '"), expected, "cli_yaml");
  } else if (!isText(yaml, expected)) {
    // To the source U+0085, U+2028 and U+2029 are line breaks: it folds the first, and indents after the others.
    const source = textOf(expected).replace(/([\u2028\u2029]) +/g, "$1");
    expectEqual(parse(yaml.replaceAll("\\u0085", " "), YAML_1_1), parse(source, YAML_1_1), "cli_yaml");
  }
}

function aminoPlan(any: Any): string {
  return `{"type":"cosmos-sdk/Plan","value":${planCliJson(core.decodePlan(any.value))}}`;
}

function expectRefusal(work: () => unknown, code: ErrorCode): UpgradeError {
  const refusal = refusalOf(work);
  if (!refusal) throw new Error(`ours accepts; expected ${code}`);
  expectEqual(refusal.code, code, "code of the refusal");
  return refusal;
}

function refusalOf(work: () => unknown): UpgradeError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (isUpgradeError(error)) return error;
    throw error;
  }
}
