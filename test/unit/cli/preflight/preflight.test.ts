/** `upgrade preflight`: each row when all is there and when it is not; the verdict; no plan. Homes are real ones. */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, relative } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readsConfig } from "../../../../host/base/terminal/settings.js";
import { preflight } from "../../../../host/cli/preflight/preflight.js";
import { isReady, type Row, tableText } from "../../../../host/cli/preflight/row.js";
import { keepUnrecordedVote, unrecordedVoteText } from "../../../../host/node/home/unrecorded-vote.js";
import { TestHome } from "../../../e2e/chaind.js";
import { exampleChain } from "../../../example-chain.js";
import { contextOf } from "../../../example-context.js";
import { build, guest } from "../../../guest/build.js";
import { runIn } from "../run-here.js";
import { HANDLERS, PLATFORM, rowsOf, scheduled, stage, stateOf, TAKES_OVER } from "./homes.js";

afterEach(() => vi.unstubAllEnvs());

describe("preflight()", () => {
  test("the handler is here → ready: plan with time left, handler with its layouts, stores in words; warnings for what nobody did", async () => {
    const path = scheduled();
    const rows = await rowsOf(path);
    expect(stateOf(rows)).toMatchObject({
      ...{ plan: "ok", binary: "ok", start: "ok", handler: "ok", stores: "ok", memory: "ok" },
      ...{ rehearsal: "warning", sidecar: "warning" },
    });
    expect(rows.get("plan")?.words).toMatch(/^"v2" at height 9, 4 blocks after 5: in 20 s ±/);
    expect(rows.get("handler")?.words).toMatch(/^sha256 [0-9a-f]{64}; its layouts are those of the state$/);
    expect(rows.get("stores")?.words).toBe("adds bank, 4 stay");
    expect(rows.get("rehearsal")?.next).toBe(`chaind upgrade rehearse --home ${path}`);
    expect(isReady([...rows.values()])).toBe(true);
    expect(tableText([...rows.values()])).toMatch(/\nready for the upgrade \(\d warnings\)$/);
  });

  test("no handler → missing with the command that stages one; staged → ready", async () => {
    const path = scheduled();
    const none = join(path, "none");
    const rows = await rowsOf(path, { handlers: none });
    expect(rows.get("handler")).toMatchObject({
      state: "missing",
      words: 'this binary has no handler for the plan "v2"',
    });
    expect(rows.get("handler")?.next).toContain("handlers/staged/");
    mkdirSync(join(path, "handlers", "staged"), { recursive: true });
    writeFileSync(join(path, "handlers", "staged", "v2.wasm"), build(guest(), { name: "v9" }));
    const other = await rowsOf(path, { handlers: none });
    expect(other.get("handler")?.words).toMatch(
      /; the staged file .*v2\.wasm is for the plan "v9" \(sha256 [0-9a-f]{64}\)$/,
    );
    rmSync(join(path, "handlers"), { recursive: true });
    expect(isReady([...rows.values()])).toBe(false);
  });

  test("no handler here, but a program for the plan in Cosmovisor's folders → that one takes over", async () => {
    const path = scheduled();
    const file = stage(path);
    const first = join(path, "cosmovisor/genesis/bin");
    mkdirSync(first, { recursive: true });
    writeFileSync(join(first, "chaind"), "#!/bin/sh\n# the release before\n", { mode: 0o755 });
    const rows = await rowsOf(path, { handlers: join(path, "none") });
    expect(rows.get("program")).toMatchObject({ state: "ok", next: `${file} upgrade preflight --home ${path}` });
    expect(rows.get("handler")).toMatchObject({
      state: "warning",
      words: expect.stringContaining(`${file} takes over`),
    });
    expect(isReady([...rows.values()])).toBe(true);
  });

  test.each([
    [
      "another chain's program",
      `#!${process.execPath}\nconsole.error("Usage: simd"); process.exit(1);\n`,
      "Usage: simd",
    ],
    ["a web page", "<!DOCTYPE html>\n", "is a web page"],
    [
      "a program that has no handler for the plan",
      `#!${process.execPath}\nconsole.log("this binary can go on until then, not beyond: no handler");\n`,
      "not beyond",
    ],
    ["a script that does nothing", "#!/bin/sh\n", "cannot be asked"],
  ])("%s is staged under the plan's name → not ready, with the reason", async (_, text, words) => {
    const path = scheduled();
    stage(path, text);
    const rows = await rowsOf(path, { handlers: join(path, "none") });
    expect(rows.get("sidecar")).toMatchObject({ state: "missing", words: expect.stringContaining(words) });
    expect(isReady([...rows.values()])).toBe(false);
  });

  test("a sidecar that ended by itself, a record of a halt that is no upgrade's → not ready, with the reason", async () => {
    const path = scheduled();
    stage(path);
    writeFileSync(
      join(path, "cosmovisor", "failure.json"),
      JSON.stringify({ v: 1, time: "2026-01-01T00:00:00Z", exit: 1, message: "it crashed", next: ["do this"] }),
    );
    const rows = await rowsOf(path, { handlers: join(path, "none") });
    expect(rows.get("sidecar")).toMatchObject({ state: "missing", words: expect.stringContaining("it crashed") });
  });

  test("the node found a vote of its key that the record of signatures lacks → a warning; none → no row", async () => {
    const path = scheduled();
    expect((await rowsOf(path, { handlers: join(path, "none") })).get("validator key")).toBeUndefined();
    const vote = { height: 9n, recorded: 2n, validatorKey: "key.json", lastSigned: "state.json" };
    keepUnrecordedVote(join(path, "data"), vote);
    const row = (await rowsOf(path, { handlers: join(path, "none") })).get("validator key");
    expect(row).toMatchObject({ state: "warning", words: expect.stringContaining(unrecordedVoteText(vote)) });
  });

  test.each<[string, object, string]>([
    ["forgets to add the store of the new version", { storeUpgrades: {} }, "stores"],
    [
      "reads another layout",
      { storeUpgrades: { added: ["bank"] }, versions: { bank: { from: [7], to: 8 } } },
      "handler",
    ],
  ])("a handler that %s → missing", async (_, fields, check) => {
    const path = scheduled();
    const handlers = join(path, "of-the-program");
    mkdirSync(handlers);
    writeFileSync(join(handlers, "v2.wasm"), build(guest(), { name: "v2", ...fields }));
    const rows = await rowsOf(path, { handlers });
    expect(rows.get(check as Row["check"])?.state).toBe("missing");
    expect(rows.get("start")?.state).toBe("missing");
  });

  const pinning = (digest: string) =>
    JSON.stringify({ binaries: { [PLATFORM]: `https://example.com/chaind?checksum=sha256:${digest}` } });
  const digest = createHash("sha256").update("#!/bin/sh\n").digest("hex");

  test("a relative --home → commands with absolute paths; a staged handler that the plan does not pin → warning", async () => {
    const path = scheduled();
    mkdirSync(join(path, "cosmovisor"));
    const absent = await rowsOf(relative(process.cwd(), path), { handlers: join(path, "none") });
    expect(absent.get("program")?.next).toContain(`chainvisor --home ${path} --name`);
    mkdirSync(join(path, "handlers", "staged"), { recursive: true });
    writeFileSync(join(path, "handlers", "staged", "v2.wasm"), readFileSync(join(HANDLERS, "split-balances.wasm")));
    rmSync(join(path, "cosmovisor"), { recursive: true });
    const staged = await rowsOf(path, { handlers: join(path, "none") });
    expect(staged.get("handler")).toMatchObject({
      state: "warning",
      words: expect.stringContaining("the plan pins no handler, so any file is accepted"),
    });
    expect(isReady([...staged.values()])).toBe(true);
  });

  test("the staged program has the checksum that the plan pins → ok; another one → missing; none → warning", async () => {
    const path = scheduled(pinning(digest));
    expect((await rowsOf(path)).get("checksum")).toMatchObject({ state: "warning" });
    stage(path, "#!/bin/sh\n");
    expect((await rowsOf(path)).get("checksum")).toMatchObject({ state: "ok" });
    stage(path, "#!/bin/sh\nexit 1\n");
    expect((await rowsOf(path)).get("checksum")).toMatchObject({
      state: "missing",
      words: expect.stringContaining(digest),
    });
  });

  test("the plan pins an archive → nobody knows whether the staged program was in it", async () => {
    const url = `https://example.com/v2.tar.gz?checksum=sha256:${digest}`;
    const path = scheduled(JSON.stringify({ binaries: { [PLATFORM]: url } }));
    stage(path);
    expect((await rowsOf(path)).get("checksum")).toMatchObject({
      state: "warning",
      words:
        "the plan pins the archive https://example.com/v2.tar.gz, from which the program should have been taken: not compared",
    });
  });

  test("folders without the plan's program, a handler that the plan pins → not staged: one thing is missing; staged → ready", async () => {
    const wasm = readFileSync(join(HANDLERS, "split-balances.wasm"));
    const path = scheduled(JSON.stringify({ handler: { sha256: createHash("sha256").update(wasm).digest("hex") } }));
    stage(path, `${TAKES_OVER}// The one that runs.\n`, "genesis");
    const handlers = join(path, "none");
    const without = await rowsOf(path, { handlers });
    expect(stateOf(without)).toMatchObject({ program: "warning", handler: "missing" });
    expect(without.get("handler")?.next).toContain("handlers/staged");
    mkdirSync(join(path, "handlers", "staged"), { recursive: true });
    writeFileSync(join(path, "handlers", "staged", "any.wasm"), wasm);
    const rows = await rowsOf(path, { handlers });
    expect(stateOf(rows)).toMatchObject({ program: "ok", handler: "ok" });
    expect(rows.get("program")?.words).toContain("none is needed");
    expect(isReady([...rows.values()])).toBe(true);
  });

  test("folders without the plan's program: this binary is the current one, with the handler → ready; neither → one thing is missing", async () => {
    const path = scheduled();
    const bin = join(path, "cosmovisor", "genesis", "bin");
    mkdirSync(bin, { recursive: true });
    symlinkSync("genesis", join(path, "cosmovisor", "current"));
    const none = await rowsOf(path, { handlers: join(path, "none") });
    expect(stateOf(none)).toMatchObject({ program: "missing", handler: "warning" });
    expect(none.get("program")?.next).toBe(`chainvisor --home ${path} --name chaind add-upgrade v2 PROGRAM`);
    symlinkSync(process.argv[1] ?? process.execPath, join(bin, "chaind"));
    expect(stateOf(await rowsOf(path))).toMatchObject({ program: "ok", handler: "ok" });
  });

  test("a folder of Cosmovisor's without the plan's program → missing; the plan pins nothing for this platform → warning", async () => {
    const path = scheduled();
    mkdirSync(join(path, "cosmovisor", "genesis", "bin"), { recursive: true });
    const rows = await rowsOf(path);
    expect(stateOf(rows)).toMatchObject({ program: "missing", checksum: "warning" });
  });

  test("a sidecar at its socket → what it lacks; nothing lacking → ok", async () => {
    const path = scheduled();
    stage(path);
    stage(path, `${TAKES_OVER}// The one that runs.\n`, "genesis");
    vi.stubEnv("DAEMON_SHUTDOWN_GRACE", "10s");
    const ready = { what: "program", state: "ready", detail: "there", next: null };
    const plan = { name: "v2", height: "9", info: "", origin: "chain" };
    let readiness: object[] = [ready];
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ v: 1, phase: "ready", message: "", readiness, plan, height: null })),
    );
    await new Promise<void>((resolve) => server.listen(join(path, "cosmovisor", "chainvisor.sock"), resolve));
    try {
      expect((await rowsOf(path)).get("sidecar")).toMatchObject({ state: "ok" });
      const wrong = { what: "handler", state: "wrong", detail: "another one", next: "cp b c" };
      readiness = [{ what: "backup", state: "missing", detail: "no room", next: "df -h" }, wrong];
      const found = (await preflight(exampleChain, path, { handlers: HANDLERS })).rows.filter(
        ({ check }) => check === "sidecar",
      );
      expect(found).toEqual([
        { check: "sidecar", state: "missing", words: "backup: no room", next: "df -h" },
        { check: "sidecar", state: "missing", words: "handler: another one", next: "cp b c" },
      ]);
      readiness = [ready, { what: "backup", state: "missing", detail: "no room", next: "df -h" }];
      expect((await rowsOf(path)).get("sidecar")).toMatchObject({
        state: "missing",
        words: "backup: no room",
        next: "df -h",
      });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("no plan, another plan than --plan names → UPG_NOT_FOUND_PLAN; no chain → UPG_INVALID_CONFIG", async () => {
    const path = scheduled();
    await expect(preflight(exampleChain, path, { plan: "v3" })).rejects.toMatchObject({ code: "UPG_NOT_FOUND_PLAN" });
    await expect(preflight(exampleChain, join(path, "none"), {})).rejects.toMatchObject({ code: "UPG_INVALID_CONFIG" });
    await expect(preflight(exampleChain, new TestHome().path, {})).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
    });
  });
});

describe("the row `start` before the height", () => {
  test("no handler in this binary → ok, with the blocks that it can make", async () => {
    const path = scheduled();
    const { state, words } = (await rowsOf(path, { handlers: join(path, "none") })).get("start") ?? {};
    expect(state).toBe("ok");
    expect(words).toMatch(/^the plan's height is not reached yet: this binary can start and make blocks up to 8, and /);
    expect(words).not.toContain("not beyond");
  });
});

describe("chaind upgrade preflight", () => {
  test("-o json → plan, verdict, every check; something missing → exit status 30", async () => {
    const path = scheduled();
    const args = ["upgrade", "preflight", "--home", path, "--handlers"];
    const contexts = [contextOf(exampleChain), contextOf(exampleChain)] as const;
    expect(await runIn(contexts[0], ...args, HANDLERS)).toMatchObject({
      plan: { name: "v2", height: "9" },
      is_ready: true,
    });
    expect(contexts[0].exitStatus).toBe(0);
    expect(await runIn(contexts[1], ...args, join(path, "none"))).toMatchObject({ is_ready: false });
    expect(contexts[1].exitStatus).toBe(30);
    // A folder of handlers that app.toml names is the one that `start` looks in.
    expect([readsConfig("upgrade", "preflight"), readsConfig("upgrade", "witness")]).toEqual(["app", "client"]);
  });
});
