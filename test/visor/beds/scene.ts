/** What a round of the campaign is about: the kind of node, its plans, how their programs come, and the sidecar's settings. */
import type { Random } from "../../sim/random.js";
import type { AppKind } from "./model-app.js";
import { type ProgramName, programBytes, type ScheduledPlan } from "./model-chain.js";
import { infoFor, type ModelServer, type ServerMode } from "./model-server.js";
import { DATA, HOME, NAME, ROOT, World } from "./world.js";

const SOURCES = ["staged", "file", "good", "cut", "busy"] as const;
/** `staged`: an operator has put it there; `file`: from a folder of this machine; else how the server behaves. */
type ProgramSource = (typeof SOURCES)[number];

export interface Scene {
  readonly kind: AppKind;
  readonly upgrades: 1 | 2;
  readonly source: ProgramSource;
  readonly isBackedUp: boolean;
  /** Seconds; Cosmovisor's default is 0. */
  readonly grace: 0 | 2;
}

export const sceneName = ({ kind, upgrades, source, isBackedUp, grace }: Scene) =>
  `${kind} ${upgrades} ${source}${isBackedUp ? " backup" : ""}${grace ? " grace" : ""}`;

export function chooseScene(random: Random): Scene {
  return {
    kind: random.pick(["ours", "sdk"]),
    upgrades: random.chance(0.3) ? 2 : 1,
    source: random.pick(SOURCES),
    isBackedUp: random.chance(0.5),
    grace: random.pick([0, 2]),
  };
}

const FIRST = { name: "v2", height: 5n, scheduledAt: 2n } as const;
const SECOND = { name: "v3", height: 9n, scheduledAt: 6n } as const;
/** Blocks after the last upgrade. */
const BLOCKS_AFTER = 2n;
const MIRROR = "/srv/mirror";

export function plansOf({ upgrades, source }: Scene, server: ModelServer | undefined): ScheduledPlan[] {
  const plans = upgrades === 1 ? [FIRST] : [FIRST, SECOND];
  return plans.map((plan) => ({ ...plan, info: infoOf(plan.name, source, server) }));
}

function infoOf(program: ProgramName, source: ProgramSource, server: ModelServer | undefined): string {
  if (source === "staged") return "";
  if (source === "file") return infoFor(program, `file://${MIRROR}/${program}`);
  if (!server) throw new Error("there is no server");
  return infoFor(program, server.url(program, source satisfies ServerMode));
}

/** A home before its first start, everything on disk. */
export function makeWorld(scene: Scene, plans: readonly ScheduledPlan[]): World {
  const world = new World({ kind: scene.kind, plans });
  const { files, disk } = world;
  files.put(`${ROOT}/genesis/bin/${NAME}`, programBytes("v1"), 0o755);
  for (const { name } of plans) {
    const bytes = programBytes(name as ProgramName);
    if (scene.source === "staged") files.put(`${ROOT}/upgrades/${name}/bin/${NAME}`, bytes, 0o755);
    files.put(`${MIRROR}/${name}`, bytes);
  }
  files.put(`${DATA}/priv_validator_state.json`, "{}");
  world.writeState();
  disk.settle();
  return world;
}

export const lastHeight = (plans: readonly ScheduledPlan[]) => (plans.at(-1)?.height ?? 0n) + BLOCKS_AFTER;

export function environmentOf({ source, isBackedUp, grace }: Scene): Record<string, string> {
  return {
    ...{ DAEMON_HOME: HOME, DAEMON_NAME: NAME, CHAINVISOR_STATUS_ADDRESS: "" },
    DAEMON_ALLOW_DOWNLOAD_BINARIES: String(source !== "staged"),
    DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM: "true",
    UNSAFE_SKIP_BACKUP: String(!isBackedUp),
    ...(grace > 0 ? { DAEMON_SHUTDOWN_GRACE: `${grace}s` } : {}),
  };
}
