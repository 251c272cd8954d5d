// Ending a run: the host drops everything that was written.
import { fail } from "./imports";

const text: usize = memory.data(1_024);

/** Ends the run with a code of the author's choice and a message of ASCII characters. Does not return. */
export function failWith(code: i32, message: string): void {
  const length = min(message.length, 1_024);
  for (let i = 0; i < length; i++) store<u8>(text + i, message.charCodeAt(i));
  fail(code, text, length);
  unreachable();
}
