/** What the gas of a run went to, in lines for people. */

import { visible } from "../../../base/text/visible.js";
import { shortName } from "../../../upgrade/test-kit/failure/failure-lines.js";
import type { FunctionGas } from "../../../upgrade/test-kit/gas/function-trace.js";
import type { GasProfile } from "../../../upgrade/test-kit/gas/gas-profile.js";

/** Functions that are shown: those with the most gas of their own. */
const FUNCTIONS_SHOWN = 10;
const KIT = /^~lib\//;

export function gasLines({ phases, charges, functions, outside }: GasProfile): string[] {
  const whole = phases.reduce((sum, { gas }) => sum + Number(gas), 0);
  const share = (gas: string) => `${gas.padStart(14)}  ${((100 * Number(gas)) / whole).toFixed(1).padStart(5)} %`;
  const line = (gas: string, what: string) => `  ${share(gas)}  ${what}`;
  return [
    "  gas by place",
    ...phases.map(({ phase, gas }) => line(gas, visible(phase))),
    "  gas by what it paid for",
    ...charges.map(({ what, gas }) => line(gas, what)),
    "  gas by function: its own, and with what it called",
    ...functions
      .slice(0, FUNCTIONS_SHOWN)
      .map((each) => `  ${share(each.own)}  ${share(each.total)}  ${functionText(each)}`),
    ...restLines(functions.slice(FUNCTIONS_SHOWN), line),
    line(outside, "no function: what the host took around its calls"),
  ];
}

function functionText({ function: name, source, line, calls }: FunctionGas): string {
  const place = source === null ? "" : ` (${source.replace(KIT, "")}:${line})`;
  return visible(`${shortName(name)}${place}, ${calls} ${calls === "1" ? "call" : "calls"}`);
}

function restLines(rest: readonly FunctionGas[], line: (gas: string, what: string) => string): string[] {
  if (rest.length === 0) return [];
  const own = rest.reduce((sum, each) => sum + BigInt(each.own), 0n);
  return [line(String(own), `${rest.length} more functions, their own: each of them with --json`)];
}
