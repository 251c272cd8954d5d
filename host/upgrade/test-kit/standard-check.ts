/** Result of one standard check of a handler. */
export interface StandardCheck {
  readonly name: "runs" | "batch sizes" | "out of gas" | "memory" | "idempotent" | "layout";
  readonly ok: boolean;
  /** What was looked at, or what is wrong. */
  readonly message: string;
}
