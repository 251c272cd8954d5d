/** Options of a rehearsal. */
import type { Height, OnProgress, Timestamp } from "../../base/types/types.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { CheckName } from "./report/checks.js";
import type { Report } from "./report/report.js";

export interface RehearseOptions {
  readonly home: string;
  /** Name of a plan, or a file with one as JSON. Default: the scheduled plan, else that of the handler. */
  readonly plan?: string | undefined;
  /** File of a handler, in place of what home and program have. */
  readonly handler?: string | undefined;
  /** The committed state to begin with. Default: the last. */
  readonly at?: Height | undefined;
  readonly snapshot?: string | undefined;
  readonly isCopied?: boolean | undefined;
  /** Of the block. Default: just after the last block's. */
  readonly time?: Timestamp | undefined;
  readonly handlers?: string | undefined;
  readonly staged?: string | undefined;
  readonly handlerDiskMax?: number | undefined;
  /** Of `start`: know nothing newer than this version. */
  readonly appVersion?: bigint | undefined;
  /** How often the block is made. Default: 2. */
  readonly runs?: number | undefined;
  /** Say what the gas went to: for that the handler runs once more. */
  readonly gas?: boolean | undefined;
  /** The author says that a second run of the handler changes nothing. */
  readonly isIdempotent?: boolean | undefined;
  /** Checks whose findings are expected. */
  readonly accepted?: readonly CheckName[];
  /** Where all changed pairs go, as lines of JSON. */
  readonly diff?: string | undefined;
  /** Changed pairs of each store that the report shows. */
  readonly shown?: number | undefined;
  /** The home keeps the report: its text says what follows from that. Default: true. */
  readonly isKept?: boolean | undefined;
  readonly log: (level: LogLevel, message: string) => void;
  /** Called before code of modules runs, with the report of a rehearsal that has no result: a module may end the process. */
  readonly onBegin?: (unfinished: Report) => void;
  readonly onProgress?: OnProgress;
}
