/** `chaind snapshots`: state for nodes that join, as it lies in a home. */
import type { Cobra } from "../../shell/cobra.js";
import { parseCount, parseHeight } from "../../shell/options.js";
import type { Output } from "../../shell/output.js";

const homeOf = (command: Cobra) => String(command.optsWithGlobals()["home"]);

export function registerSnapshots(program: Cobra, output: Output): void {
  const snapshots = program
    .command("snapshots")
    .summary("Snapshots of the state, for nodes that join a network")
    .description(
      "A node with CometBFT takes them by itself: state-sync.snapshot-interval in app.toml. Nodes that join fetch one from\n" +
        "their peers, check it against the app hash, and have neither old blocks nor old versions to run.",
    )
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
      output.print({ snapshots: found }, lines.join("\n") || "no snapshots");
    });
  snapshots
    .command("export")
    .summary("Take a snapshot of this home, while its node is stopped")
    .option("--height <height>", "of the state, which must be kept (default: the last)", parseHeight)
    .action(async ({ height = 0n }: { height?: bigint }, command: Cobra) => {
      const { exportSnapshot } = await import("../snapshots.js");
      output.print(await exportSnapshot(homeOf(command), height, (line) => output.say(line)));
    });
  snapshots
    .command("delete")
    .argument("<height>", "height of the snapshot", parseHeight)
    .argument("[format]", "its format", parseCount, 3)
    .summary("Delete a snapshot of this home")
    .action(async (height: bigint, format: number, _: unknown, command: Cobra) => {
      const { deleteSnapshot } = await import("../snapshots.js");
      deleteSnapshot(homeOf(command), height, format);
      output.print({ height: String(height), format });
    });
}
