/** `start --snapshot-before-upgrade`: the state before an upgrade, taken beside the node that goes on. */
import { describe, expect, test } from "vitest";
import { listSnapshots } from "../../host/cli/offline/snapshots.js";
import { TestHome } from "./chaind.js";

const FLAGS = ["--snapshot-before-upgrade"];
const heights = (home: TestHome) => listSnapshots(home.path).map(({ height }) => height);

async function untilTaken(home: TestHome, height: string): Promise<void> {
  const node = home.startSlowly(...FLAGS);
  await node.says(`snapshot of height ${height}: `);
  node.child.kill("SIGTERM");
  expect((await node.end).exit).toBe(0);
}

describe("start --snapshot-before-upgrade", () => {
  test("an upgrade at 4 → a snapshot of 3 with its app hash; one that a process did not come to → by the next start", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    const { appHash } = home.last;
    const without = home.start("--max-blocks", "3");
    expect((await without.end).exit).toBe(0);
    expect(heights(home)).toEqual([]);
    await untilTaken(home, "3");
    expect(listSnapshots(home.path)).toMatchObject([{ height: "3", app_hash: appHash }]);
    const again = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    await untilTaken(again, "3");
    expect(listSnapshots(again.path)).toEqual(listSnapshots(home.path));
  });
});
