/** What the run loop is given, and what its parts share. */
import type { Log } from "../../../base/text/log-line.js";
import type { Layout } from "../../../node/programs/layout.js";
import type { Places } from "../../decide/decision/paths.js";
import type { AskRpc } from "../../decide/heights/node-status.js";
import type { StoreHeight } from "../../decide/heights/store-height.js";
import type { Machine } from "../../decide/machine.js";
import type { Settings } from "../../decide/settings.js";
import type { StatusBoard } from "../../decide/status.js";
import type { holdConnections } from "../../hot/hold-connections.js";
import type { StartCommands } from "../../stage/start-command.js";

export interface VisorOptions {
  readonly settings: Settings;
  /** Of the application. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly machine: Machine;
  readonly board: StatusBoard;
  /** Aborted with the name of a signal: the application gets it, and the sidecar ends when that has. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Later signals, by default for the application, without those that it gets from the terminal. Returns what ends it. */
  readonly onSignal?: (listener: (signal: NodeJS.Signals) => void, reach?: "application" | "sidecar") => () => void;
  /** Has the application got a signal by itself, as of a terminal's keys? */
  readonly isSignalShared?: (signal: NodeJS.Signals) => boolean;
  readonly askRpc?: AskRpc;
  readonly storeHeight?: StoreHeight;
  readonly hold?: typeof holdConnections;
  /** All words that start this supervisor again; undefined: those of `chainvisor run`. */
  readonly command?: string;
  /** Stopped while CometBFT waits at a height, it ends with the application's 10, not 0. */
  readonly isHoldReported?: boolean;
}

export interface Shared extends VisorOptions {
  readonly places: Places;
  readonly layout: Layout;
  /** How this sidecar is started again. */
  readonly starts: StartCommands;
  /** Of this home's chain alone. */
  readonly askRpc: AskRpc;
  /** Of every process that is started. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
}
