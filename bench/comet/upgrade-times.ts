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

/** Height and time of the blocks that a node says it has committed (`--log_format json`). */
export function commitsOf(log: string): Map<number, number> {
  const commits = new Map<number, number>();
  for (const line of log.split("\n")) {
    if (!line.startsWith("{") || !line.includes('"msg":"block committed"')) continue;
    const { height, time } = JSON.parse(line) as { height: string; time: number };
    commits.set(Number(height), time);
  }
  return commits;
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
