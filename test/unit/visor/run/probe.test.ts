/** What is said of a program before its height: that it runs, or why not, in words; nothing that it does by itself is begun. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { goPlatform } from "../../../../host/upgrade/plan-info/platform.js";
import type { Settings } from "../../../../host/visor/decide/settings.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { currentFits } from "../../../../host/visor/stage/other-program.js";
import { type ProbeOptions, probeProgram } from "../../../../host/visor/stage/probe.js";
import { elfBytes, runnableBytes } from "../../../runnable-bytes.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-probe-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const HERE = goPlatform(process.platform, process.arch);
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

const probe = (file: string, changes: Partial<ProbeOptions> = {}) =>
  probeProgram({
    program: { name: "v2", file, folder: "upgrades/v2" },
    home: folder,
    env: { PATH: process.env["PATH"] },
    isOurs: false,
    ...{ files: realMachine.files, processes: realMachine.processes, signal: new AbortController().signal },
    ...changes,
  });

function program(name: string, bytes: string | Uint8Array, mode = 0o755): string {
  const file = join(folder, name);
  writeFileSync(file, bytes, { mode });
  return file;
}

const elf = (machine: number, loader: string) => elfBytes({ machine, loader });

/** A program that answers as Cobra does. */
const cobra = (name: string, commands: readonly string[], exits: Readonly<Record<string, number>> = {}) =>
  program(
    `${name}.mjs`,
    `const [, , command, of] = process.argv;
const known = ${JSON.stringify(commands)};
if (command === "help" && !known.includes(of)) console.log("Unknown help topic [\`" + of + "\`]");
else if (command === "help") console.log("Usage:\\n  appd " + of + " [flags]");
else if (command === "version") console.log("v2.0.0");
else console.error("the store has no room");
process.exitCode = ${JSON.stringify(exits)}[command] ?? 0;`,
  );

describe("probeProgram() of what cannot be run → wrong, and why", () => {
  test("another architecture → which it is for, and which this machine is", async () => {
    const other = process.arch === "arm64" ? 62 : 183;
    const [found] = await probe(program("other", elf(other, "/lib/ld.so")));
    expect(found).toMatchObject({ what: "program", state: "wrong" });
    expect(found?.detail).toContain(`is built for linux/${other === 62 ? "amd64" : "arm64"}`);
    expect(found?.detail).toContain(`this machine is ${HERE}`);
  });

  test.runIf(process.platform === "linux" && process.arch in MACHINES)(
    "a loader that is missing → its path; musl is named",
    async () => {
      const machine = MACHINES[process.arch] ?? 0;
      const [musl] = await probe(program("musl", elf(machine, "/lib/ld-musl-none.so.1")));
      expect(musl).toMatchObject({ state: "wrong", detail: expect.stringContaining("/lib/ld-musl-none.so.1") });
      expect(musl?.detail).toContain("built for musl");
      const [script] = await probe(program("script", "#!/nowhere/sh\n"));
      expect(script).toMatchObject({
        state: "wrong",
        detail: expect.stringContaining("/nowhere/sh, which this machine does not have"),
      });
    },
  );

  test("no program at all; one that may not be executed", async () => {
    const [text] = await probe(program("text", "\u0001\u0002 not a program"));
    expect(text).toMatchObject({ state: "wrong", detail: expect.stringContaining("is no program") });
    const locked = program("locked", runnableBytes(new Uint8Array(8)));
    chmodSync(locked, 0o600);
    const [found] = await probe(locked);
    expect(found).toMatchObject({ state: "wrong", detail: expect.stringContaining("permission denied") });
  });

  test("libraries that the machine lacks → their names", async () => {
    const lacking = (stderr: string) =>
      probe(cobra("lacking", []), {
        processes: { run: async () => ({ exit: 127, signal: null, stdout: "", stderr }) },
      });
    const library = "appd: error while loading shared libraries: libwasmvm.so: cannot open shared object file";
    expect((await lacking(library))[0]?.detail).toContain("libwasmvm.so: cannot open shared object file: install");
    const libc = "appd: /lib/libc.so.6: version `GLIBC_2.38' not found (required by appd)";
    expect((await lacking(libc))[0]?.detail).toContain("it needs GLIBC_2.38");
  });
});

describe("probeProgram() of what runs", () => {
  test("its version; whether it has pre-upgrade, which is not called", async () => {
    expect(await probe(cobra("with", ["pre-upgrade"]))).toMatchObject([
      { what: "program", state: "ready", detail: expect.stringContaining("version v2.0.0") },
      { what: "pre-upgrade", state: "ready" },
    ]);
    expect(await probe(cobra("without", []))).toMatchObject([{ state: "ready" }, { state: "skipped" }]);
  });

  test("version fails → unknown; a script → not run", async () => {
    const [failing] = await probe(cobra("failing", [], { version: 3 }));
    expect(failing).toMatchObject({ state: "unknown", detail: expect.stringContaining("ended with 3: v2.0.0") });
    const touched = join(folder, "touched");
    const script = program("works", `#!/bin/sh\nmkdir ${touched}\n`);
    expect(await probe(script)).toMatchObject([{ what: "program", state: "ready" }]);
    mkdirSync(touched);
  });

  test("ours → all checks of a start at the height: 0 ready, 30 wrong with its last line, 31 unknown", async () => {
    for (const [exit, state] of [
      [0, "ready"],
      [30, "wrong"],
      [31, "unknown"],
    ] as const) {
      const file = cobra(`ours-${exit}`, [], { "pre-upgrade": exit });
      const [, found] = await probe(file, { isOurs: true });
      expect(found).toMatchObject({
        what: "pre-upgrade",
        state,
        detail: expect.stringContaining("the store has no room"),
      });
    }
  });
});

test("pre-upgrade that does not end in time → a row with the program, also where the program is the current one and no plan is ahead", async () => {
  const file = cobra("late", []);
  const limits: (number | undefined)[] = [];
  const run: ProbeOptions["processes"]["run"] = async (_, { args, millisMax }) => {
    if (args[0] !== "pre-upgrade") return { exit: 0, signal: null, stdout: "v1", stderr: "" };
    limits.push(millisMax);
    return { exit: null, signal: "SIGKILL", error: new Error("no end"), stdout: "", stderr: "opening\n" };
  };
  const detail = `${file}: its pre-upgrade did not end within 30 s: opening`;
  const late = { what: "pre-upgrade", state: "unknown", detail };
  const options = { isOurs: true, processes: { run } };
  expect(await probe(file, options)).toEqual([expect.anything(), expect.objectContaining(late)]);
  const settings = { home: folder, root: join(folder, "cosmovisor"), name: "late.mjs" } as Settings;
  const current = { name: "genesis", file, folder: "genesis" };
  const env = { PATH: process.env["PATH"] };
  const { files } = realMachine;
  const { signal } = new AbortController();
  const asked = { program: current, home: folder, env, files, signal, settings, ...options };
  expect(await currentFits(asked, "start")).toMatchObject({ fits: "no", row: late });
  expect(limits).toEqual([30_000, 30_000]);
});
