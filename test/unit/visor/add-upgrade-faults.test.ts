/**
 * A disk that refuses any one call, and a process that is killed at any call, while programs and heights are put in their places:
 * what lies under a name is the old thing or the new one, whole, and the same command typed again comes to the end.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../host/base/errors/errors.js";
import { diskFiles } from "../../../host/base/files/disk-files.js";
import type { Files } from "../../../host/base/files/files.js";
import { readQueue } from "../../../host/visor/decide/decision/queue.js";
import { addUpgrades } from "../../../host/visor/stage/layout/add-upgrade.js";
import { initialize } from "../../../host/visor/stage/layout/init.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const OLD = "#!/bin/sh\nold\n";
const NEW = `#!/bin/sh\n${"# new\n".repeat(2_000)}`;
const exe = join(folder, "new");
writeFileSync(exe, NEW);

class Disk {
  calls = 0;

  /** @param isFailing of the calls, counted from 1 */
  constructor(private readonly isFailing: (call: number) => boolean) {}

  readonly files: Files = this.#guarded(diskFiles);

  #guarded<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (of, name) => {
        const value = Reflect.get(of, name) as unknown;
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (this.isFailing(++this.calls)) {
            // A disk that is full has taken half of it.
            if (name === "write") value.call(of, (args[0] as Uint8Array).subarray(0, 9));
            if (name === "close") value.call(of);
            throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", syscall: "write" });
          }
          const result: unknown = value.apply(of, args);
          return name === "open" ? this.#guarded(result as object) : result;
        };
      },
    });
  }
}

const FAULTS: readonly (readonly [string, (at: number) => (call: number) => boolean])[] = [
  ["a disk that refuses one call", (at) => (call) => call === at],
  ["a process that is killed", (at) => (call) => call >= at],
];

describe.each(FAULTS)("%s, at each file call", (_fault, failAt) => {
  test("addUpgrades() → old or new, whole; again → both programs and heights", async () => {
    let isDone = false;
    for (let at = 1; !isDone; at++) {
      const home = mkdtempSync(join(folder, "h"));
      const root = join(home, "cosmovisor");
      const program = (plan: string) => join(root, "upgrades", plan, "bin/n");
      mkdirSync(join(root, "upgrades/v2/bin"), { recursive: true });
      writeFileSync(program("v2"), OLD);
      const add = (files: Files) =>
        addUpgrades(
          [
            { name: "v2", executable: exe, height: 20n },
            { name: "v3", executable: exe, height: 30n },
          ],
          { files, settings: { home, root, name: "n", isCaseKept: false }, isForced: true, log: () => undefined },
        );
      isDone = await add(new Disk(failAt(at)).files).then(
        () => true,
        (error: unknown) => {
          expect(isUpgradeError(error) || (error instanceof Error && "syscall" in error), String(error)).toBe(true);
          return false;
        },
      );
      expect([OLD, NEW]).toContain(readFileSync(program("v2"), "utf8"));
      if (existsSync(program("v3"))) expect(readFileSync(program("v3"), "utf8")).toBe(NEW);
      const { plans, problems } = readQueue(diskFiles, { home, root });
      expect(problems).toEqual([]);
      expect([0, 2]).toContain(plans.length);
      await add(diskFiles);
      expect([readFileSync(program("v2"), "utf8"), readFileSync(program("v3"), "utf8")]).toEqual([NEW, NEW]);
      expect(readQueue(diskFiles, { home, root }).plans.map(({ height }) => height)).toEqual([20n, 30n]);
      expect(diskFiles.list(join(root, "upgrades/v3/bin"))).toEqual(["n"]);
    }
  });

  test("initialize() → no half program, no link without one; again → ready", async () => {
    let isDone = false;
    for (let at = 1; !isDone; at++) {
      const root = join(mkdtempSync(join(folder, "i")), "cosmovisor");
      const init = (files: Files) => initialize(exe, { files, settings: { root, name: "n" }, log: () => undefined });
      isDone = await init(new Disk(failAt(at)).files).then(
        () => true,
        (error: unknown) => {
          expect(isUpgradeError(error), String(error)).toBe(true);
          return false;
        },
      );
      const genesis = join(root, "genesis/bin/n");
      if (existsSync(genesis)) expect(readFileSync(genesis, "utf8")).toBe(NEW);
      if (existsSync(join(root, "current"))) expect(existsSync(genesis)).toBe(true);
      await init(diskFiles);
      expect(readFileSync(join(root, "current/bin/n"), "utf8")).toBe(NEW);
      expect(diskFiles.list(join(root, "genesis/bin"))).toEqual(["n"]);
    }
  });
});
