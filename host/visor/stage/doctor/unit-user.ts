/** The user that a unit file names, by the system's own lists. */
import type { Files } from "../../../base/files/files.js";
import { decodeLossy } from "../../../base/text/text.js";
import type { User } from "../files-readiness.js";
import { bytesOf } from "./unit-start.js";
import type { UnitText } from "./unit-text.js";

export const USERS = "/etc/passwd";
const GROUPS = "/etc/group";

/** Undefined: the unit names none, or one that is in no list of this machine. */
export function unitUser(unit: UnitText, files: Files): User | undefined {
  const wanted = unit.last("User");
  const row = rowsOf(files, USERS).find(([name, , uid]) => wanted && (name === wanted || uid === wanted));
  const [name = "", , uid, own] = row ?? [];
  if (!row) return undefined;
  const groups = rowsOf(files, GROUPS);
  const group = unit.last("Group");
  const gid = group ? groups.find(([each, , id]) => each === group || id === group)?.[2] : own;
  const others = groups
    .filter(([, , , members = ""]) => members.split(",").includes(name))
    .map(([, , id]) => Number(id));
  return { uid: Number(uid), gid: Number(gid), groups: new Set(others) };
}

/** Undefined entries never occur: a list that cannot be read has no rows. */
function rowsOf(files: Files, path: string): readonly (readonly string[])[] {
  const bytes = bytesOf(files, path);
  return bytes
    ? decodeLossy(bytes)
        .split("\n")
        .map((line) => line.split(":"))
    : [];
}
