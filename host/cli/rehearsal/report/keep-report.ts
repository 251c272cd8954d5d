/** The last rehearsal of a plan stays in its home, where `upgrade preflight` and `tx upgrade attest` find it. */

import { isUpgradeError } from "../../../base/errors/errors.js";
import { writeFileAtomically } from "../../../base/files/atomic-file.js";
import { jsonLine } from "../../../base/terminal/output.js";
import { utf8 } from "../../../base/text/bytes.js";
import { Home } from "../../../node/home/home.js";
import type { Report } from "./report.js";

/** Of its readers. */
const FILE_BYTES_MAX = 4 * 1_048_576;
const FILE_MODE = 0o644;

export interface KeptReport {
  /** Undefined: it was not kept. */
  readonly file: string | undefined;
  /** One line for people. */
  readonly words: string;
}

/**
 * As a whole file. A home that cannot be written is no failure of the rehearsal: the words say it.
 *
 * @param isOther it is of another state than the home's, or of a time that others do not rehearse with
 */
export function keepReport(report: Report, isOther: boolean): KeptReport {
  const not = (why: string): KeptReport => ({ file: undefined, words: `not kept in the home: ${why}` });
  if (isOther) return not("it is of another state or time than those that validators compare");
  if (!report.plan) return not("it came to no plan");
  const bytes = utf8(`${jsonLine(report)}\n`);
  if (bytes.length > FILE_BYTES_MAX) return not(`it is longer than ${FILE_BYTES_MAX} bytes; --show makes it shorter`);
  const file = new Home(report.home).rehearsalFile(report.plan.name);
  try {
    writeFileAtomically(file, bytes, FILE_MODE);
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return not(error.template);
  }
  return { file, words: `kept: ${file}, for \`upgrade preflight\` and \`tx upgrade attest\`` };
}
