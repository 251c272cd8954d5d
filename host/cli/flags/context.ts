/** What the commands of a program work with. Two programs in one process have one each. */
import type { Io } from "../../base/terminal/io.js";
import type { Output } from "../../base/terminal/output.js";
import type { LogChoices } from "../../base/terminal/process-log.js";
import type { Log } from "../../base/text/log-line.js";
import type { Chain } from "../../chain/app/chain.js";

export interface ProgramContext {
  /** The chain that the program is of. Its name is the program's. */
  readonly chain: Chain;
  readonly io: Io;
  /** Sets the exit status of a command that returns. One that throws exits with the status of its error. */
  setExitStatus(status: number): void;
  /** Opens the log of a command that runs a node. From then on its failure is a line of the log. */
  openLog(choices: LogChoices): Log;
}

export interface Context extends ProgramContext, Output {}
