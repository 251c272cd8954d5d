/** The receipt of an upgrade, what else its block wrote, and the module versions before and after. */
import type { ClaimState } from "chain-upgrade/verify";
import type { Checked, ReceiptView, RunDone, VersionsView } from "../messages.js";
import { count, counted } from "../number-text.js";
import { type Child, h } from "../tree.js";
import { badge, type Standing } from "./claims.js";
import { facts, hash, number, paragraph, table } from "./parts.js";

export function receiptView(receipt: ReceiptView, state: ClaimState, standing: Standing): Child[] {
  const { plan, height, handler, gas, stores, checks } = receipt;
  const columns = [
    { name: "Store" },
    ...["written", "deleted", "bytes"].map((name) => ({ name, isNumber: true })),
    ...["root before", "root after"].map((name) => ({ name })),
  ];
  const rows = stores.map(({ name, written, deleted, bytes, rootBefore, rootAfter }) => [
    name,
    ...[written, deleted, bytes].map(number),
    ...[rootBefore, rootAfter].map((root) => (root === "" ? "–" : hash(root))),
  ]);
  return [
    paragraph(badge(state, standing)),
    facts(
      ["Upgrade", `${plan}, in block ${count(height)}`],
      ["Handler", hash(handler.toUpperCase())],
      ["Gas", count(gas)],
      ["Checks that held", checks.length === 0 ? "none" : checks.join(", ")],
    ),
    table("What the handler wrote, by store", columns, rows),
  ];
}

/** A block may write much besides; the rest is counted. */
const OTHERS_SHOWN = 50;

export function othersView({ others }: RunDone): Child[] {
  if (others.length === 0) return [paragraph("Nothing else wrote to these stores in that block.")];
  const columns = [{ name: "Store" }, { name: "key" }, { name: "bytes", isNumber: true }];
  const rows = others
    .slice(0, OTHERS_SHOWN)
    .map(({ store, key, bytes }) => [store, hash(key), bytes === undefined ? "deleted" : number(bytes)]);
  const rest = others.length - rows.length;
  return [
    table(`Other writes of that block: ${count(others.length)}`, columns, rows),
    rest > 0 ? paragraph(`${counted(rest, "more write")}.`) : undefined,
  ];
}

export interface VersionsFacts {
  readonly after: VersionsView;
  readonly before: VersionsView | undefined;
  readonly standing: Standing;
  /** Was an upgrade applied? Then there was a state before it. */
  readonly isAfter: boolean;
}

/** The complete version map of a checked state. */
export function versionsOf({ claims, height }: Checked): VersionsView | undefined {
  const claim = claims.find(({ id }) => id === "versions");
  return claim?.id === "versions" && claim.value ? { state: claim.state, height, versions: claim.value } : undefined;
}

export function versionsView({ after, before, standing, isAfter }: VersionsFacts): Child[] {
  const names = [...new Set([...(before?.versions.keys() ?? []), ...after.versions.keys()])].sort();
  const of = (view: VersionsView, name: string) => {
    const version = view.versions.get(name);
    return version === undefined ? "–" : number(version);
  };
  const at = (view: VersionsView) => ({ name: `at height ${count(view.height)}`, isNumber: true });
  const columns = [{ name: "Module" }, ...(before ? [at(before)] : []), at(after)];
  const rows = names.map((name) => {
    const change = before && before.versions.get(name) !== after.versions.get(name);
    const now = change ? h("strong", {}, of(after, name)) : of(after, name);
    return [name, ...(before ? [of(before, name)] : []), now];
  });
  const isGone = isAfter && before === undefined;
  const note = isGone
    ? paragraph(
        "The versions before the upgrade cannot be proven here: the source has no such state, or trust begins later.",
      )
    : undefined;
  return [
    paragraph(badge(after.state, standing)),
    table("Versions of all modules, none left out", columns, rows),
    note,
  ];
}
