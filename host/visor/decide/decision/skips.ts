/** Heights whose upgrades the application was started to skip: they are no reason to switch. */

const FLAGS: readonly string[] = ["--unsafe-skip-upgrades", "--skip-upgrade-heights"];
const HEIGHT = /^[0-9]{1,16}$/;

/**
 * In Cosmovisor's form, `--unsafe-skip-upgrades 10 20`, up to the next flag, and in those that applications read themselves:
 * `=10,20`, `10,20`, the flag again. What is no number is passed over.
 *
 * @example
 * console.log(skipHeights(["start", "--unsafe-skip-upgrades=10,20", "--x", "30"])); // → [ 10n, 20n ]
 */
export function skipHeights(args: readonly string[]): bigint[] {
  const heights: bigint[] = [];
  let isValue = false;
  for (const arg of args) {
    const [flag = "", ...rest] = arg.split("=");
    const isFlag = FLAGS.includes(flag);
    if (arg.startsWith("-")) isValue = isFlag && rest.length === 0;
    const values = isFlag ? rest.join("=") : isValue ? arg : "";
    heights.push(...values.split(",").filter(isHeight).map(BigInt));
  }
  return heights;
}

const isHeight = (text: string) => HEIGHT.test(text.trim());
