/** A node that serves an engine on a port of its own, for tests: its error, its log, and how to stop it. */

import { parseAbciAddress } from "../../../../host/node/comet/address.js";
import { type AppNodeOptions, runAppNode } from "../../../../host/node/comet/app-node.js";
import { cometFiles } from "../../../../host/node/comet/comet-files.js";
import type { Answer, Call } from "../../../../host/node/comet/messages.js";
import { HaltLinger } from "../../../../host/node/home/halt-linger.js";
import type { Home } from "../../../../host/node/home/home.js";
import { AbciClient } from "./client.js";

export const never = new Promise<never>(() => undefined);

/** An application that serves nothing but what a test gives it. */
export type App = (call: Call) => Promise<Answer>;
export const app: App = async (call) => ({ case: call.case, value: {} }) as Answer;

export interface Node {
  /** Address of its ABCI server. */
  readonly at: string;
  /** The error that it ended by; undefined: none. */
  readonly end: Promise<unknown>;
  /** Its log. */
  readonly said: readonly string[];
  stop(): void;
  isConnected(): boolean;
  engine(): Promise<AbciClient>;
}

export async function node(options: Partial<AppNodeOptions>): Promise<Node> {
  const stopping = new AbortController();
  let isConnected = () => false;
  let opened: (address: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    opened = resolve;
  });
  const said: string[] = [];
  const end = runAppNode({
    ...{
      program: "chaind",
      isNew: true,
      isRestored: () => false,
      nextHeight: () => 1n,
      comet: undefined,
      address: parseAbciAddress("tcp://127.0.0.1:0"),
    },
    ...{
      answer: app,
      untilIdle: async () => undefined,
      appEnded: never,
      linger: new HaltLinger({ millis: 0, isAsked: false }, () => undefined),
    },
    log: (level, message) => {
      said.push(`${level} ${message}`);
      opened(/^ABCI server open at (.*)$/.exec(message)?.[1] ?? "");
    },
    onOpen: (ask) => {
      isConnected = ask;
    },
    signal: stopping.signal,
    ...options,
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const at = await address;
  const engine = () => AbciClient.connect(at);
  return { at, end, engine, said, stop: () => stopping.abort(), isConnected: () => isConnected() };
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** A program in place of CometBFT: it makes the file `started` in its home, and ends when a file `end` is there. */
export const program = (home: Home) => ({
  program: "/bin/sh",
  args: ["-c", 'touch "$0/started"; until [ -e "$0/end" ]; do sleep 0.05; done', home.path],
  files: cometFiles(home),
});
