/** Pages of lists, by the flags of the Cosmos SDK 0.53. The names of earlier versions are taken too. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseUint64 } from "../../base/terminal/options.js";
import { fromBase64 } from "../../base/text/bytes.js";

const PAGE_LIMIT_DEFAULT = 100n;

export interface PageFlags {
  readonly pageLimit?: bigint;
  readonly pageOffset?: bigint;
  readonly pageKey?: Uint8Array;
  readonly pageCountTotal?: boolean;
  readonly pageReverse?: boolean;
  readonly limit?: bigint;
  readonly offset?: bigint;
  readonly countTotal?: boolean;
  readonly reverse?: boolean;
}

/** The new flag, what it takes, what it does, and its name before 0.53. */
const FLAGS = [
  ["--page-limit", " <uint>", "at most so many (default: 100)", "--limit"],
  ["--page-offset", " <uint>", "leave out the first so many", "--offset"],
  ["--page-count-total", "", "count all of them", "--count-total"],
  ["--page-reverse", "", "the last first", "--reverse"],
] as const;

export function addPageFlags<T extends Command>(command: T): T {
  for (const [name, value, what, before] of FLAGS) {
    const option = new Option(name + value, what);
    const old = new Option(before + value, what).hideHelp();
    for (const each of [option, old]) command.addOption(value === "" ? each : each.argParser(parseUint64));
  }
  return command.option("--page-key <base64>", "next_key of the page before, in place of --page-offset", parseKey) as T;
}

function parseKey(text: string): Uint8Array {
  try {
    return fromBase64(text);
  } catch {
    throw new InvalidArgumentError("expected base64, as next_key of a page is.");
  }
}

/** As a `cosmos.base.query.v1beta1.PageRequest`. */
export function pageRequest(flags: PageFlags) {
  const { pageKey: key } = flags;
  return {
    limit: flags.pageLimit ?? flags.limit ?? PAGE_LIMIT_DEFAULT,
    offset: flags.pageOffset ?? flags.offset ?? 0n,
    countTotal: (flags.pageCountTotal ?? flags.countTotal) === true,
    reverse: (flags.pageReverse ?? flags.reverse) === true,
    ...(key ? { key } : {}),
  };
}
