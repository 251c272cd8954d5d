/** `handler build` by its function: what it leaves of a refused handler, what it says, what it warns of. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type BuildAnswer, type BuildOptions, buildProject, buildText } from "../../../host/cli/author/build.js";
import { checkFile } from "../../../host/cli/author/file-check.js";
import { inspectHandler } from "../../../host/cli/author/inspection.js";
import { fixtureText } from "../../../host/cli/author/testing/fixture-text.js";
import { testProject } from "../../../host/cli/author/testing/test-project.js";
import { IMPORTS } from "./author.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ROOT = join(import.meta.dirname, "../../..");
const GOOD = 'plan("v3", 1_000_000_000); const bank = store("bank"); migrate("bank", 2, 3);';
const FLOAT = `${GOOD} scan(bank, "", onPair);
function half(n: u64): u64 { return <u64>(<f64>n * 0.5); }
function onPair(key: Bytes, value: Bytes): void { if (half(value.be64At(0)) > 3) bank.delete(key); }`;

describe("buildProject()", () => {
  let project: string;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), "chain-upgrade-build-"));
    mkdirSync(join(project, "assembly"));
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  const built = (source: string, options: Partial<BuildOptions> = {}): Promise<BuildAnswer> => {
    writeFileSync(join(project, "assembly/index.ts"), `${IMPORTS}\n${source}`);
    return buildProject({ project, packageRoot: ROOT, ...options });
  };
  const good = () => join(project, "build/handler.wasm");
  const refused = () => join(project, "build/handler.refused.wasm");

  test("of results of the kit that are dropped → a warning for each, with its line; none for one that is read, or of another class", async () => {
    const { warnings, sha256 } = await built(`${GOOD}
class Jar { tryAdd(other: Amount): bool { return other.isZero; } }
const sum = new Amount(); const other = new Amount(); const jar = new Jar();
scan(bank, "", onPair);
function onPair(key: Bytes, value: Bytes): void {
  other.tryParse(value);
  sum.tryAdd(other); jar.tryAdd(other);
  if (!sum.trySub(other)) sum.mul(2);
  const fits = other.tryMul(3);
  if (fits && sum.tryAdd(other)) bank.delete(key);
  sum.tryMul(2), sum.trySub(other);
}`);
    const unread = warnings.filter((warning) => warning.includes("is not read"));
    const places = unread.map((warning) =>
      warning.replace(/^(assembly\/index\.ts:\d+):\d+: .*?(Amount\.\w+).*$/, "$1 $2"),
    );
    expect(places).toEqual([
      "assembly/index.ts:7 Amount.tryParse",
      "assembly/index.ts:8 Amount.tryAdd",
      "assembly/index.ts:12 Amount.tryMul",
      "assembly/index.ts:12 Amount.trySub",
    ]);
    expect(unread[1]).toContain("or call add(), which ends the run instead");
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test("of a float → refused with the function of the source; the refused file is there to check and inspect, the good one stays", async () => {
    mkdirSync(join(project, "build"));
    writeFileSync(good(), "what was built before");
    const error = await built(FLOAT).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "UPG_HANDLER_OPCODE",
      details: {
        function: expect.stringMatching(/^assembly\/index\/(half|onPair)$/),
        // Of the function half: the line of the source that has the float.
        line: expect.stringMatching(/^assembly\/index\.ts:3:\d+$/),
      },
    });
    const { message, details } = error as { message: string; details: Record<string, string> };
    expect(message).toContain(`in function ${details["function"]} (${details["line"]}): `);
    expect(message).toMatch(
      /\(and \d+ more\); it was written to .*handler\.refused\.wasm, with the names of its functions/,
    );
    expect(message).toContain(`handler check ${details["file"]}`);
    expect(checkFile(refused()).findings).toContainEqual(
      expect.objectContaining({ code: "UPG_HANDLER_OPCODE", function: details["function"] }),
    );
    expect(inspectHandler(readFileSync(refused())).functions.map(({ name }) => name)).toContain(details["function"]);
    expect(readFileSync(good(), "utf8")).toBe("what was built before");
  });

  test("of console.log → refused with the advice to use log() of the kit, and the manifest is in the refused file", async () => {
    const source = `${GOOD} scan(bank, "", onPair); function onPair(key: Bytes, value: Bytes): void { console.log("x"); }`;
    await expect(built(source)).rejects.toMatchObject({
      code: "UPG_HANDLER_IMPORT",
      message: expect.stringMatching(
        /"env\.console\.log" is not offered; a handler has no console: use log\(\) of the kit; it was/,
      ),
    });
    expect(checkFile(refused())).toMatchObject({ name: "v3", findings: [{ code: "UPG_HANDLER_IMPORT" }] });
  });

  test("of a clock → the import comes first, with its function and line; the check says so too, and nothing of a manifest", async () => {
    const source = `${GOOD} scan(bank, "", onPair);\nfunction onPair(key: Bytes, value: Bytes): void { if (Date.now() > 7) bank.delete(key); }`;
    await expect(built(source)).rejects.toMatchObject({
      code: "UPG_HANDLER_IMPORT",
      message: expect.stringMatching(
        /^in function assembly\/index\/onPair \(assembly\/index\.ts:3:\d+\): import "env\.Date\.now" is not offered; /,
      ),
      details: { function: "assembly/index/onPair", line: expect.stringMatching(/^assembly\/index\.ts:3:/) },
    });
    const { findings } = checkFile(refused());
    expect(findings[0]).toMatchObject({ code: "UPG_HANDLER_IMPORT", function: "assembly/index/onPair" });
    expect(findings.at(-1)).toMatchObject({ code: "UPG_HANDLER_OPCODE", function: null });
    expect(findings.map(({ code }) => code)).not.toContain("UPG_HANDLER_MANIFEST");
  });

  test("of a good handler → its metered module is in, by the lock too; with metered false → not, and the lock builds it again so", async () => {
    const whole = await built(GOOD);
    expect(checkFile(good())).toMatchObject({ ok: true, metered: whole.metered });
    expect(whole.metered).toBeGreaterThan(1_000);
    expect(buildText(whole)).toContain(`metered ${whole.metered} bytes of these`);
    expect(await built(GOOD, { locked: true })).toMatchObject({ sha256: whole.sha256 });
    const plain = { code: "UPG_HANDLER_HASH", message: expect.stringContaining("metered module was in, is out") };
    await expect(built(GOOD, { locked: true, metered: false })).rejects.toMatchObject(plain);
    const without = await built(GOOD, { metered: false });
    expect(without).toMatchObject({ metered: null });
    expect(buildText(without)).toContain("metered no: hosts make it themselves with check.wasm");
    expect(checkFile(good())).toMatchObject({ ok: true, metered: null });
    expect(await built(GOOD, { locked: true })).toMatchObject({ sha256: without.sha256 });
  });

  test("to another file → its own lock beside it, which --locked takes; the project's lock and its own file stay as they were", async () => {
    const whole = await built(GOOD);
    const lock = () => readFileSync(join(project, "handler.lock.json"), "utf8");
    const before = lock();
    const out = join(project, "build/plain.wasm");
    const plain = await built(GOOD, { out, metered: false });
    expect(plain.lock).toMatch(/build\/plain\.lock\.json$/);
    expect(lock()).toBe(before);
    expect(await built(GOOD, { locked: true })).toMatchObject({ sha256: whole.sha256, lock: "handler.lock.json" });
    expect(await built(GOOD, { locked: true, out })).toMatchObject({ sha256: plain.sha256, lock: plain.lock });
    const elsewhere = join(project, "elsewhere.wasm");
    expect(await built(GOOD, { locked: true, out: elsewhere })).toMatchObject({ sha256: whole.sha256 });
    expect(existsSync(join(project, "elsewhere.lock.json"))).toBe(false);
    expect(lock()).toBe(before);
  });

  test("of a handler that fails in a scene → the error in words in place of its gas; without scenes → handler test says so", async () => {
    const answer = await built(`${GOOD} invariant("never", isNever); function isNever(): bool { return false; }`);
    expect(answer.gas).toEqual({ empty: "UPG_MIGRATION_INVARIANT" });
    expect(buildText(answer)).toMatch(/\ngas {5}none in empty, where it fails: UPG_MIGRATION_INVARIANT: .*never/);
    const results: string[] = [];
    testProject({ project, file: good() }, (result) => results.push(fixtureText(result)));
    expect(results).toEqual([expect.stringContaining("  warning  no scene was tried, only one with nothing in it: ")]);
  });

  test("with a scene that cannot be read, and of a handler that raises no version → built, with a warning for each", async () => {
    mkdirSync(join(project, "fixtures"));
    writeFileSync(join(project, "fixtures/broken.json"), "{");
    mkdirSync(join(project, "build"));
    writeFileSync(refused(), "what was refused before");
    const answer = await built('plan("v3", 1_000_000_000); const bank = store("bank");');
    expect(existsSync(refused())).toBe(false);
    expect(answer).toMatchObject({ name: "v3", warnings: [expect.any(String), expect.any(String)] });
    const text = buildText(answer);
    expect(text).toContain('warning no module\'s version rises, and "bank" can be written to');
    expect(text).toMatch(/warning no gas of the scenes: .*broken\.json: not JSON/);
  });
});
