/** The heights that a node of the model was started to skip. */
export function skipHeightsOf(args: readonly string[]): readonly bigint[] {
  const at = args.indexOf("--unsafe-skip-upgrades");
  if (at === -1) return [];
  const rest = args.slice(at + 1);
  const end = rest.findIndex((each) => each.startsWith("-"));
  const given = end === -1 ? rest : rest.slice(0, end);
  return given
    .flatMap((each) => each.split(","))
    .filter((each) => /^[0-9]+$/.test(each))
    .map(BigInt);
}
