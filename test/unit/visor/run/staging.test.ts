/** What is made ready of a plan as soon as it is known, and what the board says of it. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Settings } from "../../../../host/visor/decide/settings.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { Staging } from "../../../../host/visor/stage/staging.js";
import { HttpServer, sendFile } from "../download/http-server.js";
import { DAEMON, ScriptsHome } from "../scripts-home.js";

const PROGRAM = "#!/bin/sh\nexit 0\n";
const HANDLER = Buffer.from("\0asm\u0001\0\0\0 a handler");
const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server.close());

function stagingOf(home: ScriptsHome, changes: Partial<Settings> = {}) {
  home.board.update({ phase: "running" });
  home.program("genesis", "exit 1");
  return new Staging({
    settings: home.settings({ isDownloadAllowed: true, ...changes }),
    machine: realMachine,
    board: home.board,
    env: {},
    log: (level, message) => void home.lines.push(`${level} ${message}`),
  });
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await realMachine.clock.sleep(5);
};
const planOf = (info: object, name = "V2") => ({ name, height: 49n, info: JSON.stringify(info) });
const binaries = () => ({ any: `${server.file("/v2", PROGRAM)}?checksum=${sha256(PROGRAM)}` });

describe("Staging", () => {
  test("a plan with a program and a handler → downloading, then ready, both in their places", async () => {
    const home = new ScriptsHome();
    const staging = stagingOf(home);
    const phases = new Set<string>(["running"]);
    home.board.onChange(({ phase }) => phases.add(phase));
    const handler = { url: server.file("/v2.wasm", HANDLER), sha256: sha256(HANDLER) };
    staging.plan(planOf({ binaries: binaries(), handler }));
    await until(() => home.board.current.phase === "ready");
    expect([...phases]).toEqual(["running", "downloading", "ready"]);
    expect(staging.readiness().map(({ what, state }) => `${what} ${state}`)).toEqual([
      "program ready",
      "checksum ready",
      "handler ready",
    ]);
    expect(home.board.current.readiness).toEqual(staging.readiness());
    expect(home.read(`cosmovisor/upgrades/v2/bin/${DAEMON}`)).toBe(PROGRAM);
    expect(readFileSync(home.file("handlers/staged/v2.wasm"))).toEqual(HANDLER);
    expect(home.board.totals.downloadBytes).toBe(PROGRAM.length);
    staging.plan(undefined);
    await until(() => home.board.current.phase === "running");
    expect(home.board.current.readiness).toEqual([]);
    await staging.close();
  });

  test("a row of the sidecar itself → once on the board, however often it is shown, and none without a plan", async () => {
    const home = new ScriptsHome();
    home.program("upgrades/v2", "exit 0");
    const staging = stagingOf(home, { isRestartedAfterUpgrade: false });
    const ofSidecar = () => home.board.current.readiness.filter(({ what }) => what === "sidecar");
    staging.plan(planOf({}));
    await until(() => ofSidecar().length > 0);
    // Judged again after a second, since it is not ready.
    await realMachine.clock.sleep(1_500);
    expect(ofSidecar()).toHaveLength(1);
    staging.plan(undefined);
    expect(ofSidecar()).toEqual([]);
    await staging.close();
  });

  test("a handler that is another file → wrong, in words, and not staged; one that the operator put there → ready", async () => {
    const home = new ScriptsHome();
    home.program("upgrades/v2", "exit 0");
    const staging = stagingOf(home);
    staging.plan(planOf({ handler: { url: server.file("/v2.wasm", "another"), sha256: sha256(HANDLER) } }));
    await until(() => home.board.current.phase === "waiting");
    expect(staging.readiness().find(({ what }) => what === "handler")).toMatchObject({
      state: "wrong",
      detail: expect.stringMatching(/Checksums did not match.*\[UPG_HANDLER_HASH\]/),
    });
    expect(existsSync(home.file("handlers/staged/v2.wasm"))).toBe(false);
    home.write("handlers/any-name.wasm", HANDLER);
    staging.plan(planOf({ handler: { sha256: sha256(HANDLER) } }));
    await until(() => home.board.current.phase === "ready");
    await staging.close();
  });

  test("downloads are not allowed → missing, with the command that puts it there; then it is put there → ready", async () => {
    const home = new ScriptsHome();
    const staging = stagingOf(home, { isDownloadAllowed: false });
    staging.plan(planOf({ binaries: binaries() }));
    await home.says("program missing");
    expect(home.board.current.phase).toBe("waiting");
    expect(staging.readiness()).toMatchObject([
      { what: "program", state: "missing", next: expect.stringContaining("add-upgrade v2") },
    ]);
    // Of another build than the plan names.
    home.program("upgrades/v2", "exit 0");
    await home.says("checksum wrong");
    expect(home.board.current.phase).toBe("waiting");
    home.write(`cosmovisor/upgrades/v2/bin/${DAEMON}`, PROGRAM, 0o755);
    await until(() => home.board.current.phase === "ready");
    await staging.close();
  });

  test("a file that was not tried yet → unknown, not ready", async () => {
    const home = new ScriptsHome();
    home.program("upgrades/v2", "exit 0");
    const staging = stagingOf(home);
    staging.plan(planOf({}));
    expect(home.board.current.readiness).toMatchObject([{ what: "program", state: "unknown" }]);
    await until(() => home.board.current.phase === "ready");
    await staging.close();
  });

  test.each<[string, (home: ScriptsHome) => void, string]>([
    [
      "the link current leads nowhere",
      (home) => symlinkSync("upgrades/v1.9", home.file("cosmovisor/current")),
      "current",
    ],
    ["a program that the script starts is removed", (home) => rmSync(home.file("new-release")), "program"],
  ])("ready, and then %s → not ready", async (_, happens, what) => {
    const home = new ScriptsHome();
    const release = home.write("new-release", "#!/bin/sh\nexit 0\n", 0o755);
    home.program("upgrades/v2", `exec ${release} "$@"`);
    const staging = stagingOf(home);
    staging.plan(planOf({}));
    await until(() => home.board.current.phase === "ready");
    happens(home);
    await until(() => staging.readiness().some(({ state }) => state === "wrong"));
    expect(home.board.current.phase).toBe("waiting");
    expect(
      staging
        .readiness()
        .filter(({ state }) => state === "wrong")
        .map((each) => each.what),
    ).toEqual([what]);
    await staging.close();
  });

  test("ready, and a file changes → not ready until the program is judged again; a change during the trial counts", async () => {
    const home = new ScriptsHome();
    const asks = 'if (process.argv[2] === "pre-upgrade")';
    const change = (line: string) =>
      home.write(`cosmovisor/upgrades/v2/bin/${DAEMON}`, `#!${process.execPath}\n${asks} ${line};\n`, 0o755);
    const takesOver = 'console.log("this binary can take over at the height")';
    home.write("data/chain.mdb", "");
    change(takesOver);
    let release: () => void = () => undefined;
    let isHeld = false;
    const run: typeof realMachine.processes.run = async (program, options) => {
      if (isHeld) await new Promise<void>((resolve) => (release = resolve));
      isHeld = false;
      return realMachine.processes.run(program, options);
    };
    const staging = new Staging({
      ...{ settings: home.settings(), board: home.board, env: {}, log: () => undefined },
      machine: { ...realMachine, processes: { ...realMachine.processes, run } },
    });
    home.program("genesis", "exit 1");
    home.board.update({ phase: "running" });
    staging.plan(planOf({}));
    await until(() => home.board.current.phase === "ready");
    isHeld = true;
    change(`{ ${takesOver} }`);
    await until(() => home.board.current.phase === "waiting");
    expect(home.board.current.readiness[0]).toMatchObject({ what: "program", state: "unknown", next: null });
    change("process.exit(30)");
    release();
    await until(() => home.board.current.readiness.some(({ state }) => state === "wrong"));
    expect(home.board.current.phase).toBe("waiting");
    await staging.close();
  });

  test("ready, and nothing changes in a file → judged again before the finding is old", async () => {
    const home = new ScriptsHome();
    let [asked, now] = [0, 0];
    home.program("upgrades/v2", `exec ${process.execPath} "$@"`);
    const sleep = async () => {
      now += 1_000;
      await realMachine.clock.sleep(1);
    };
    const clock = { ...realMachine.clock, now: () => now, sleep };
    const processes = {
      ...realMachine.processes,
      run: async () => ({ exit: ++asked > 4 ? 127 : 0, signal: null, stdout: "", stderr: "lost.so: not found" }),
    };
    const staging = new Staging({
      ...{ settings: home.settings(), machine: { ...realMachine, clock, processes }, env: {}, board: home.board },
      log: () => undefined,
    });
    home.program("genesis", "exit 1");
    home.board.update({ phase: "running", eta: { seconds: 100, plus_minus: 0 } });
    staging.plan(planOf({}));
    await until(() => home.board.current.phase === "waiting" && asked > 4);
    expect(now).toBeGreaterThanOrEqual(15_000);
    await staging.close();
  });

  test.each([
    ["program", (url: string) => ({ binaries: { any: `${url}?checksum=${sha256("x")}` } }), "add-upgrade v2 PROGRAM"],
    ["handler", (url: string) => ({ handler: { url, sha256: sha256("x") } }), "handlers/staged"],
  ])(
    "a %s with a wrong checksum, at the height too → asked for later each time, not every 5 s; `next` puts a file there by hand",
    async (what, infoOf, next) => {
      const home = new ScriptsHome();
      home.program("genesis", "exit 1");
      home.write("data/chain.mdb", "");
      let [asked, now] = [0, 0];
      const url = server.on("/wrong-sum", (request, response) => {
        asked++;
        sendFile(request, response, { bytes: Buffer.from("#!/bin/sh\n") });
      });
      // A clock whose sleeps pass at once: five minutes are over soon.
      const sleep = async (millis: number, signal?: AbortSignal) => {
        now += millis;
        await realMachine.clock.sleep(now > 300_000 ? 1_000 : 0, signal);
      };
      const machine = { ...realMachine, clock: { ...realMachine.clock, now: () => now, sleep } };
      const staging = new Staging({
        ...{ settings: home.settings({ isDownloadAllowed: true }), machine, env: {}, board: home.board },
        log: (level, message) => void home.lines.push(`${level} ${message}`),
      });
      staging.plan({ name: "v2", height: 49n, info: JSON.stringify(infoOf(url)) });
      staging.hurry();
      await until(() => now > 300_000);
      expect(asked).toBeGreaterThan(3);
      expect(asked).toBeLessThan(12);
      expect(staging.readiness().find((each) => each.what === what)?.next).toContain(next);
      await staging.close();
    },
  );

  test("hurry() without the program → halted, not waiting, after each attempt: its height is reached", async () => {
    const home = new ScriptsHome();
    const staging = stagingOf(home);
    staging.plan(planOf({ binaries: { any: `${server.url("/none")}?checksum=${sha256(PROGRAM)}` } }));
    staging.hurry();
    await until(() => home.board.current.phase === "halted");
    await staging.close();
  });

  test("another plan while one is fetched → that ends, its part is removed, the other is fetched", async () => {
    const home = new ScriptsHome();
    const staging = stagingOf(home);
    const bytes = Buffer.alloc(100_000);
    const url = server.on("/slow", (_, response) => {
      response.writeHead(200, { "content-length": bytes.length });
      response.write(bytes.subarray(0, 1_000));
    });
    mkdirSync(home.file("cosmovisor/upgrades/v0#part"), { recursive: true });
    mkdirSync(home.file("cosmovisor/upgrades/v0#part-prepare"), { recursive: true });
    staging.plan(planOf({ binaries: { any: `${url}?checksum=${sha256(bytes)}` } }, "v1"));
    await until(() => existsSync(home.file("cosmovisor/upgrades/v1#part/download")));
    for (const part of ["v0#part", "v0#part-prepare"]) {
      expect(existsSync(home.file(`cosmovisor/upgrades/${part}`))).toBe(false);
    }
    staging.plan(planOf({ binaries: binaries() }));
    await until(() => home.board.current.phase === "ready");
    expect(existsSync(home.file("cosmovisor/upgrades/v1#part"))).toBe(false);
    await staging.close();
  });

  test("closed in the middle, as at the end of the sidecar → the next one goes on with what is there", async () => {
    const home = new ScriptsHome();
    const bytes = Buffer.from(`${PROGRAM}${"# more\n".repeat(20_000)}`);
    const url = server.on("/cut", (request, response, times) => {
      if (times > 0) return void sendFile(request, response, { bytes, etag: '"1"' });
      response.writeHead(200, { "content-length": bytes.length, etag: '"1"' });
      response.write(bytes.subarray(0, 50_000));
    });
    const plan = planOf({ binaries: { any: `${url}?checksum=${sha256(bytes)}` } });
    const first = stagingOf(home);
    first.plan(plan);
    await until(() => home.board.current.progress?.done === "50000");
    await first.close();
    server.requests.length = 0;
    const second = stagingOf(home);
    second.plan(plan);
    await until(() => home.board.current.phase === "ready");
    expect(server.requests).toEqual(["/cut bytes=50000-"]);
    expect(home.read(`cosmovisor/upgrades/v2/bin/${DAEMON}`)).toBe(bytes.toString());
    await second.close();
  });
});
