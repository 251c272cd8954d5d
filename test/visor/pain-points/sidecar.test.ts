/** What the users of Cosmovisor filed (docs/chainvisor.md#pain-points), as far as the sidecar prevents or handles it, on a machine in memory. */
import { describe, expect, test } from "vitest";
import { programBytes } from "../beds/model-chain.js";
import { environmentOf, makeWorld, plansOf, type Scene } from "../beds/scene.js";
import { Life } from "../beds/sidecar.js";
import { DATA, NAME, ROOT, type World } from "../beds/world.js";

const STAGED: Scene = { kind: "sdk", upgrades: 1, source: "staged", isBackedUp: false, grace: 0 };
const INFO = `${DATA}/upgrade-info.json`;
const MILLIS_MAX = 120_000;

function begin(
  scene: Scene,
  more: Readonly<Record<string, string>> = {},
  world = makeWorld(scene, plansOf(scene, undefined)),
) {
  const start = () => new Life({ world, env: { ...environmentOf(scene), ...more } });
  const until = (isSo: () => boolean) => world.clock.until(isSo, MILLIS_MAX);
  return { world, start, until };
}

/** At the upgrade's height, halted, with no sidecar and no node. */
async function halted(scene: Scene = STAGED): Promise<World> {
  const { world, start, until } = begin(scene);
  const life = start();
  await until(() => world.halts.length > 0);
  life.kill();
  for (const app of world.apps) app.kill("SIGKILL");
  return world;
}

const programs = ({ started }: World) => started.map(({ program, height }) => `${program} at ${height}`);

describe("restarts", () => {
  for (const kind of ["ours", "sdk"] as const) {
    test(`#9.4 restart inside the upgrade window (${kind}) → the new program, and the old one is not started again`, async () => {
      const world = await halted({ ...STAGED, kind });
      const before = world.started.length;
      if (kind === "sdk") world.files.put(INFO, '{"name":"v2","height":5,"info":""}');
      const { start, until } = begin({ ...STAGED, kind }, {}, world);
      const life = start();
      await until(() => world.chain.height >= 6n);
      expect(programs(world).slice(before)).toEqual(["v2 at 4"]);
      expect(world.alarms).toEqual([]);
      life.kill();
    });
  }

  test("#9.2 the old program ends at the height and its RPC is never up → the switch is made, by CometBFT's log", async () => {
    const world = await halted();
    world.files.put(INFO, '{"name":"v2","height":5,"info":""}');
    const { start, until } = begin(STAGED, {}, world);
    const life = start();
    await until(() => world.chain.height >= 5n);
    expect(life.log.join("\n")).toContain("CometBFT's log");
    life.kill();
  });

  test("#9.3 #9.5 restarts and a plan file far below the height → the old program each time, the new one only at the height", async () => {
    const { world, start, until } = begin(STAGED);
    world.files.put(INFO, '{"name":"v2","height":5,"info":""}');
    for (const height of [1n, 2n]) {
      const life = start();
      await until(() => world.chain.height >= height);
      life.kill();
      for (const app of world.apps) app.kill("SIGKILL");
    }
    const life = start();
    await until(() => world.chain.height >= 6n);
    expect(programs(world)).toEqual(["v1 at 0", "v1 at 1", "v1 at 2", "v2 at 4"]);
    expect(world.alarms).toEqual([]);
    life.kill();
  });
});

describe("the plan's file", () => {
  test("#9.7 half of it, and nothing of it → looked at again; the sidecar goes on, and switches when it is whole", async () => {
    const { world, start, until } = begin(STAGED);
    world.files.put(INFO, "");
    const life = start();
    await until(() => world.chain.height >= 2n);
    world.files.put(INFO, '{"name":"v2","hei');
    await until(() => world.chain.height >= 6n);
    expect(life.exit).toBeUndefined();
    expect(life.log.join("\n")).toContain("is looked at again");
    life.kill();
  });

  test("#9.22 a plan name in another case → the folder in lower case", async () => {
    const world = await halted();
    world.files.put(INFO, '{"name":"V2","height":5,"info":""}');
    const { start, until } = begin(STAGED, {}, world);
    const life = start();
    await until(() => world.chain.height >= 5n);
    expect(world.files.readLink(`${ROOT}/current`)).toBe("upgrades/v2");
    life.kill();
  });
});

describe("the switch", () => {
  test("#9.21 the download's folder is left torn by a death → fetched again, the same program", async () => {
    const scene: Scene = { ...STAGED, source: "file" };
    const { world, start, until } = begin(scene);
    world.files.put(`${ROOT}/upgrades/v2#part/download`, "torn");
    const life = start();
    await until(() => world.chain.height >= 6n);
    expect(world.files.read(`${ROOT}/upgrades/v2/bin/${NAME}`)).toEqual(programBytes("v2"));
    life.kill();
  });
});

describe("pre-upgrade", () => {
  test("#9.23 the new program is asked, before the link is made; it refuses → the old link, and no new program", async () => {
    const asked: string[] = [];
    const { world, until } = begin(STAGED);
    const commands = (file: string, { args }: { readonly args: readonly string[] }) => {
      if (args[0] !== "pre-upgrade" || args.length > 1) return undefined;
      asked.push(file);
      return { exit: 30 };
    };
    const life = new Life({ world, env: environmentOf(STAGED), commands });
    await until(() => life.isOver);
    expect(asked).toEqual([`${ROOT}/upgrades/v2/bin/${NAME}`]);
    expect(world.files.readLink(`${ROOT}/current`)).toBe("genesis");
    expect(programs(world)).toEqual(["v1 at 0"]);
  });
});

describe("what is seen beside Cosmovisor 1.5", () => {
  test("#peers.1 the halted node does not exit → it is ended, and the new program makes the block", async () => {
    const { world, start, until } = begin(STAGED);
    const life = start();
    await until(() => world.chain.height >= 6n);
    expect(programs(world)).toEqual(["v1 at 0", "v2 at 4"]);
    life.kill();
  });

  test("#peers.3 SIGTERM after an upgrade → 0, and no node is left running", async () => {
    const { world, start, until } = begin(STAGED);
    const life = start();
    await until(() => world.chain.height >= 6n);
    life.signal("SIGTERM");
    await until(() => life.isOver);
    expect([life.exit, world.apps.size]).toEqual([0, 0]);
  });
});
