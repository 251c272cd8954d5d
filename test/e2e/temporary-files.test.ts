/** Commands that are stopped in the middle leave no files: Ctrl-C, and kill -9; SIGTERM and SIGHUP end a process as Ctrl-C does. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { DIST, TestHome } from "./chaind.js";

// `rehearse` gives way to every other process of the machine: beside other tests it can wait for minutes.
vi.setConfig({ testTimeout: 300_000 });

const SIGNALS = ["SIGINT", "SIGKILL"] as const;
const made = new TestHome().schedule({ name: "v2", height: 40n }, 30n);

/** In a folder of its own, where what it leaves is found; its temporary files too. */
function started(folder: string, args: readonly string[]): ChildProcess {
  mkdirSync(join(folder, "tmp"), { recursive: true });
  const env = { ...process.env, TMPDIR: join(folder, "tmp") };
  return spawn(process.execPath, [join(DIST, "chaind.js"), ...args], { env, cwd: folder, stdio: "ignore" });
}

const filesIn = (folder: string) => readdirSync(folder, { recursive: true }).map(String);

/** Stops the command as soon as a file has such a name; the command may be done by then. */
async function stoppedAt(child: ChildProcess, folder: string, name: RegExp, signal: NodeJS.Signals): Promise<boolean> {
  let isEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      isEnded = true;
      resolve();
    });
  });
  while (!isEnded && !filesIn(folder).some((each) => name.test(each))) await turn();
  const wasThere = !isEnded;
  child.kill(signal);
  await ended;
  return wasThere;
}

describe.each(SIGNALS)("%s", (signal) => {
  test.each<[string, RegExp, (home: string, folder: string) => string[]]>([
    ["backup", /\.part$/, (home, folder) => ["backup", join(folder, "copy"), "--home", home]],
    ["compact", /\.mdb\.compact$/, (home) => ["compact", "--home", home]],
    [
      "export",
      /^out\.json\.[0-9a-f]{8}$/,
      (home, folder) => ["export", "--output-document", join(folder, "out.json"), "--home", home],
    ],
    ["upgrade rehearse", /chaind-rehearse-/, (home) => ["upgrade", "rehearse", "--home", home]],
    ["replay", /replay-/, (home) => ["replay", "--from", home]],
  ])("%s that is stopped while it writes → no temporary file stays", async (_what, name, args) => {
    let looked = "";
    // On a machine that others share, the command may end before its file is seen.
    for (let tries = 0, wasThere = false; !wasThere; tries++) {
      expect(tries, "it was never stopped in time").toBeLessThan(20);
      const folder = join(dirname(made.path), `stopped-${signal}-${_what.replace(" ", "-")}-${tries}`);
      // The home's own folder is looked at too where the command writes there.
      looked = _what === "compact" ? made.data("") : folder;
      wasThere = await stoppedAt(started(folder, args(made.path, folder)), looked, name, signal);
    }
    // Another process removes it.
    while (filesIn(looked).some((each) => name.test(each))) await sleep(20);
  });
});

test("a copy that compact left when the power failed → the next start removes it", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 40n }, 3n);
  writeFileSync(home.data("chain.mdb.compact"), "half of a copy");
  const end = await home.startHere("--halt-height", "6", "--app-version", "1");
  expect(end.exit, end.stderr).toBe(13);
  expect(existsSync(home.data("chain.mdb.compact"))).toBe(false);
});
