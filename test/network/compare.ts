/** What the nodes of a network may never do: disagree. */
import type { NetNode } from "./node.js";

export interface Compared {
  /** From the first that is compared to the height that all have. */
  readonly heights: number;
  readonly differences: readonly string[];
}

export type Compares = Pick<NetNode, "height" | "headers"> & { readonly own: { readonly name: string } };

/** Headers that are not the same everywhere. @throws Error when a node cannot be asked: nothing would be compared */
export async function compareHeaders(nodes: readonly Compares[], from = 1): Promise<Compared> {
  const each = await Promise.all(nodes.map((node) => node.height()));
  const last = Math.min(...each);
  const silent = nodes.filter((_, at) => each[at] === 0).map(({ own }) => own.name);
  if (silent.length > 0 || nodes.length < 2) throw new Error(`nothing to compare: no height of ${silent.join(", ")}`);
  const [first, ...others] = await Promise.all(nodes.map((node) => node.headers(from, last)));
  const differences: string[] = [];
  for (let at = from; at <= last; at++) {
    const expected = first?.get(at);
    if (expected === undefined) differences.push(`height ${at} is missing`);
    for (const [index, other] of others.entries()) {
      if (other.get(at) !== expected)
        differences.push(`height ${at} of ${nodes[index + 1]?.own.name}: ${other.get(at)}, not ${expected}`);
    }
  }
  return { heights: last - from + 1, differences };
}
