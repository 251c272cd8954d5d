/** Would a node take this file as a handler, and what may it do then? For `handler check`, and for who proposes one. */
import { ERROR_KINDS, type ErrorCode, isUpgradeError } from "../../base/errors/errors.js";
import { PROGRAM } from "../../base/text/program-text.js";
import { shellWord } from "../../base/text/shell-word.js";
import { visible } from "../../base/text/visible.js";
import { examineHandler } from "../../upgrade/handler/check/check.js";
import type { ModuleTable } from "../../upgrade/module/module-table.js";
import { readModule } from "../../upgrade/wasm/decode.js";
import { authorFindings } from "./author-findings.js";
import { type Consequences, consequenceLines, consequencesOf } from "./consequences/consequences.js";
import { carriedBytes, meteredText } from "./metered-file.js";
import { readWasmFile } from "./wasm-file.js";

const REFUSED_EXIT = ERROR_KINDS.UPG_HANDLER_FORMAT.exit;
const UNREAD_EXIT = ERROR_KINDS.UPG_STORE_IO.exit;

interface CheckFinding {
  readonly code: ErrorCode;
  readonly function: string | null;
  readonly offset: number | null;
  readonly message: string;
}

/** What the handler may do is known as soon as its manifest can be read. */
export interface FileCheck extends Partial<Consequences> {
  readonly file: string;
  readonly sha256: string | null;
  readonly ok: boolean;
  readonly name: string | null;
  readonly gas_limit: string | null;
  /** Bytes of the metered module that the file carries; null: none, or one that is refused. */
  readonly metered: number | null;
  readonly findings: readonly CheckFinding[];
}

/**
 * Never throws: a file that cannot be read has that as its finding.
 * @param table of the chain that the handler is for
 */
export function checkFile(file: string, table?: ModuleTable): FileCheck {
  try {
    const { bytes, sha256 } = readWasmFile(file);
    const examined = examineHandler(bytes);
    const { manifest } = examined;
    const gas = manifest ? String(manifest.gasLimit) : null;
    const module = readModule(examined.bytes);
    const does = manifest ? consequencesOf(manifest, module, table) : undefined;
    const findings = [...authorFindings(module, examined.findings), ...chainFindings(does)];
    const ok = findings.length === 0;
    const metered = carriedBytes(examined);
    return { file, sha256, ok, name: manifest?.name ?? null, gas_limit: gas, metered, findings, ...does };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    const finding = { code: error.code, function: null, offset: null, message: error.template };
    return { file, sha256: null, ok: false, name: null, gas_limit: null, metered: null, findings: [finding] };
  }
}

/** Code of a guard of this chain's nodes. Nodes of a chain with other modules may accept the file. */
const OF_CHAIN = "UPG_MIGRATION_VERSION_MAP";

export const isOfChain = ({ code }: CheckFinding): boolean => code === OF_CHAIN;

function chainFindings(does: Consequences | undefined): CheckFinding[] {
  const message = does?.on_this_chain?.refused ?? undefined;
  return message === undefined ? [] : [{ code: OF_CHAIN, function: null, offset: null, message }];
}

const exitsOf = ({ findings }: FileCheck) =>
  findings.map((each) => (isOfChain(each) ? REFUSED_EXIT : ERROR_KINDS[each.code].exit));

/** Of the checks of several files: a verdict on a file (21) comes before one that could not be read (30), or is absent (2). */
export function exitOfChecks(checks: readonly FileCheck[]): number {
  const exits = checks.flatMap(exitsOf);
  return [REFUSED_EXIT, UNREAD_EXIT].find((exit) => exits.includes(exit)) ?? exits[0] ?? 0;
}

/** For people: what it may do, or all that is wrong with it. */
export function checkText(check: FileCheck): string {
  const { file, sha256, ok, name, gas_limit, metered, findings } = check;
  const verdict = exitsOf(check).includes(REFUSED_EXIT) ? "refused" : "not read";
  if (!findings.every(isOfChain)) return [`${file}: ${verdict}`, ...findings.map(findingLine)].join("\n");
  const first = `${file}: ${ok ? "ok" : "refused by the nodes of this chain"}, for plan ${visible(JSON.stringify(name))}, at most ${gas_limit} gas, sha256 ${sha256}`;
  const how = `; for a host that cannot, \`${PROGRAM} handler meter ${visible(shellWord(file))} --out FILE\` puts it in`;
  const hosts = `  metered module   ${meteredText(metered)}${metered === null ? how : ""}`;
  return [first, hosts, ...consequenceLines(check as FileCheck & Consequences)].join("\n");
}

export function findingLine({ code, function: where, offset, message }: CheckFinding): string {
  const place = [where === null ? "" : ` in ${where}`, offset === null ? "" : ` at byte ${offset}`].join("");
  return `  ${code}${place}: ${message}`;
}
