/** When each node of a network committed which block, by its own log, and what an upgrade of all of them took. */

/** What one node wrote: its old program until it ended, and the new one. */
export interface UpgradedNode {
  readonly logs: readonly string[];
  /** When its old program was gone: milliseconds since 1970. */
  readonly endedAt: number;
}

/** Milliseconds. */
export interface UpgradeTimes {
  /** From the first commit of the block before the height to the commit of the block after it on the last node. */
  readonly whole: number;
  /** From when the first old program was gone. */
  readonly down: number;
  /** Between the first and the last commit of the block at the height. */
  readonly spread: number;
}

interface Line {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly height: string;
}

/** Of a log in JSON, those of this program that have a text. */
function linesWith(log: string, text: string): Line[] {
  const lines = log.split("\n").filter((line) => line.startsWith("{") && line.includes(text) && line.endsWith("}"));
  return lines.map((line) => {
    const { time, height } = JSON.parse(line) as { time: string; height: string };
    return { time: Date.parse(time), height };
  });
}

/** Height and time of the blocks that a node says it has committed. */
export function commitsOf(log: string): Map<number, number> {
  return new Map(linesWith(log, '"message":"block committed"').map(({ height, time }) => [Number(height), time]));
}

/** When a relay says that its worker ended at the height. @throws Error when it does not */
export function workerEndedAt(log: string): number {
  const [line] = linesWith(log, " ended with 10 at height ");
  if (!line) throw new Error(`no worker ended with 10:\n${log.slice(-3_000)}`);
  return line.time;
}

/** @throws Error when a node does not say that it committed one of the three blocks */
export function upgradeTimes(nodes: readonly UpgradedNode[], height: number): UpgradeTimes {
  const commits = nodes.map(({ logs }) => new Map(logs.flatMap((log) => [...commitsOf(log)])));
  const at = (block: number) => {
    return commits.map((each, node) => {
      const time = each.get(block);
      if (time === undefined) throw new Error(`node ${node} did not say that it committed block ${block}`);
      return time;
    });
  };
  const done = Math.max(...at(height + 1));
  return {
    whole: done - Math.min(...at(height - 1)),
    down: done - Math.min(...nodes.map(({ endedAt }) => endedAt)),
    spread: Math.max(...at(height)) - Math.min(...at(height)),
  };
}
