/** Names of what an archive holds: only those that stay in the folder they are unpacked to, on any system. */
import { UpgradeError } from "../../base/errors/errors.js";
import { decodeLossy, decodeText } from "../../base/text/text.js";
import { goQuote } from "../../upgrade/plan-info/go-quote.js";

const PART_BYTES_MAX = 255;
const NAME_BYTES_MAX = 4_096;
const DEPTH_MAX = 32;

/**
 * The parts of a path; none for the archive's own root, as `./`.
 * @throws UpgradeError UPG_INVALID_PLAN_INFO
 */
export function partsOf(name: string | Uint8Array): readonly string[] {
  const text =
    typeof name === "string" ? name : decodeText(name, () => refused(decodeLossy(name), "its name is no UTF-8"));
  if (Buffer.byteLength(text) > NAME_BYTES_MAX) throw refused(`${text.slice(0, 64)}…`, "its name is too long");
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) throw refused(text, "its name holds control characters");
  if (/^\/|^[A-Za-z]:|\\/.test(text)) throw refused(text, "its name is no path inside of a folder");
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw refused(text, "it would be outside of the folder");
  if (parts.length > DEPTH_MAX) throw refused(text, "it lies too deep");
  if (parts.some((part) => Buffer.byteLength(part) > PART_BYTES_MAX)) throw refused(text, "its name is too long");
  return parts;
}

export function refused(name: string, why: string): UpgradeError {
  return new UpgradeError(
    "UPG_INVALID_PLAN_INFO",
    `the archive's entry ${goQuote(name.slice(0, 256))} is refused: ${why}`,
  );
}
