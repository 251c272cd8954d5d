/** For machines: JSON Lines. */
import type { Io } from "../../base/terminal/io.js";
import type { Show } from "./events.js";

export function jsonView({ stdout }: Pick<Io, "stdout">): Show {
  return (event) => void stdout.write(`${JSON.stringify(event)}\n`);
}
