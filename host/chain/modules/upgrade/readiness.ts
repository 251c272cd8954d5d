/** Readiness of a plan: what validators have attested of it, counted by their power. */
import { compareBytes, compareText, EMPTY, equalBytes, toHex } from "../../../base/text/bytes.js";

/** What one validator says; of a plan without its name. */
export interface Statement {
  readonly artifactSha256: Uint8Array;
  /** Empty: without a rehearsal. */
  readonly appHash: Uint8Array;
  /** 0n: without a rehearsal. */
  readonly rehearsedHeight: bigint;
  /** The block in which it was said. */
  readonly height: bigint;
}

/** A validator that decides blocks. */
export interface WeighedValidator {
  readonly operator: Uint8Array;
  readonly moniker: string;
  readonly power: bigint;
}

type ReadyValidator = WeighedValidator & Pick<Statement, "height">;

export interface ReadinessGroup extends Omit<Statement, "height"> {
  readonly power: bigint;
  /** The most power first, equals by the operator's address. */
  readonly validators: readonly ReadyValidator[];
}

export interface ReadinessTally {
  readonly totalPower: bigint;
  readonly attestedPower: bigint;
  /** Validators that said exactly the same; the most power first, equals by what they said. */
  readonly groups: readonly ReadinessGroup[];
  /** Who has said nothing. */
  readonly silent: ReadinessGroup;
}

const NOTHING: Statement = {
  artifactSha256: EMPTY,
  appHash: EMPTY,
  rehearsedHeight: 0n,
  height: 0n,
};

/** What is said by others than these validators does not count. */
export function tallyReadiness(
  validators: readonly WeighedValidator[],
  statementOf: (operator: Uint8Array) => Statement | undefined,
): ReadinessTally {
  const groups = new Map<string, { statement: Statement; members: ReadyValidator[] }>();
  const silent: ReadyValidator[] = [];
  for (const validator of validators) {
    const statement = statementOf(validator.operator);
    if (!statement) {
      silent.push({ ...validator, height: 0n });
      continue;
    }
    const group = groups.get(keyOf(statement)) ?? { statement, members: [] };
    group.members.push({ ...validator, height: statement.height });
    groups.set(keyOf(statement), group);
  }
  const counted = [...groups]
    .map(([key, { statement, members }]) => ({ key, group: groupOf(statement, members) }))
    .sort((a, b) => byPower(a.group, b.group) || compareText(a.key, b.key))
    .map(({ group }) => group);
  const attestedPower = sum(counted);
  const rest = groupOf(NOTHING, silent);
  return { totalPower: attestedPower + rest.power, attestedPower, groups: counted, silent: rest };
}

/** Do two groups say of the same file and state what cannot both be so? Rehearsals on other blocks come to other app hashes. */
export function contradict(a: Omit<Statement, "height">, b: Omit<Statement, "height">): boolean {
  if (!equalBytes(a.artifactSha256, b.artifactSha256)) return true;
  const isCompared = a.rehearsedHeight > 0n && a.rehearsedHeight === b.rehearsedHeight;
  return isCompared && !equalBytes(a.appHash, b.appHash);
}

const keyOf = ({ artifactSha256, appHash, rehearsedHeight }: Statement): string =>
  `${toHex(artifactSha256)} ${toHex(appHash)} ${rehearsedHeight}`;

const sum = (list: readonly { readonly power: bigint }[]) => list.reduce((total, { power }) => total + power, 0n);

const byPower = (a: { readonly power: bigint }, b: { readonly power: bigint }) =>
  a.power === b.power ? 0 : a.power > b.power ? -1 : 1;

function groupOf(
  { artifactSha256, appHash, rehearsedHeight }: Statement,
  members: readonly ReadyValidator[],
): ReadinessGroup {
  const validators = [...members].sort((a, b) => byPower(a, b) || compareBytes(a.operator, b.operator));
  return { artifactSha256, appHash, rehearsedHeight, power: sum(validators), validators };
}
