/** A parent with a channel to this process (`localnet`) has it end when the channel closes, however the parent ends. */

/** What of a process is needed for it. */
export interface Parented {
  /** Undefined: there never was a channel. */
  readonly connected?: boolean;
  readonly channel?: { unref(): void } | null | undefined;
  readonly pid: number;
  once(event: "disconnect", listener: () => void): unknown;
  kill(pid: number, signal: "SIGTERM"): unknown;
}

export function endWithParent(self: Parented): void {
  const end = () => self.kill(self.pid, "SIGTERM");
  // It may have ended while this program was loaded.
  if (self.connected === false) end();
  if (!self.connected) return;
  self.once("disconnect", end);
  // It does not keep a node that is done from ending.
  self.channel?.unref();
}
