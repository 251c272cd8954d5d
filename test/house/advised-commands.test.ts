/**
 * A command that a message advises can be pasted: it names the home that the message is about, since the reader's shell may have another
 * default, and no placeholder of it is a redirection of the shell.
 */
import { expect, test } from "vitest";
import { sourcesUnder } from "./sources.js";

/** Commands that act on a home or on its keys. */
const OF_HOME =
  "backup|comet|compact|config|export|genesis|init|keys|pre-upgrade|prune|query|replay|rescue|rollback|snapshots|start|status|upgrade|verify";
/** A template's text in backquotes that begins with a program's name, whatever expression gives the name. */
const ADVICE = new RegExp(`\\\\\`(?:npx )?\\$\\{[^{}\`]+\\} (?:${OF_HOME})\\b[^\`]*\``, "g");
/** `chainvisorFor()` gives the sidecar's name with the home. */
const NAMED = /--home|--keyring-dir|--help|\$\{where\}|\$\{chainvisor(?:For\(\w+\))?\} /;

/** Where there is no home to name: the file of settings, another operator's home, help, and a database below any home. */
const WITHOUT_HOME: readonly string[] = [
  "host/cli/commands/config-defaults.ts",
  "host/cli/demo/old-document.ts",
  "host/cli/genesis/collect-gentxs.ts",
  "host/cli/offline/commands/export.ts",
  "host/state/store/disk/lmdb-checksum.ts",
  "host/state/store/versions/commit-record.ts",
];

test("advice with a command of this program names the home", () => {
  const sources = sourcesUnder("host").filter(({ path }) => !WITHOUT_HOME.includes(path));
  const advice = sources.flatMap(({ path, text }) => (text.match(ADVICE) ?? []).map((found) => `${path}: ${found}`));
  expect(advice.filter((each) => !NAMED.test(each))).toEqual([]);
});

/** In a text that a program prints: `<file>` after the name of a command. */
const REDIRECTED = /["`](?:[^"`]* )?(?:add-upgrade|init|cp|mv|rm|ln|export|curl) [^"`]*<[a-z.]+>/;
/** Help has these: usage lines of commands. */
const HELP = /\.(?:command|option|usage|argument)\(/;

test("a placeholder of advice is in capitals, without the brackets that a shell takes as redirections", () => {
  const lines = sourcesUnder("host").flatMap(({ path, text }) => text.split("\n").map((line) => `${path}: ${line}`));
  const found = lines.filter(
    (line) => REDIRECTED.test(line) && !HELP.test(line) && !/^[^:]*:\s*(?:\/?\*|\/\/)/.test(line),
  );
  expect(found).toEqual([]);
});
