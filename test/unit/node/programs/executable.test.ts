/** What this machine cannot start is never started, and never handed to a shell. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { findComet } from "../../../../host/node/comet/engine/binary.js";
import { contentProblem, programProblem } from "../../../../host/node/programs/executable.js";
import { problemOf } from "../../../../host/node/programs/layout.js";
import { askPreUpgrade } from "../../../../host/visor/decide/pre-upgrade.js";
import { WorkerProcess } from "../../../../host/visor/hot/worker-process.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { elfBytes } from "../../../runnable-bytes.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-executable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a shell would leave if it ran the file's lines. */
const TRACE = join(folder, "a-shell-was-here");
const AMD64 = 62;
const ARM64 = 183;
const [OTHER, OTHER_NAME] = process.arch === "arm64" ? [AMD64, "linux/amd64"] : [ARM64, "linux/arm64"];
const isLinux = process.platform === "linux";

function file(name: string, bytes: string | Uint8Array, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, bytes, { mode });
  return path;
}

/** Lines that a shell would run, after what the file begins with. */
const withLines = (bytes: Uint8Array | string) =>
  Buffer.concat([Buffer.from(bytes), Buffer.from(`\ntouch ${TRACE}\n`)]);

const node = readFileSync(process.execPath);

/** By name: the file, and what is reported of it. */
const REFUSED: readonly (readonly [name: string, make: () => string, words: string])[] = [
  ["an ELF file of another architecture", () => file("other", withLines(elfBytes({ machine: OTHER }))), OTHER_NAME],
  [
    "an ELF file of no known machine",
    () => file("unknown", withLines(elfBytes({ machine: 9_999 }))),
    "no program of this",
  ],
  ["a web page", () => file("page", `<!DOCTYPE html>\ntouch ${TRACE}\n`), "is a web page"],
  ["a text of comments", () => file("comments", `# release notes\n# of v2\ntouch ${TRACE}\n`), "is no program"],
  ["half a program", () => file("half", node.subarray(0, node.length / 2)), "is cut off"],
  ["the first bytes of a program", () => file("start", node.subarray(0, 40)), "is cut off"],
  ["an object file", () => file("object", objectFile()), "no program of this system"],
  ["a script of an interpreter that is missing", () => file("lost", `#!/nowhere/sh\ntouch ${TRACE}\n`), "/nowhere/sh"],
  ["a script of a relative interpreter", () => file("relative", `#!sh\ntouch ${TRACE}\n`), "no absolute path"],
  ["a script of no interpreter", () => file("bare", `#!\ntouch ${TRACE}\n`), "no absolute path"],
  [
    "a script of an interpreter that is no program",
    () => file("nested", `#!${file("interpreter", "# nothing\n")}\ntouch ${TRACE}\n`),
    "is no program",
  ],
  ["an interpreter's name that does not end", () => file("long", `#!/${"a".repeat(300)}`), "is no program"],
  ["lines that end as on Windows", () => file("windows", `#!/bin/sh\r\ntouch ${TRACE}\r\n`), "Windows"],
  ["an empty file", () => file("empty", ""), "is empty"],
  ["a folder", () => makeFolder("folder"), "is no regular file"],
  ["a link that leads to itself", () => link("loop", join(folder, "loop")), "ELOOP"],
  ["a link that leads nowhere", () => link("nowhere", join(folder, "absent")), "leads nowhere"],
  ["a pipe", () => pipe("pipe"), "is no regular file"],
  ["nothing", () => join(folder, "absent"), "is missing"],
];

function objectFile(): Uint8Array {
  const bytes = elfBytes({ machine: process.arch === "arm64" ? ARM64 : AMD64 });
  bytes[16] = 1;
  return bytes;
}

function makeFolder(name: string): string {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name);
}

function link(name: string, target: string): string {
  rmSync(join(folder, name), { force: true });
  symlinkSync(target, join(folder, name));
  return join(folder, name);
}

function pipe(name: string): string {
  rmSync(join(folder, name), { force: true });
  execFileSync("mkfifo", [join(folder, name)]);
  return join(folder, name);
}

const env = { PATH: process.env["PATH"] };

describe.runIf(isLinux)(
  "what this machine cannot start → not started by anything, with the reason; no shell runs it",
  () => {
    test.each(REFUSED)("%s", async (_, make, words) => {
      const path = make();
      expect(problemOf({ file: path, name: "v2", folder: undefined })).toContain(words);
      expect(programProblem(diskFiles, path)).toContain(words);
      const options = { args: ["pre-upgrade"], env, cwd: folder };
      const ran = await realMachine.processes.run(path, { ...options });
      expect(ran.error?.message).toContain(words);
      const started = realMachine.processes.start(path, options);
      expect(started.pid).toBeUndefined();
      expect((await started.ended).error?.message).toContain(words);
      const program = { file: path, name: "v2", folder: undefined };
      const { signal } = new AbortController();
      const asking = { retriesMax: 0, clock: realMachine.clock, signal, log: () => undefined };
      const asked = await askPreUpgrade({ run: () => realMachine.processes.run(path, options), ...asking });
      expect([asked.verdict, asked.end.error?.message]).toEqual(["not run", expect.stringContaining(words)]);
      const socket = join(folder, "socket");
      const worker = new WorkerProcess({ machine: realMachine, program, args: [], socket, env, prefix: "X_" });
      expect((await worker.ended).error?.message).toContain(words);
      expect(() => findComet(path, env)).toThrow(words);
      expect(existsSync(TRACE)).toBe(false);
    });
  },
);

describe("what this machine can start → no problem", () => {
  test("a program of this machine, a script, a script that a script runs, JavaScript", () => {
    for (const path of [
      process.execPath,
      "/bin/sh",
      file("script", "#!/bin/sh\n"),
      file("js.mjs", "process.exit(0)\n"),
    ])
      expect(contentProblem(diskFiles, path), path).toBeUndefined();
    const wrapper = file("wrapper", "#! /bin/sh -e\n");
    expect(contentProblem(diskFiles, file("wrapped", `#!${wrapper}\n`))).toBeUndefined();
  });

  test("an executable bit that is missing → set by the sidecar, reported by what changes nothing", () => {
    const path = file("bit", "#!/bin/sh\n", 0o644);
    chmodSync(path, 0o644);
    expect(programProblem(diskFiles, path)).toContain("may not be executed");
    expect(problemOf({ file: path, name: "v2", folder: undefined })).toBeUndefined();
    expect(programProblem(diskFiles, path)).toBeUndefined();
  });
});

test("a program's name without a folder → found on PATH, and judged the same", () => {
  const bin = makeFolder("bin");
  writeFileSync(join(bin, "cometd"), "# text\n", { mode: 0o755 });
  expect(() => findComet("cometd", { PATH: bin })).toThrow("is no program");
});
