/** An inspection for people: what the handler may do first, what its file is made of after it; a screen of lines unless all is asked for. */
import { consequenceLines } from "./consequences/consequences.js";
import { findingLine } from "./file-check.js";
import type { InspectedFile, InspectedFunction } from "./inspection.js";
import { meteredText } from "./metered-file.js";

/** With the first two and the last line it is a screen. */
const LINES_MAX = 37;
const LARGEST = 5;
const LIST_MAX = 6;

export function inspectionText(inspected: InspectedFile, all: boolean): string {
  const { file, sha256, size, ok } = inspected;
  const head = [`${file}  ${size} bytes, ${ok ? "nodes take it" : "refused"}`, `sha256  ${sha256}`];
  const lines = [...manifestLines(inspected), ...inspected.findings.map(findingLine), ...partLines(inspected, all)];
  if (all || lines.length <= LINES_MAX) return [...head, ...lines].join("\n");
  return [...head, ...lines.slice(0, LINES_MAX), `  … ${lines.length - LINES_MAX} more lines: --all`].join("\n");
}

function manifestLines({ manifest, does }: InspectedFile): string[] {
  if (manifest === null) return ["manifest  none that can be read"];
  const { name, gasLimit, scans } = manifest as { name?: unknown; gasLimit?: unknown; scans?: unknown };
  const list = Array.isArray(scans) ? (scans as { store?: unknown; prefix?: unknown }[]) : [];
  const shown = list.map(({ store, prefix = "" }) => `${store} ${prefix}…`);
  return [
    `manifest  plan ${JSON.stringify(name)}, at most ${gasLimit} gas`,
    ...(does ? consequenceLines(does) : []),
    `  scans            ${shown.length === 0 ? "none" : shown.join(", ")}`,
  ];
}

function partLines({ imports, exports, sections, functions, memory, metered }: InspectedFile, all: boolean): string[] {
  const code = functions.reduce((sum, { bytes }) => sum + bytes, 0);
  const pages = memory ? `${memory.pages} to ${memory.pages_max ?? "any number of"} pages` : "none";
  return [
    `memory    ${pages}`,
    `metered   ${meteredText(metered?.bytes ?? null)}`,
    ...listed(
      "imports",
      imports.map(({ name, type }) => `${name} ${type}`),
      all,
    ),
    ...listed(
      "exports",
      exports.map(({ name, kind, type }) => `${name} ${type ?? kind}`),
      all,
    ),
    `sections  ${sections.map(({ name, bytes }) => `${name} ${bytes}`).join(", ") || "none"}`,
    `functions ${functions.length}, of ${code} bytes${all || functions.length <= LARGEST ? "" : "; the largest:"}`,
    ...(all ? functions : largest(functions)).map(functionLine),
  ];
}

function listed(title: string, entries: readonly string[], all: boolean): string[] {
  const shown = all ? entries : entries.slice(0, LIST_MAX);
  const rest = entries.length - shown.length;
  return [
    `${title.padEnd(9)} ${entries.length === 0 ? "none" : ""}`.trimEnd(),
    ...shown.map((entry) => `  ${entry}`),
    ...(rest > 0 ? [`  … ${rest} more: --all`] : []),
  ];
}

const largest = (functions: readonly InspectedFunction[]) =>
  [...functions].sort((a, b) => b.bytes - a.bytes || a.index - b.index).slice(0, LARGEST);

const functionLine = ({ name, type, offset, bytes }: InspectedFunction) =>
  `  ${name} ${type}  ${bytes} bytes at ${offset}`;
