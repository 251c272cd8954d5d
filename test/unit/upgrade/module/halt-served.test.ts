/** What a node serves of its halt: the words without a path of its machine, for every code. */
import { describe, expect, test } from "vitest";
import { ERROR_KINDS, type ErrorCode, UpgradeError } from "../../../../host/base/errors/errors.js";
import { failureOf, Halt, type HaltRecord, haltRecord } from "../../../../host/upgrade/module/halt.js";
import { servedHalt } from "../../../../host/upgrade/module/halt-served.js";

const RECORDED_FROM = 10;
const CODES = (Object.keys(ERROR_KINDS) as ErrorCode[]).filter((code) => ERROR_KINDS[code].exit >= RECORDED_FROM);
const HOMES = ["/srv/chain", "/srv/it's a secret chain", "/srv/a.b/c", "/x"];
const SHARED = "/opt/our secret handlers";
const PLAN = { name: "v3", height: 364n, info: '{"binaries":{"linux/amd64":"https://example.org/v3/chaind"}}' };

function recordOf(home: string, code: ErrorCode, file: string): HaltRecord {
  const details = {
    ...{ file, other: `${home}/handlers/other.wasm`, holder: "77", pinned_sha256: "cd".repeat(32) },
    ...{ app_version: "1", last_upgrade: "v2" },
  };
  const message = `no: ENOENT, open '${file}'; ${home}/data, (${file}), ${home}.`;
  const error = failureOf(new UpgradeError(code, message, { details }), PLAN, { file, hash: "ab".repeat(32) });
  return haltRecord(error as UpgradeError, {
    ...{ lastCommittedHeight: 363n, nextHeight: 364n, appHash: new Uint8Array(32), time: "", home },
  });
}

describe.each(HOMES)("servedHalt() of a home %s", (home) => {
  const own = `${home}/handlers/v3.wasm`;
  test.each(CODES.flatMap((code) => [own, `${SHARED}/v3.wasm`].map((file) => [code, file] as const)))(
    "%s, handler %s → no path; code, plan, hash and commands stay",
    (code, file) => {
      const record = recordOf(home, code, file);
      const served = servedHalt(record, home, [`${home}/handlers`, SHARED]);
      const texts = [served.message, served.next, ...served.commands].join("\n");
      for (const part of [home, home.replaceAll("'", "'\\''"), "secret", "our"]) {
        expect(texts).not.toMatch(new RegExp(`(?<![\\w/>])${escaped(part)}(?!\\w)`));
      }
      expect(texts).not.toMatch(/(?<![\w>])\/\w/);
      expect(served).toMatchObject({ code, plan: { name: "v3", info: PLAN.info }, height: "364" });
      expect(served.handler).toEqual({ sha256: "ab".repeat(32) });
      expect(served.commands).toHaveLength(record.commands.length);
      for (const command of served.commands) expect(served.next).toContain(`\`${command}\``);
      // Where only another program helps there is no command, and no home.
      expect(served.next.includes("--home <home>")).toBe(record.commands.length > 0);
    },
  );
});

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

describe("servedHalt() of a message", () => {
  const said = (message: string) => {
    const halt = new Halt("UPG_HALT_HEIGHT", message, 9n);
    const facts = { lastCommittedHeight: 8n, nextHeight: 9n, appHash: new Uint8Array(), time: "" };
    return servedHalt(haltRecord(halt, facts), "/srv/chain", []).message;
  };
  test.each([
    'UPGRADE "v2" NEEDED at height: 9: {"a":"https://example.org/x"}',
    "and/or 1/2 of x/upgrade, linux/amd64",
  ])("%s → as it is", (message) => expect(said(message)).toBe(message));

  test.each([
    ["/srv/chain2/data is not /srv/chain/data", "<path> is not <home>/data"],
    [
      "open '/var/lib/a b/c': denied (/etc/x), ~/y, ../z, file:///w.",
      "open <path>: denied (<path>), <path>, <path>, <path>.",
    ],
    ['C:\\Users\\me\\x, "/var/a b", path=/tmp/q', "<path>, <path>, path=<path>"],
  ])("%s → %s", (message, expected) => expect(said(message)).toBe(expected));
});
