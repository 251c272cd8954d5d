/** A plan's program, by its info, into its folder. */
import { dirname } from "node:path";
import { goPlatform } from "../../../upgrade/plan-info/platform.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import type { FetchOptions } from "../../download/fetch-program.js";
import { rememberDownload } from "../../stage/verified-download.js";
import type { Shared } from "./options.js";

type Of = Pick<Shared, "settings" | "machine" | "board" | "log" | "layout">;

/** @throws UpgradeError of `fetchProgram` */
export async function fetchPlan(
  { settings, machine, board, log, layout }: Of,
  { name, info }: Plan,
  signal: AbortSignal,
): Promise<void> {
  const { fetchProgram } = await import("../../download/fetch-program.js");
  let before = 0;
  const onProgress: FetchOptions["onProgress"] = (done, total) => {
    board.count("downloadBytes", Math.max(0, done - before));
    before = done;
    board.update({
      progress: { what: "bytes", done: String(done), total: total === undefined ? null : String(total) },
    });
  };
  const fetched = await fetchProgram({
    ...{ files: machine.files, info, name: settings.name, signal, onProgress, log },
    platform: goPlatform(process.platform, process.arch),
    folder: dirname(dirname(layout.of(name).file)),
    isChecksumRequired: settings.isChecksumRequired,
    bytesMax: settings.downloadBytesMax,
    millisMax: settings.downloadTimeout,
    stallMillis: settings.downloadStall,
    sleep: (millis, ended) => machine.clock.sleep(millis, ended),
  });
  rememberDownload(machine.files, fetched, log);
}
