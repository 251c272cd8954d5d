/**
 * docs/write-a-handler.md, executed with the package as it is installed from its tarball: its files are written, its
 * commands run in order, and what they print is compared.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { installPackage, recordTarball } from "./installed.js";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "docs/write-a-handler.md"), "utf8");

type Step =
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  | { readonly kind: "command"; readonly line: string; readonly output: readonly string[] };

/** Files and commands of the page, in order. */
function steps(): Step[] {
  const found: Step[] = [];
  const blocks = page.matchAll(/(?:<!-- file: (\S+) -->\n)?```(\w+)\n([\s\S]*?)```/g);
  for (const [, path, language, text = ""] of blocks) {
    if (path !== undefined) found.push({ kind: "file", path, text });
    else if (language === "console") {
      for (const part of text.split(/^\$ /m).slice(1)) {
        const [line = "", ...output] = part.trimEnd().split("\n");
        found.push({ kind: "command", line, output });
      }
    }
  }
  return found;
}

/** `…` in a line is any text, a line of it any lines; a line that ends with it may go on. */
function pattern(output: readonly string[]): RegExp {
  const lines = output.map((line) => (line === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(escaped).join(".*?")}\\n`));
  return new RegExp(`^${lines.join("")}$`);
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");

describe("docs/write-a-handler.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-first-minutes-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test(
    "every command prints what the page says",
    () => {
      const bin = join(folder, "bin");
      mkdirSync(bin);
      const installed = installPackage(folder);
      recordTarball(folder);
      writeFileSync(join(bin, "chaind"), `#!/bin/sh\nexec node "${join(installed, "dist/chaind.js")}" "$@"\n`, {
        mode: 0o755,
      });
      // What `npm ci` of the checkout has fetched is not asked for again.
      const npm = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
      const path = `${bin}:${process.env["PATH"]}`;
      const env = { ...process.env, ...npm, CHAIN_UPGRADE: installed, PATH: path, NO_COLOR: "1" };
      let cwd = folder;
      let commands = 0;
      for (const step of steps()) {
        if (step.kind === "file") {
          mkdirSync(dirname(join(cwd, step.path)), { recursive: true });
          writeFileSync(join(cwd, step.path), step.text);
          continue;
        }
        const place = join(folder, "cwd");
        const script = `${step.line}\nstatus=$?\npwd > "${place}"\nexit $status`;
        const { stdout, stderr, status } = spawnSync("bash", ["-c", script], { cwd, env, encoding: "utf8" });
        cwd = readFileSync(place, "utf8").trim();
        const printed = status === 0 ? stdout : `${stdout}[exit ${status}]\n`;
        expect(printed, `$ ${step.line}\n${stderr}`).toMatch(pattern(step.output));
        commands++;
      }
      expect(commands).toBeGreaterThanOrEqual(10);
    },
    5 * 60_000,
  );
});
