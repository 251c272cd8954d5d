/** Settings as a report may have them: each name, and the values that can be no secret. */

/** Texts that say how a node runs, and nothing else. */
const OPEN_TEXTS = new Set([
  ...["moniker", "chain-id", "log_level", "log_format", "output", "broadcast-mode", "minimum-gas-prices", "pruning"],
  ...["indexer", "indexer-type", "db_backend", "abci", "type", "version", "engine", "keyring-backend", "mode"],
]);
const NAME = /^\s*("?[A-Za-z0-9_.-]+"?)\s*=\s*(.*)$/;
const TABLE = /^\s*\[\[?[A-Za-z0-9_."\s-]+\]\]?\s*(#.*)?$/;
const PLAIN = /^(true|false|[-+]?[0-9_.]+|\[\s*\]|"")\s*(#.*)?$/;
const DURATION = /^"([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+"\s*(#.*)?$/;
/** Where a server listens or is asked: no name, no password. */
const ADDRESS = /^"(tcp|unix|http|https):\/\/[^@\s"?]*"\s*(#.*)?$/;
const HOST_PORT = /^"[A-Za-z0-9.[\]-]*(:[A-Za-z0-9]*)*:[0-9]{1,5}"\s*(#.*)?$/;
const TEXT = /^"[A-Za-z0-9 .,_/:*-]{0,80}"\s*(#.*)?$/;

/** Comments and what goes over several lines are left out. */
export function openSettings(toml: string): string {
  return toml
    .split("\n")
    .flatMap((line) => {
      if (TABLE.test(line)) return [line.replace(/#.*$/, "").trim()];
      const [, name = "", value = ""] = NAME.exec(line) ?? [];
      return name === "" ? [] : [`${name} = ${isOpen(name, value) ? withoutComment(value) : '"[removed]"'}`];
    })
    .join("\n");
}

function isOpen(name: string, value: string): boolean {
  if ([PLAIN, DURATION, ADDRESS, HOST_PORT].some((form) => form.test(value))) return true;
  return OPEN_TEXTS.has(name.replaceAll('"', "")) && TEXT.test(value);
}

const withoutComment = (value: string) => value.replace(/\s*#[^"]*$/, "").trim();
