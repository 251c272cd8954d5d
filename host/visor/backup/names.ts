/** Names of backups: Cosmovisor's date, and the plan that it was made for, so that no backup is written into another. */

const OURS = /^data-backup-\d+-\d+-\d+-.+-\d+$/;
/** Cosmovisor's own. */
const THEIRS = /^data-backup-\d+-\d+-\d+$/;
const PART = ".part";

export interface BackupOf {
  readonly name: string;
  readonly height: bigint;
}

/** @param time local, as Cosmovisor takes it, and without zeros before */
export function backupName({ name, height }: BackupOf, time: Date): string {
  const date = `${time.getFullYear()}-${time.getMonth() + 1}-${time.getDate()}`;
  return `data-backup-${date}-${planPart(name)}-${height}`;
}

export const partName = (name: string) => `${name}${PART}`;
export const isPart = (name: string) => name.endsWith(PART) && isOurs(name.slice(0, -PART.length));
/** The second one of a name too, `.2`. */
export const isOurs = (name: string) => OURS.test(withoutNumber(name));
export const isTheirs = (name: string) => THEIRS.test(name);

/** Whatever its date. */
export function isOfPlan(given: string, { name: plan, height }: BackupOf): boolean {
  const name = withoutNumber(given);
  return OURS.test(name) && name.endsWith(`-${planPart(plan)}-${height}`) && !/^data-backup-\d+-\d+-\d+-$/.test(name);
}

const withoutNumber = (name: string) => name.replace(/\.\d+$/, "");

/** A file's name of any plan's name. */
function planPart(plan: string): string {
  return encodeURIComponent(plan).replaceAll(".", "%2E").slice(0, 128);
}
