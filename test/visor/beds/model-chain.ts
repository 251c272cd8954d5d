/**
 * The chain that the sidecar's campaign takes through its upgrades: the example chain's real application over a database that outlives
 * its processes. A program is one line of text in a file, so that a torn one is none.
 */

import type { UpgradeFiles } from "../../../host/base/files/upgrade-files.js";
import { sha256 } from "../../../host/base/native/sha256.js";
import { toHex } from "../../../host/base/text/bytes.js";
import type { Height, Plan } from "../../../host/base/types/types.js";
import { App } from "../../../host/chain/app/app.js";
import { type Genesis, parseGenesis } from "../../../host/chain/app/genesis/genesis.js";
import { Core } from "../../../host/upgrade/core/core.js";
import { UPGRADE_STORE } from "../../../host/upgrade/module/keeper.js";
import { exampleChain, V1, V2 } from "../../example-chain.js";
import { runnableBytes } from "../../runnable-bytes.js";
import { genesisText } from "../../scenario/genesis-text.js";
import { KeptDatabase } from "../../scenario/kept-database.js";
import { toV2, toV3, V3 } from "../../scenario/versions.js";

const core = new Core();

/** The programs there are, in their order; the first is that of genesis. */
export const PROGRAMS = ["v1", "v2", "v3"] as const;
export type ProgramName = (typeof PROGRAMS)[number];

const VERSIONS = { v1: [V1], v2: [V1, V2], v3: [V1, V2, V3] } as const;
const HANDLERS = { v1: [], v2: [toV2()], v3: [toV2(), toV3()] } as const;
const PADDING = 600;

/** The bytes of a program's file: begins as what runs here, so that the sidecar takes it for a program. */
export const programBytes = (name: ProgramName): Uint8Array =>
  runnableBytes(new TextEncoder().encode(`${name}\n${name.repeat(PADDING)}\nend\n`));

/** Undefined: no program, or a torn one. */
export function programIn(bytes: Uint8Array): ProgramName | undefined {
  const text = new TextDecoder().decode(bytes);
  return PROGRAMS.find((name) => text === new TextDecoder().decode(programBytes(name)));
}

/** A plan, and the block that schedules it. */
export interface ScheduledPlan extends Plan {
  readonly scheduledAt: Height;
}

export class ModelChain {
  readonly #database = new KeptDatabase();
  readonly #genesis: Genesis = parseGenesis(exampleChain, genesisText());
  /** App hashes of what was committed; the state of genesis has none. */
  readonly hashes = new Map<Height, string>();

  constructor(readonly plans: readonly ScheduledPlan[]) {}

  get height(): Height {
    return BigInt(this.hashes.size);
  }

  /** Which program makes a block. */
  programOf(height: Height): ProgramName {
    return PROGRAMS[this.plans.filter((plan) => plan.height <= height).length] ?? "v1";
  }

  /** A new process of a program, loaded. @throws UpgradeError as App.load does */
  open(program: ProgramName, files: UpgradeFiles, skipHeights: readonly Height[]): App {
    const app = new App({
      ...{ chain: exampleChain, database: this.#database, sha256, core, genesis: this.#genesis },
      ...{ versions: VERSIONS[program], files, skipHeights },
    });
    for (const { plan, run, ...rest } of HANDLERS[program]) app.keeper.setUpgradeHandler(plan, run, rest);
    app.load();
    return app;
  }

  /** @throws UpgradeError: a halt, or another refusal; nothing is committed */
  makeBlock(app: App): Height {
    const height = app.nextHeight;
    const plan = this.plans.find(({ scheduledAt }) => scheduledAt === height);
    const { keeper } = app;
    const time = { seconds: 1_700_000_000n + 5n * height, nanos: 0 };
    app.finalizeBlock({
      ...{ height, time },
      changes: plan
        ? [
            (context) =>
              keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, {
                authority: keeper.authority,
                plan: { name: plan.name, height: plan.height, info: plan.info },
              }),
          ]
        : [],
    });
    const { version, hash } = app.commit();
    this.hashes.set(version, toHex(hash));
    return version;
  }

  /** The process's own end of the database; the next one opens it again. */
  close(app: App | undefined): void {
    app?.close();
    this.#database.close();
  }
}
