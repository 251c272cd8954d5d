/** Which signals ask a process to stop, and which ask it to exit at once. */

/**
 * A terminal's Ctrl-C, `kill -- -GROUP` and systemd signal every process of a group. A sidecar or `npm` in that group passes the
 * signal on as well, so one request arrives twice.
 */
const SAME_REQUEST_MILLIS = 500;

export class StopRequests {
  #state: "none" | "just now" | "before" = "none";

  /**
   * `stop`: finish the work under way. `again`: the same request, delivered once more. `at once`: a second request. SIGHUP always asks
   * to stop and is never counted: a shell repeats it, and systemd may send it besides SIGTERM.
   */
  take(signal: NodeJS.Signals): "stop" | "again" | "at once" {
    if (signal === "SIGHUP") return "stop";
    if (this.#state === "before") return "at once";
    if (this.#state === "just now") return "again";
    this.#state = "just now";
    // Signals that arrived while the event loop was blocked are handled before an immediate, but after a timer.
    // The immediate is not unreferenced: a loop that waits would handle it after the next event only, which may be the second request.
    setTimeout(() => setImmediate(() => this.#end()), SAME_REQUEST_MILLIS).unref();
    return "stop";
  }

  #end(): void {
    this.#state = "before";
  }
}
