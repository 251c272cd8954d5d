/** The alerts and the dashboard: they are read as Prometheus and Grafana read them, and name no metric that a scrape has not. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../host/visor/decide/settings.js";
import { Board } from "../../host/visor/status/board.js";
import { openStatus } from "../../host/visor/status/server.js";
import { useTestNode } from "../unit/serve/api/test-node.js";
import { statusMachine } from "../unit/visor/status-machine.js";
import { ROOT } from "./sources.js";

const docs = (file: string) => readFileSync(join(ROOT, "docs", file), "utf8");

/** Words of PromQL that are no metric; what is in the files besides is one. */
const WORDS = new Set(
  "and or unless on ignoring group_left group_right by without sum max min avg count rate increase changes time absent max_over_time le server node name histogram_quantile instance".split(
    " ",
  ),
);

function metricsOf(expression: string): string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, "")
    .replace(/\{[^}]*\}/g, "")
    .replace(/\[[^\]]*\]/g, "");
  return (bare.match(/[A-Za-z_:][\w:]*/g) ?? []).filter((word) => !WORDS.has(word));
}

interface Rule {
  readonly [key: string]: string;
}

/** The YAML that this file is written in: blocks, texts on a line, folded texts. What is none of it is refused. */
function rulesOf(text: string): Rule[] {
  const rules: Record<string, string>[] = [];
  let folded: string | undefined;
  for (const line of text.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    const [, dash = "", key = "", value = ""] = /^ *(- )?([A-Za-z_]+): ?(.*)$/.exec(line) ?? [];
    const rule = rules.at(-1);
    if (key === "alert" && dash !== "") rules.push({ alert: value });
    else if (rule && folded !== undefined && /^ {10}\S/.test(line))
      rule[folded] = `${rule[folded]} ${line.trim()}`.trim();
    else if (rule && key !== "") {
      expect(rule, line).not.toHaveProperty(key);
      folded = value === ">-" ? key : undefined;
      rule[key] = value === ">-" ? "" : unquoted(value);
    } else expect(line).toMatch(/^(groups:| {2}- name: chain-upgrade| {4}rules:)$/);
  }
  return rules;
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) {
    // A colon or a mark of a comment would end a text without quotation marks.
    expect(value).not.toMatch(/: | #|^[&*!|>%@`]/);
    return value;
  }
  return JSON.parse(value) as string;
}

/** Every expression of a panel, a variable or an annotation. */
function expressionsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(expressionsOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "expr" && typeof member === "string" ? [member] : expressionsOf(member),
  );
}

async function sidecarText(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "chain-upgrade-scrape-"));
  const settings = {
    home,
    root: home,
    backupDir: home,
    statusAddress: "127.0.0.1:0",
    rpcAddress: "http://127.0.0.1:1",
  };
  const board = new Board(statusMachine.clock);
  const options = { settings: settings as Settings, machine: statusMachine, args: [], log: () => undefined };
  const server = await openStatus({ board, ...options });
  const text = await (await fetch(`http://${server.address}/metrics`)).text();
  await server.close();
  rmSync(home, { recursive: true });
  return text;
}

async function scraped(): Promise<ReadonlySet<string>> {
  let text = await sidecarText();
  await useTestNode(async ({ rest }) => {
    text += await (await fetch(`${rest}/metrics`)).text();
  });
  const names = new Set<string>();
  for (const [, name = "", type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const end of type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]) names.add(name + end);
  }
  return names;
}

/** Those of the process, which the document has in one line. */
const STANDARD = /^(?:process|nodejs)_/;

/** Is the metric in the document, by its own name or by that of the histogram that it is a part of? */
function isDescribed(name: string, page: string): boolean {
  const has = (wanted: string) => new RegExp(`\\b${wanted}\\b`).test(page);
  return has(name) || has(name.replace(/_(?:bucket|sum|count)$/, ""));
}

describe("monitoring", () => {
  const rules = rulesOf(docs("prometheus-alerts.yml"));
  const dashboard = JSON.parse(docs("grafana-dashboard.json")) as Record<string, unknown>;

  test("every alert has an expression, a severity, and words for who is woken; the document has it", () => {
    expect(rules.length).toBeGreaterThan(8);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(rule["expr"], rule["alert"]).toBeTruthy();
      expect(rule["severity"]).toMatch(/^(warning|critical)$/);
      expect(rule["for"] ?? "1m").toMatch(/^[0-9]+[smh]$/);
      expect(rule["summary"]).toBeTruthy();
      expect(docs("monitoring.md")).toContain(`\`${rule["alert"]}\``);
    }
  });

  test("a node or a sidecar that has ended → an alert names it, though others are scraped", () => {
    const expr = (alert: string) => rules.find((rule) => rule["alert"] === alert)?.["expr"] ?? "";
    // What has ended has no series: it is known by what it had.
    for (const [alert, metric] of [
      ["SidecarGone", "chain_upgrade_sidecar_build_info"],
      ["NodeGone", "chain_upgrade_build_info"],
    ] as const) {
      const by = "(node, instance)";
      expect(expr(alert)).toBe(`max by ${by} (max_over_time(${metric}[7d])) unless on ${by} ${metric}`);
    }
    expect(expr("NodeMakesNoBlocks")).toContain("max_over_time(chain_upgrade_block_time_seconds[");
    expect(docs("monitoring.md")).toMatch(/`failed` \|.*only with `CHAINVISOR_HOLD=true`/);
    const failed = rules.find((rule) => rule["alert"] === "UpgradeSidecarFailed");
    expect(failed?.["description"]).toContain("CHAINVISOR_HOLD=true");
  });

  test("metrics of the alerts, the dashboard and the document → a node or a sidecar has each; the document has each of theirs", async () => {
    const names = await scraped();
    const variables = JSON.stringify(dashboard["templating"]).match(/label_values\(\w+/g) ?? [];
    const named = [
      ...rules.flatMap(({ expr = "" }) => metricsOf(expr)),
      ...expressionsOf(dashboard).flatMap(metricsOf),
      ...variables.map((each) => each.replace("label_values(", "")),
      ...(docs("monitoring.md").match(/\b(?:chain_upgrade|cometbft)_\w+/g) ?? []).map((name) =>
        name === "chain_upgrade_request_duration_seconds" ? `${name}_sum` : name,
      ),
    ];
    expect(expressionsOf(dashboard).length).toBeGreaterThan(20);
    const gone = [...new Set(named)].filter((name) => !names.has(name));
    expect(
      gone.map((name) => `no scrape has ${name}: remove it from the alerts, the dashboard and the document`),
    ).toEqual([]);
    const described = docs("monitoring.md");
    const missing = [...names].filter((name) => !STANDARD.test(name) && !isDescribed(name, described));
    expect(missing.map((name) => `add a row for ${name} to the tables of docs/monitoring.md`)).toEqual([]);
  });

  test("an alert that a node is not ready names what is missing, in which state, and the command", async () => {
    for (const alert of ["UpgradeNotReady", "UpgradeNotReadySoon"]) {
      const text = rules.find((rule) => rule["alert"] === alert)?.["description"] ?? "";
      const [, query = ""] = /range query \(printf `([^`]*)`/.exec(text) ?? [];
      expect(metricsOf(query)).toEqual(["chain_upgrade_sidecar_readiness"]);
      for (const label of ["what", "state", "next"]) {
        expect(text).toContain(`{{ .Labels.${label} }}`);
        expect(docs("monitoring.md")).toMatch(new RegExp(`chain_upgrade_sidecar_readiness\\{[a-z,]*\\b${label}\\b`));
      }
      expect(text).toMatch(/{{ end }}Details, on the node: chainvisor status$/);
    }
  });

  test("the dashboard → panels with a place each, none over another, ids that are one panel's", () => {
    const panels = dashboard["panels"] as {
      id: number;
      title: string;
      gridPos: { x: number; y: number; w: number; h: number };
    }[];
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });

  test("promtool, where there is one → it takes the rules", () => {
    const { error, status, stderr } = spawnSync(
      "promtool",
      ["check", "rules", join(ROOT, "docs/prometheus-alerts.yml")],
      { encoding: "utf8" },
    );
    expect(error ? "no promtool" : `${status} ${stderr}`).toMatch(/^(no promtool|0 )/);
  });
});
