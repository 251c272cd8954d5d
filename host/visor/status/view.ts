/** The status as it is shown: what the run loop says, with the time left as of now, and the progress that the node reports. */
import type { Machine } from "../decide/machine.js";
import type { Phase, StatusBoard, VisorStatus } from "../decide/status.js";
import { HeightsSeen } from "./heights-seen.js";
import type { NodeSide } from "./node-side.js";

const LOOK_MILLIS = 1_000;
/** Between two questions for the times of blocks. */
const BLOCKS_MILLIS = 15_000;
/** As many blocks as the shortest window of a pace has. */
const BLOCKS_ENOUGH = 20n;

export interface Shown {
  readonly status: VisorStatus;
  /** No block was seen for so long. */
  readonly silentSeconds: number | undefined;
  /** As of when, RFC 3339. */
  readonly time: string;
}

export interface ViewOptions {
  readonly board: StatusBoard;
  readonly node: Pick<NodeSide, "blocksBefore" | "progress">;
  readonly clock: Machine["clock"];
}

/** A plan is ahead, and blocks are made. */
const ON_THE_WAY: ReadonlySet<Phase> = new Set(["starting", "running", "waiting", "downloading", "ready"]);

export class StatusView {
  readonly #seen = new HeightsSeen();
  readonly #over = new AbortController();
  readonly #forget: () => void;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ViewOptions) {
    const { board } = options;
    this.#forget = board.onChange((status) => this.#see(status));
    this.#see(board.current);
    void this.#look();
  }

  shown(): Shown {
    const { board, clock } = this.options;
    const { current } = board;
    const eta = etaOf(current, this.#seen, clock.wall());
    const status = { ...current, eta: eta ? { seconds: eta.seconds, plus_minus: eta.plusMinus } : null };
    return { status, silentSeconds: eta?.silentSeconds, time: new Date(clock.wall()).toISOString() };
  }

  close(): void {
    this.#over.abort();
    this.#forget();
  }

  #see({ height }: VisorStatus): void {
    if (height) this.#seen.see(BigInt(height.value), this.options.clock.wall());
  }

  async #look(): Promise<void> {
    const { clock } = this.options;
    while (!this.#over.signal.aborted) {
      await this.#askBlocks();
      await this.#askProgress();
      await clock.sleep(LOOK_MILLIS, this.#over.signal);
    }
  }

  /** A sidecar that has just begun has seen no blocks yet; the node has their times. */
  async #askBlocks(): Promise<void> {
    const { board, node, clock } = this.options;
    const { plan, phase } = board.current;
    const isAsked = plan && ON_THE_WAY.has(phase) && this.#seen.blocks < BLOCKS_ENOUGH;
    if (!isAsked || clock.now() - this.#askedAt < BLOCKS_MILLIS) return;
    this.#askedAt = clock.now();
    this.#seen.begin(await node.blocksBefore());
  }

  async #askProgress(): Promise<void> {
    const { board, node } = this.options;
    if (board.current.phase !== "migrating") return;
    const progress = await node.progress();
    if (board.current.phase === "migrating" && progress) board.update({ progress });
  }
}

function etaOf({ plan, phase }: VisorStatus, seen: HeightsSeen, wall: number) {
  return plan && ON_THE_WAY.has(phase) ? seen.eta(BigInt(plan.height), wall) : undefined;
}
