/** `chaind snapshots`: state for nodes that join, as it lies in a home. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { parseCount, parseHeight } from "../../../base/terminal/options.js";
import type { Context } from "../../flags/context.js";

/** The one that this program makes. */
const SNAPSHOT_FORMAT = 3;
const homeOf = (command: Cobra) => String(command.optsWithGlobals()["home"]);

interface RestoreChoice {
  readonly appHash?: string;
  readonly handlers?: string;
}

export function registerSnapshots(program: Cobra, context: Context): void {
  const snapshots = program
    .command("snapshots")
    .aliases(["snapshot"])
    .summary("Snapshots of the state, for nodes that join a network")
    .description(
      "A node with CometBFT takes them by itself: state-sync.snapshot-interval in app.toml; any node one of the state before an\n" +
        "upgrade: snapshot-before-upgrade. Nodes that join fetch one from\n" +
        "their peers, check it against the app hash, and have neither old blocks nor old versions to run.",
    )
    .example("snapshots list --home node", "snapshots create --home node", "snapshots dump 40 --home node")
    .group();
  snapshots
    .command("list")
    .summary("List the snapshots of this home")
    .action(async (_: unknown, command: Cobra) => {
      const { listSnapshots } = await import("../snapshots.js");
      const found = listSnapshots(homeOf(command));
      const lines = found.map(
        ({ height, format, chunks, app_version }) =>
          `height: ${height} format: ${format} chunks: ${chunks} app version: ${app_version}`,
      );
      await context.print({ snapshots: found }, lines.join("\n") || "no snapshots");
    });
  snapshots
    .command("export")
    .aliases(["create"])
    .summary("Take a snapshot of this home; its node may run")
    .option("--height <height>", "of the state, which must be kept (default: the last)", parseHeight)
    .action(async ({ height = 0n }: { height?: bigint }, command: Cobra) => {
      const { exportSnapshot } = await import("../snapshots.js");
      await context.print(await exportSnapshot(homeOf(command), height, (line) => context.say(line)));
    });
  snapshots
    .command("dump")
    .argument("<height>", "height of the snapshot", parseHeight)
    .argument("[format]", "its format", parseCount, SNAPSHOT_FORMAT)
    .option("--output-document <file>", "the archive (default: <height>-<format>.tar.gz in this folder)")
    .summary("Write a snapshot of this home into one file")
    .action(async (height: bigint, format: number, flags: { outputDocument?: string }, command: Cobra) => {
      const { dumpSnapshot } = await import("../snapshots.js");
      await context.print({ file: await dumpSnapshot(homeOf(command), height, format, flags.outputDocument) });
    });
  snapshots
    .command("load")
    .argument("<archive-file>", "as `dump` writes it")
    .summary("Put the snapshot of such a file among those of this home")
    .action(async (file: string, _: unknown, command: Cobra) => {
      const { loadSnapshot } = await import("../snapshots.js");
      await context.print(await loadSnapshot(homeOf(command), file));
    });
  snapshots
    .command("restore")
    .argument("<height>", "height of the snapshot", parseHeight)
    .argument("[format]", "its format", parseCount, SNAPSHOT_FORMAT)
    .option("--handlers <dir>", "folder of handlers, beside <home>/handlers (default: the program's own)")
    .option("--app-hash <hex>", "of the state, from a source that you trust: app_hash in the header of the next block")
    .summary("Restore the state of a snapshot of this home, where it has none")
    .description(
      "For a node with CometBFT whose state was lost: with its own blocks CometBFT goes on from the height at the next start.\n" +
        "A home that has no blocks either joins by state sync. Blocks of the embedded engine are in no other home: no engine\n" +
        "goes on from a snapshot of its chain, which is for rehearsals (to come back: rollback, backup).",
    )
    .action(async (height: bigint, format: number, chosen: RestoreChoice, command: Cobra) => {
      const { restoreSnapshot } = await import("../restore-snapshot.js");
      const { appHash, handlers } = chosen;
      const flags = { height, format, appHash, handlers };
      await context.print(await restoreSnapshot(context.chain, homeOf(command), flags, context.say));
    });
  snapshots
    .command("delete")
    .argument("<height>", "height of the snapshot", parseHeight)
    .argument("[format]", "its format", parseCount, SNAPSHOT_FORMAT)
    .summary("Delete a snapshot of this home")
    .action(async (height: bigint, format: number, _: unknown, command: Cobra) => {
      const { deleteSnapshot } = await import("../snapshots.js");
      deleteSnapshot(homeOf(command), height, format);
      await context.print({ height: String(height), format });
    });
}
