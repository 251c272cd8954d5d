/**
 * Looks at homes and goes on with them, in a process of its own: a broken database may end the process that opens it. Takes one
 * request at a time from its parent, over the channel of `fork`.
 */

import { isUpgradeError } from "../../../host/base/errors/errors.js";
import { logicalClock } from "../../../host/node/embedded/clock.js";
import { OpenHome } from "../../../host/node/open/open-home.js";
import { recordHalt, runNode } from "../../../host/node/open/run-node.js";
import { exampleChain } from "../../example-chain.js";
import { type Committed, inspectDatabase } from "../inspect.js";

const BLOCK_NANOS = 5_000_000_000n;

export interface VerifyRequest {
  readonly home: string;
  readonly handlers: string;
  /** Arguments of `chaind start` for the processes that go on, one after the other; stops at an end not allowed. */
  readonly steps: readonly { readonly args: readonly string[]; readonly exits: readonly number[] }[];
}

export interface Verdict {
  /** As it was found. */
  readonly found: Committed;
  /** After the steps. */
  readonly after: Committed;
  /** What went wrong on the way. */
  readonly problem: string | undefined;
}

async function verify({ home, handlers, steps }: VerifyRequest): Promise<Verdict> {
  const found = inspectDatabase(home);
  let problem: string | undefined;
  for (const { args, exits } of steps) {
    const end = await runStep(home, handlers, args);
    if (exits.includes(end.exit)) continue;
    problem = `going on with ${args.join(" ")} ended with ${end.exit}: ${end.message}`;
    break;
  }
  return { found, after: inspectDatabase(home), problem };
}

async function runStep(
  home: string,
  handlers: string,
  args: readonly string[],
): Promise<{ exit: number; message: string }> {
  const option = (name: string) => {
    const at = args.indexOf(name);
    return at === -1 ? undefined : (args[at + 1] as string);
  };
  const [haltHeight, appVersion] = [option("--halt-height"), option("--app-version")];
  const [kept, skipped] = [option("--keep-versions"), option("--unsafe-skip-upgrades")];
  let held: OpenHome | undefined;
  try {
    held = OpenHome.hold({
      chain: exampleChain,
      ...{ home, handlers, clock: logicalClock(BLOCK_NANOS), log: () => undefined },
      ...(haltHeight === undefined ? {} : { haltHeight: BigInt(haltHeight) }),
      ...(appVersion === undefined ? {} : { appVersion: BigInt(appVersion) }),
      ...(kept === undefined ? {} : { versionsKept: Number(kept) }),
      ...(skipped === undefined ? {} : { skipHeights: [BigInt(skipped)] }),
    });
    const node = held.open();
    const { signal } = new AbortController();
    await runNode(
      { home: held.home, node },
      { blockMillis: 0, signal, onBlock: () => undefined, onWarning: () => undefined },
    );
    return { exit: 0, message: "" };
  } catch (error) {
    if (!isUpgradeError(error)) return { exit: 70, message: String((error as Error).stack) };
    if (held) recordHalt(held, error, { onWarning: () => undefined });
    return { exit: error.kind.exit, message: `${error.message} [${error.code}]` };
  } finally {
    held?.close();
  }
}

process.on("message", (request: VerifyRequest) => {
  void verify(request).then(
    (verdict) => process.send?.({ verdict }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.stack : String(error) }),
  );
});
