/** The page as one file with its evidence, what such a file holds, and files that a reader opens in the page. */
import type { Evidence } from "chain-upgrade/verify";
import { evidenceText, SAVED_PAGE_BYTES_MAX, type SavedPart, savedPart } from "../host/verify/json.js";
import { element } from "./elements.js";
import { members, text } from "./json.js";
import { size } from "./number-text.js";
import { inElement, type KeptRun, runParts } from "./saved-run.js";

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
  /** JSON; judged by the worker like everything else that was made elsewhere. */
  readonly evidence: string;
  readonly run: SavedRun | undefined;
}

/** Put in by the build, of the program with its check.wasm; one with another hash is not this page's. */
declare const RUN_PROGRAM: { readonly integrity: string };

/** The page as it came, before anything was drawn; taken when the script begins. */
const PRISTINE = document.documentElement.cloneNode(true) as HTMLElement;
/** In the policy of the page; a saved one asks nobody. */
const CONNECT = /connect-src [^;]*/;

/** Undefined: the page was not saved with evidence. */
export async function readSaved(): Promise<Saved | undefined> {
  const part = (id: SavedPart) => document.getElementById(id)?.textContent ?? "null";
  const evidence = part("saved").trim();
  return evidence === "null" ? undefined : { evidence, run: await runOf(part("saved-run")) };
}

/** Calls back for each file that the reader chooses, or drops on the page. */
export function onOpenedFile(open: (file: File) => void): void {
  const input = element<HTMLInputElement>("open");
  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? [];
    if (file) open(file);
  };
  input.addEventListener("change", () => take(input.files));
  element("close").addEventListener("click", () => location.reload());
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    // The browser would leave the page for the file.
    event.preventDefault();
    take(event.dataTransfer?.files);
  });
}

/** Evidence as JSON or as a saved page. No script of the file runs. @throws Error in words for the reader */
export async function openFile(file: Blob): Promise<Saved> {
  if (file.size > SAVED_PAGE_BYTES_MAX) {
    throw new Error(`The file is larger than ${size(SAVED_PAGE_BYTES_MAX)}.`);
  }
  const whole = await file.text();
  return {
    evidence: evidenceText(whole, (why) => new Error(why)),
    run: await runOf(savedPart(whole, "saved-run") ?? "null"),
  };
}

/** Undefined: the file has no run, or a program that this page's browser would not run. */
async function runOf(json: string): Promise<SavedRun | undefined> {
  const { witness, handler, program, evidence } = members(parsed(json));
  const [one, two, three] = [text(witness), text(handler), text(program)];
  if (one === undefined || two === undefined || three === undefined || !(await isOwnProgram(three))) return undefined;
  return { witness: one, handler: two, program: three, evidence };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A program that a file brings could report any result. */
async function isOwnProgram(program: string): Promise<boolean> {
  const bytes = new TextEncoder().encode(program);
  // Where an origin has no WebCrypto it cannot be compared.
  const hash = await globalThis.crypto?.subtle?.digest("SHA-256", bytes);
  return hash !== undefined && `sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}` === RUN_PROGRAM.integrity;
}

/** In the place of the run. JSON here has no `<`, and the script has no such constant: a bundler would put one together. */
const RUN_MARK = `<${PRISTINE.localName}-run>`;

export function savedPage(evidence: Evidence, run: KeptRun | undefined): Blob {
  const page = PRISTINE.cloneNode(true) as HTMLElement;
  const put = (id: SavedPart, text: string) => {
    const element = page.querySelector(`#${id}`);
    if (element) element.textContent = text;
  };
  put("saved", inElement(evidence));
  put("saved-run", RUN_MARK);
  const policy = page.querySelector("meta[http-equiv]");
  policy?.setAttribute("content", policy.getAttribute("content")?.replace(CONNECT, "connect-src 'none'") ?? "");
  const [before = "", after = ""] = page.outerHTML.split(RUN_MARK);
  return new Blob(["<!doctype html>\n", before, ...runParts(run), after], { type: "text/html" });
}

export function download(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
