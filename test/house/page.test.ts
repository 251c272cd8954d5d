/** The page for browsers as the build makes it: its size, its policy, and that it names nobody else. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ROOT, sourcesUnder } from "./sources.js";

/**
 * Compressed with brotli, as they are sent. The page labels what a server reports, which takes 3 kB, and shows how far a run is and
 * cancels it, which takes 1 kB; a run has the guards.
 */
const PAGE_BYTES_MAX = 47_000;
const RUN_BYTES_MAX = 42_000;
const CHECK_BYTES_MAX = 22_528;
const EMBED_BYTES_MAX = 1_000;

const FOLDER = join(ROOT, "dist/web");
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");
const sent = (file: string) => brotliCompressSync(readFileSync(join(FOLDER, file))).length;
const files = readdirSync(FOLDER);
const program = files.find((file) => /^run-[0-9a-f]{16}\.js$/.test(file)) ?? "";
const check = "check.wasm";
const html = read("index.html");
const hashOf = (text: string | Uint8Array) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Texts of the elements of this kind. */
const insides = (opening: string) =>
  html
    .split(opening)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf("</")));

describe("dist/web", () => {
  test("has the page, the program of a run with check.wasm, and the script for other sites", () => {
    expect(files.sort()).toEqual(["embed.js", "files.json", "index.html", program, check].sort());
    expect(readFileSync(join(FOLDER, check)).equals(readFileSync(join(ROOT, "dist/check.wasm")))).toBe(true);
  });

  test("sizes as they are sent", () => {
    expect(sent("index.html")).toBeLessThan(PAGE_BYTES_MAX);
    expect(sent(program)).toBeLessThan(RUN_BYTES_MAX);
    expect(sent(check)).toBeLessThan(CHECK_BYTES_MAX);
    expect(sent("embed.js")).toBeLessThan(EMBED_BYTES_MAX);
  });

  test("docs/page.md and README.md say how large the page and the program are", () => {
    const text = (file: string) => readFileSync(join(ROOT, file), "utf8");
    const [page, run] = [[sent("index.html")], [sent(program), sent(check)]].map((sizes) =>
      Math.round(sizes.reduce((sum, size) => sum + size) / 1_000),
    );
    expect(text("docs/page.md")).toContain(`one file of ${page} KB, compressed`);
    expect(text("docs/page.md")).toContain(`the program that runs them (${run} KB, compressed)`);
    expect(text("README.md")).toContain(`as sent, brotli | ${page} kB; ${run} kB |`);
  });

  test("the policy lets its own script and style run, by their hashes, and nothing else", () => {
    const [, policy = ""] = /Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
    const [script = ""] = insides("<script>");
    const [style = ""] = insides("<style>");
    expect(policy).toContain(`script-src ${hashOf(script)} 'wasm-unsafe-eval';`);
    expect(policy).toContain(`style-src ${hashOf(style)};`);
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/unsafe-(?:inline|eval(?<!wasm-unsafe-eval))/);
    const { headers } =
      (JSON.parse(read("files.json")) as { path: string; headers: Record<string, string> }[])[0] ?? {};
    expect(headers?.["content-security-policy"]).toBe(policy);
  });

  test("the page names the program and its check.wasm by their hashes, and both as it puts them together", () => {
    const hex = readFileSync(join(FOLDER, check), "hex");
    const whole = `globalThis.checkWasm="${hex}";\n${read(program)}`;
    for (const text of [read(program), readFileSync(join(FOLDER, check)), whole])
      expect(html).toContain(hashOf(text).slice(1, -1));
  });

  test("no address of another site, no code that a server's text could become", () => {
    const texts = sourcesUnder("web").map(
      ({ path, text }) => [path, text.replace(/^ *(?:\/\/|\/?\*).*$/gm, "")] as const,
    );
    const found = texts.filter(([, text]) =>
      /innerHTML|outerHTML =|insertAdjacent|document\.write|eval\(|new Function/.test(text),
    );
    expect(found.map(([path]) => path)).toEqual([]);
    expect(html.match(/https?:\/\/[a-z0-9.-]+\.[a-z]+/g) ?? []).toEqual([]);
  });
});
