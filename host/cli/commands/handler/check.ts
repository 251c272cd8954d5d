/** `chaind handler check FILE…`: would a node take these files? */
import { isUpgradeError } from "../../../errors.js";
import { examineHandler } from "../../../handler/check.js";
import { visible } from "../../../visible.js";
import type { Cobra } from "../../cobra.js";
import { type Consequences, consequenceLines, consequencesOf } from "../../handler/consequences.js";
import { readWasmFile } from "../../handler/wasm-file.js";
import type { Output } from "../../output.js";

const REFUSED_EXIT = 21;

/** What the handler may do is there as soon as its manifest can be read. */
interface CheckAnswer extends Partial<Consequences> {
  readonly file: string;
  readonly sha256: string | null;
  readonly ok: boolean;
  readonly name: string | null;
  readonly gas_limit: string | null;
  readonly findings: readonly { code: string; function: string | null; offset: number | null; message: string }[];
}

export function registerCheck(handler: Cobra, output: Output): void {
  handler
    .command("check")
    .argument("<file...>", "handler files")
    .summary("Say whether nodes take a handler, and if not why")
    .description(
      "Checks files by the rules that every node applies before it runs one. Exit status 21 if any is refused.",
    )
    .action((files: string[]) => {
      for (const file of files) {
        const answer = checkFile(file);
        if (!answer.ok) process.exitCode = REFUSED_EXIT;
        output.print(answer, checkText(answer));
      }
    });
}

/** Never throws: a file that cannot be read is refused like any other. */
function checkFile(file: string): CheckAnswer {
  try {
    const { bytes, sha256 } = readWasmFile(file);
    const { manifest, module, findings } = examineHandler(bytes);
    const ok = findings.length === 0;
    const gas = manifest ? String(manifest.gasLimit) : null;
    const does = manifest && module ? consequencesOf(manifest, module) : undefined;
    return { file, sha256, ok, name: manifest?.name ?? null, gas_limit: gas, findings, ...does };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    const finding = { code: error.code, function: null, offset: null, message: error.message };
    return { file, sha256: null, ok: false, name: null, gas_limit: null, findings: [finding] };
  }
}

function checkText(answer: CheckAnswer): string {
  const { file, sha256, ok, name, gas_limit, findings } = answer;
  if (ok) {
    const first = `${file}: ok, for plan ${visible(JSON.stringify(name))}, at most ${gas_limit} gas, sha256 ${sha256}`;
    return [first, ...consequenceLines(answer as CheckAnswer & Consequences)].join("\n");
  }
  const lines = findings.map(({ code, function: where, offset, message }) => {
    const place = [where === null ? "" : ` in ${where}`, offset === null ? "" : ` at byte ${offset}`].join("");
    return `  ${code}${place}: ${message}`;
  });
  return [`${file}: refused`, ...lines].join("\n");
}
