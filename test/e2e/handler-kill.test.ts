/** `chaind handler build`, `pack` and `meter` that are killed while they write: the old file or the new one, whole, and nothing beside it. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { everyNth } from "../sample.js";
import { at, handler, handlerKilledAt, SPLIT_BALANCES } from "./handler-line.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ROOT = join(import.meta.dirname, "../..");
const OLD = "what was there before";
/** Of a file: its temporary one is open, half written, written, synced, in the file's place. */
const MOMENTS = ["opened", "half", "written", "synced", "renamed"] as const;

const left = (folder: string) => readdirSync(at(folder)).filter((name) => name.endsWith(".tmp"));

describe("chaind handler, killed while it writes", () => {
  let metered: string;
  let manifest: string;
  beforeAll(async () => {
    metered = at("metered.wasm");
    expect((await handler("meter", SPLIT_BALANCES, "--out", metered)).exit).toBe(0);
    manifest = at("manifest.json");
    writeFileSync(manifest, readManifest());
  });

  test.each(everyNth(2, MOMENTS))(
    "meter, %s → the old file or the new one; the next run leaves nothing else",
    async (moment) => {
      mkdirSync(at(moment));
      const out = at(`${moment}/m.wasm`);
      writeFileSync(out, OLD);
      const args = ["meter", SPLIT_BALANCES, "--out", out];
      expect(handlerKilledAt(`${moment} m.wasm`, ...args).signal).toBe("SIGKILL");
      const isNew = moment === "renamed";
      expect(readFileSync(out).equals(isNew ? readFileSync(metered) : Buffer.from(OLD))).toBe(true);
      expect(left(moment)).toHaveLength(isNew ? 0 : 1);
      if (moment !== "half" && moment !== "synced") return;
      expect((await handler(...args)).exit).toBe(0);
      expect([left(moment), readFileSync(out).equals(readFileSync(metered))]).toEqual([[], true]);
    },
  );

  test("pack, half written → the old file; the next run leaves the new one, and nothing else", async () => {
    mkdirSync(at("pack"));
    const out = at("pack/p.wasm");
    writeFileSync(out, OLD);
    const args = ["pack", SPLIT_BALANCES, "--manifest", manifest, "--out", out];
    expect(handlerKilledAt("half p.wasm", ...args).signal).toBe("SIGKILL");
    expect(readFileSync(out, "utf8")).toBe(OLD);
    expect((await handler(...args)).exit).toBe(0);
    expect((await handler("check", out)).exit).toBe(0);
    expect(left("pack")).toEqual([]);
  });

  test("build, half through the last of its files → the handler is new and whole; the next build leaves nothing else", async () => {
    const project = at("killed");
    cpSync(join(ROOT, "examples/prefix-delete"), project, { recursive: true });
    mkdirSync(join(project, "node_modules"));
    symlinkSync(ROOT, join(project, "node_modules/chain-upgrade"));
    mkdirSync(join(project, "build"), { recursive: true });
    const wasm = join(project, "build/handler.wasm");
    writeFileSync(wasm, OLD);
    const args = ["build", "--project", "killed"];
    expect(handlerKilledAt("half handler.map.json", ...args).signal).toBe("SIGKILL");
    expect((await handler("check", wasm)).exit).toBe(0);
    expect(left("killed/build")).toHaveLength(1);
    expect((await handler(...args)).exit).toBe(0);
    expect([left("killed"), left("killed/build")]).toEqual([[], []]);
  });
});

function readManifest(): string {
  const section = WebAssembly.Module.customSections(
    new WebAssembly.Module(readFileSync(SPLIT_BALANCES)),
    "chain-upgrade.manifest",
  )[0];
  return Buffer.from(section ?? new ArrayBuffer(0)).toString();
}
