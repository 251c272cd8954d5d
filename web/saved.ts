/** The page as one file with its evidence, and what such a file holds. */
import type { Evidence } from "chain-upgrade/verify";
import { members, text } from "./json.js";

/** What a run here needed; only in a file that was saved after one. */
export interface SavedRun {
  /** Base64. */
  readonly witness: string;
  readonly handler: string;
  readonly program: string;
  /** Of the two headers that it is checked against. */
  readonly evidence: unknown;
}

export interface Saved {
  /** Judged by the worker like everything else that was made elsewhere. */
  readonly evidence: unknown;
  readonly run: SavedRun | undefined;
}

/** The page as it came, before anything was drawn; taken when the script begins. */
const PRISTINE = document.documentElement.cloneNode(true) as HTMLElement;
/** In the policy of the page; a saved one asks nobody. */
const CONNECT = /connect-src [^;]*/;

/** Undefined: the page was not saved with evidence. */
export function readSaved(): Saved | undefined {
  const { evidence, run } = members(JSON.parse(document.getElementById("saved")?.textContent ?? "null"));
  if (evidence === undefined) return undefined;
  const { witness, handler, program, evidence: ofRun } = members(run);
  const [one, two, three] = [text(witness), text(handler), text(program)];
  const isRun = one !== undefined && two !== undefined && three !== undefined;
  return { evidence, run: isRun ? { witness: one, handler: two, program: three, evidence: ofRun } : undefined };
}

export function savedPage(evidence: Evidence, run: SavedRun | undefined): string {
  const page = PRISTINE.cloneNode(true) as HTMLElement;
  const [data, policy] = [page.querySelector("#saved"), page.querySelector("meta[http-equiv]")];
  // A `<` could end the element that holds it.
  if (data) data.textContent = JSON.stringify({ evidence, run }).replaceAll("<", "\\u003c");
  policy?.setAttribute("content", policy.getAttribute("content")?.replace(CONNECT, "connect-src 'none'") ?? "");
  return `<!doctype html>\n${page.outerHTML}`;
}

export function download(name: string, html: string): void {
  const url = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
