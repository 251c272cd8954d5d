/** The next version of one of our programs, started before its height and held back, where its `start` knows how to wait. */
import { LAST_FAILURE_FILE } from "../../../base/terminal/last-failure.js";
import type { Program } from "../../../node/programs/layout.js";
import type { AppProcess } from "../../decide/machine.js";
import { prefixOf } from "../../decide/program-variables.js";
import { StandbyProgram } from "../../stage/standby-program.js";
import type { Shared } from "../loop/options.js";

const HELP_MILLIS = 20_000;

/** @param isChecked was the program asked, as its file is now, and can it take over? */
export function standbyApp(
  { machine, settings, childEnv, places, log, signal }: Shared,
  isChecked: (program: Program) => boolean,
): StandbyProgram<AppProcess> {
  const variable = `${prefixOf(settings.name)}STANDBY`;
  const of = { env: childEnv, cwd: settings.root };
  return new StandbyProgram({
    ...{ files: machine.files, now: () => machine.clock.now(), isChecked },
    isStartable: async ({ program: { file } }) => {
      const help = { args: ["start", "--help"], ...of, millisMax: HELP_MILLIS, signal };
      const { stdout } = await machine.processes.run(file, help);
      return !signal.aborted && stdout.includes(variable);
    },
    start: ({ program, at, args }) => {
      const env = { ...childEnv, [LAST_FAILURE_FILE]: places.appFailureFile, [variable]: "1" };
      const app = machine.processes.start(program.file, { ...of, args, env, isStandby: true });
      log("info", `${program.name} is started, process ${app.pid}, and waits for height ${at}`);
      return app;
    },
    stop: (app) => {
      app.kill("SIGKILL");
      return app.ended;
    },
  });
}
