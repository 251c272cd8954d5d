/** The driver itself: what it captures, and what it does not let pass. */
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test } from "vitest";
import type { Cobra } from "../../host/base/terminal/cobra.js";
import { loggedHalt, TestHome } from "../e2e/chaind.js";
import { chaindHere, type Surroundings } from "../in-process.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-in-process-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `chaind own`, which does this. */
function own(action: () => unknown, around: Surroundings = {}) {
  const register = async (program: unknown) =>
    void (program as Cobra).command("own").action(async () => void (await action()));
  return chaindHere(["own"], { ...around, more: [{ name: "own", summary: "Test", register }] });
}

describe("chaindHere()", () => {
  test("a command → its output, arguments, environment, folder and stdin; afterwards all is as before", async () => {
    const before = [process.stdout, process.argv, process.cwd(), process.env["OWN"], process.exitCode];
    let seen: unknown[] = [];
    const end = await own(
      async () => {
        let input = "";
        for await (const part of process.stdin) input += String(part);
        seen = [process.argv.slice(2), process.env["OWN"], process.cwd(), input];
        process.stdout.write("out");
        process.stderr.write("err");
        process.exitCode = 5;
      },
      { env: { OWN: "set" }, cwd: folder, stdin: "text" },
    );
    expect(end).toEqual({ status: 5, stdout: "out", stderr: "err" });
    expect(seen).toEqual([["own"], "set", folder, "text"]);
    expect([process.stdout, process.argv, process.cwd(), process.env["OWN"], process.exitCode]).toEqual(before);
  });

  test("process.exit → the status, and nothing that is written after it", async () => {
    const end = await own(() => {
      process.stdout.write("before");
      try {
        process.exit(7);
      } finally {
        process.stdout.write("after");
      }
    });
    expect(end).toEqual({ status: 7, stdout: "before", stderr: "" });
  });

  test("two at the same time → one after the other", async () => {
    const order: string[] = [];
    const step = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(`${name} ends`);
    };
    await Promise.all([own(step("a")), own(step("b"))]);
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  });

  test.each<[string, () => () => void]>([
    [
      "Timeout",
      () => {
        const timer = setInterval(() => undefined, 1_000);
        return () => clearInterval(timer);
      },
    ],
    [
      "WORKER",
      () => {
        const thread = new Worker("setInterval(() => undefined, 1_000)", { eval: true });
        return () => void thread.terminate();
      },
    ],
    [
      "listener forgotten of SIGUSR2",
      () => {
        const forgotten = () => undefined;
        process.on("SIGUSR2", forgotten);
        return () => void process.off("SIGUSR2", forgotten);
      },
    ],
    [
      `open file ${join(folder, "open")}`,
      () => {
        const file = openSync(join(folder, "open"), "w");
        return () => closeSync(file);
      },
    ],
  ])("a command that leaves a %s → an error that names it", async (what, leave) => {
    let close: (() => void) | undefined;
    const end = own(() => {
      close = leave();
    });
    await expect(end).rejects.toThrow(`chaind.js own left behind: ${what}`);
    close?.();
  });

  test("start → its blocks, its log, its exit status; its threads, files and listeners are gone", async () => {
    const home = new TestHome();
    const end = await home.startHere("--halt-height", "3");
    expect(end).toMatchObject({ exit: 13, stdout: "", stderr: expect.stringContaining('"block made"') });
    expect(loggedHalt(end)).toMatchObject({ code: "UPG_HALT_HEIGHT", height: "3" });
    expect(home.last.height).toBe("2");
  });
});
