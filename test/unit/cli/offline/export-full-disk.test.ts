/** `export --output-document` where there is no room for the document. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportGenesis } from "../../../../host/cli/offline/export.js";
import { DIST } from "../../../e2e/chaind.js";
import { makeBlocksUpTo, makeHome, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";
import { mountDisk } from "../../../small-disk.js";

const disk = mountDisk(1_048_576);
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-export-full-"));
const home = join(root, "home");
beforeAll(() => {
  makeHome(home, genesisText());
  withNode({ path: home, handlers: join(DIST, "handlers") }, (node) => makeBlocksUpTo(node, 2n));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  if (!disk) return;
  execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true });
});

const exportTo = (outputDocument: string) => () =>
  exportGenesis(exampleChain, home, { height: 0n, outputDocument }, () => undefined);

test.skipIf(!disk)(
  "exportGenesis() to a full disk → UPG_STORE_FULL with the file's name, and nothing of it stays",
  () => {
    const { bavail, bsize } = statfsSync(disk ?? "");
    writeFileSync(join(disk ?? "", "ballast"), new Uint8Array(bavail * bsize));
    const file = join(disk ?? "", "exported.json");
    expect(exportTo(file)).toThrow(
      expect.objectContaining({
        code: "UPG_STORE_FULL",
        message: expect.stringMatching(
          new RegExp(`^cannot write ${file}: no space is left on its disk \\(0 bytes free\\)`),
        ),
      }),
    );
    expect(readdirSync(disk ?? "")).toEqual(["ballast"]);
  },
);

test("exportGenesis() to a device that is full, to a folder that is absent → the file's name too", () => {
  const device = join(root, "full");
  symlinkSync("/dev/full", device);
  expect(exportTo(device)).toThrow(
    expect.objectContaining({ code: "UPG_STORE_FULL", message: expect.stringContaining("cannot write /dev/full: ") }),
  );
  const absent = join(root, "none/exported.json");
  expect(exportTo(absent)).toThrow(
    expect.objectContaining({
      code: "UPG_INVALID_ARGUMENT",
      message: expect.stringContaining(`cannot write ${absent}: the folder ${join(root, "none")} does not exist`),
    }),
  );
});
