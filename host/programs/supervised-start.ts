/** How this node is started where a sidecar does it: a plain `start` beside the sidecar would lack the flags of its unit. */
export interface SupervisedStart {
  /** All words, to which flags may be added. */
  readonly startCommand?: string | undefined;
  /** Of the system's service, which takes no flags. */
  readonly serviceCommand?: string | undefined;
}

export const supervisedStart = (
  { CHAINVISOR_START: startCommand, CHAINVISOR_SERVICE: serviceCommand }: NodeJS.ProcessEnv = process.env,
): SupervisedStart => ({ startCommand, serviceCommand });
