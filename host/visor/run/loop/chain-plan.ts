/**
 * The plan that the chain has scheduled, asked of the node every few seconds: so its program is there before the height. It is
 * never a reason to switch; that is what the application writes at the height.
 */

import { messageOf } from "../../../base/errors/errors.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { isBlockMade, type Pending, type Reached } from "../../decide/decision/decide.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { servedRpc } from "../../decide/heights/served-rpc.js";
import type { Shared } from "./options.js";

const ASK_MILLIS = 5_000;
/** Shortly before the height a plan that was cancelled or moved must not be shown for long. */
const ASK_NEAR_MILLIS = 1_000;
const NEAR_BLOCKS = 20n;
const FAILURES_LOGGED = 4;

export class ChainPlan {
  #plan: Plan | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #failures = 0;

  constructor(private readonly shared: Shared) {}

  /** As far as the node has returned it. Returns at once. */
  look(): Pending | undefined {
    const { clock } = this.shared.machine;
    if (!this.#isAsking && clock.now() - this.#askedAt >= this.#pause()) void this.#ask();
    return this.#plan && { plan: this.#plan, origin: "chain" };
  }

  #pause(): number {
    const { height } = this.shared.board.current;
    const isNear = this.#plan && height && this.#plan.height - BigInt(height.value) <= NEAR_BLOCKS;
    return isNear ? ASK_NEAR_MILLIS : ASK_MILLIS;
  }

  /** The same program is started again: what its node returned before is kept, unless the home has the plan's block. */
  runBegins(last: Reached | undefined): void {
    if (this.#plan && isBlockMade(last, this.#plan)) this.#plan = undefined;
  }

  /** Another program, or none, runs from now on. */
  forget(): void {
    this.#plan = undefined;
    this.#failures = 0;
    this.shared.board.update({ is_plan_read: undefined });
  }

  async #ask(): Promise<void> {
    const { settings, machine, askRpc: ask } = this.shared;
    if (settings.rpcAddress === "") return;
    this.#isAsking = true;
    try {
      const { planByRpc } = await import("../../decide/node-plan.js");
      const { plan } = await planByRpc(settings.rpcAddress, ask);
      this.#plan = plan && { ...plan, name: settings.isCaseKept ? plan.name : plan.name.toLowerCase() };
      this.#succeeded();
    } catch (error) {
      // A node that does not answer is asked again; what it said last may still be true.
      this.#failed(messageOf(error));
    } finally {
      this.#isAsking = false;
      this.#askedAt = machine.clock.now();
    }
  }

  #succeeded(): void {
    this.#failures = 0;
    this.shared.board.update({ rpc_failure: undefined, is_plan_read: true });
  }

  /** A node that starts does not respond at first, so the log has no line about its first failures. */
  #failed(why: string): void {
    const { board, settings, log } = this.shared;
    const { rpcAddress: address } = settings;
    board.update({ rpc_failure: { address, why, next: this.#wayOut() } });
    this.#failures++;
    if (this.#failures !== FAILURES_LOGGED) return;
    log("warn", `the node's plan cannot be read: ${why}. CHAINVISOR_RPC_ADDRESS is ${address}. Retrying every 5 s.`);
  }
  /** Where the node serves at the very address, it does not respond there. */
  #wayOut(): string {
    const { settings, machine, args, env } = this.shared;
    const served = servedRpc({ files: machine.files, settings, args, env });
    if (served === settings.rpcAddress) return `curl ${shellWord(`${served}/status`)}`;
    return `export CHAINVISOR_RPC_ADDRESS=${served === undefined ? "http://127.0.0.1:PORT" : shellWord(served)}`;
  }
}
