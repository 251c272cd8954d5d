/** For machines: JSON Lines. */
import type { Show } from "./events.js";

export function jsonView(): Show {
  return (event) => void process.stdout.write(`${JSON.stringify(event)}\n`);
}
