/** Settings that an operator can get wrong: what the doctor reports of each, and what to set. */
import { describe, expect, test } from "vitest";
import { goodHome, look } from "./doctor-home.js";

describe("examine() settings", () => {
  test("grace 0, downloads without checksums, a name that nothing reads → warnings", () => {
    const env = { DAEMON_SHUTDOWN_GRACE: "", DAEMON_ALLOW_DOWNLOAD_BINARIES: "true", DAEMON_NAM: "x" };
    const found = look(goodHome().home, { env });
    expect(found).toHaveLength(3);
    expect(found.join("\n")).toContain('(did you mean "DAEMON_NAME"?)');
    expect(found.join("\n")).toContain("→ DAEMON_SHUTDOWN_GRACE=30s");
    expect(found.join("\n")).toContain("→ DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM=true");
  });
  test("a restart delay of an hour → a warning with the time; of seconds → nothing", () => {
    const found = (delay: string) => look(goodHome().home, { env: { DAEMON_RESTART_DELAY: delay } });
    expect(found("1h")).toEqual([expect.stringMatching(/^warning settings: DAEMON_RESTART_DELAY is 3600 s: /)]);
    expect(found("5s")).toEqual([]);
  });
  test("neither name nor home → what to set, and that these two are all", () => {
    const none = { DAEMON_NAME: "", DAEMON_HOME: "" };
    expect(look("", { env: none }).filter((line) => line.includes(" settings: "))).toEqual([
      "wrong settings: DAEMON_NAME is not set → DAEMON_NAME=<the file name of the node's program, such as chaind>",
      "wrong settings: DAEMON_HOME is not set → DAEMON_HOME=<the node's home, an absolute path>",
      "wrong settings: DAEMON_DATA_BACKUP_DIR must not be empty → nothing more: its default is DAEMON_HOME",
    ]);
  });
  test("no home at all → the settings' words, once", () => {
    expect(look("/no/such/home", { env: { UNSAFE_SKIP_BACKUP: "true" } })).toEqual([
      "wrong settings: cannot stat home dir: stat /no/such/home/cosmovisor: no such file or directory; `chainvisor init` makes it",
    ]);
  });
});
