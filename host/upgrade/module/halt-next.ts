/**
 * What to do after a node has ended: one table for all codes. A step says it in words and holds the commands, each to be
 * pasted as it is; `halt.json` carries both. A start command is the plain one: flags of the operator's own are added by him.
 */
import { ERROR_KINDS, type ErrorCode } from "../../base/errors/errors.js";
import { shellWord } from "../../base/text/shell-word.js";
import { stageCommand } from "./stage-command.js";

/** What the words and commands speak of. */
export interface EndFacts {
  readonly code: ErrorCode;
  /** Of the block that was not made. */
  readonly height: string;
  /** Folder of the node; a name in angle brackets where nobody knows it. */
  readonly home: string;
  /** Command of the chain's program. */
  readonly program: string;
  /** Flags without which `start` does not take this home, such as those of its engine. */
  readonly startFlags?: readonly string[];
  /** All words that start the node, where that is not the program's own `start`: a sidecar's. */
  readonly startCommand?: string | undefined;
  /** Starts the service that runs the sidecar; takes no flags. */
  readonly serviceCommand?: string | undefined;
  /** Links the program before the sidecar's last switch; undefined: it has made none. */
  readonly rollbackCommand?: string | undefined;
  /** Name of the plan that is due or meant; empty: none. */
  readonly plan: string;
  /** Facts that the error carries: `path`, `kept_data`, `signed_height`, `damaged_record`, `handler_file`, `handler_sha256`, `pinned_sha256`, `other_handlers`, `ran_sha256`, `file`, `other`, `holder`, `reason`, `found`, `skipped_plan`, `applied_plan`, `app_version`, `last_upgrade`, `last_height`. */
  readonly details: Readonly<Record<string, string>>;
}

export interface NextStep {
  /** Plain text, the commands in backquotes. */
  readonly next: string;
  /** The commands alone, the first one first; each is whole without the others. Empty: only another program helps. */
  readonly commands: readonly string[];
}

type Step = (facts: EndFacts) => string;

const command = (...words: readonly string[]) => `\`${words.join(" ")}\``;
/** In place of flags of `start`: the home is run by `relay`, which takes those after this word. */
export const RELAYED: readonly string[] = Object.freeze(["--"]);
const isRelayed = ({ startFlags = [] }: EndFacts) => startFlags[0] === RELAYED[0];
const start = (facts: EndFacts, ...flags: readonly string[]) => {
  const { home, program, startFlags = [], startCommand, serviceCommand } = facts;
  if (serviceCommand !== undefined && flags.length === 0) return command(serviceCommand);
  if (startCommand !== undefined) return command(startCommand, ...flags);
  if (isRelayed(facts)) return command(program, "relay --home", shellWord(home), ...(flags[0] ? ["--", ...flags] : []));
  return command(program, "start --home", shellWord(home), ...startFlags, ...flags);
};
/** On the full disk, which may be another one than the home's. What spilled is removed by the end of the process. */
const fullFolder = ({ home, details: { path = "" } }: EndFacts) =>
  /^\/.+\//.test(path) && !path.includes("/spill") ? path.slice(0, path.lastIndexOf("/")) : `${home}/data`;
const handlersFolder = ({ home }: EndFacts) => `${home}/handlers`;
const NOTHING = "Nothing of the block was committed.";

/** A better handler or none: the two ways out of a migration that fails, after a look at why. */
const handlerFailed: Step = (facts) => {
  const { handler_file: file } = facts.details;
  const skip = start(facts, "--unsafe-skip-upgrades", facts.height);
  const look = file
    ? `Try it without the chain: ${command(facts.program, "handler run", shellWord(file), "--state", shellWord(facts.home))}. Put a better handler in its place`
    : "Start a version with a better handler";
  return `${NOTHING} ${look}, then ${start(facts)}; or skip the upgrade, together with all validators: ${skip}.`;
};

/** The file itself is refused; before a height nothing but the file is in the way. */
const handlerRefused: Step = (facts) => {
  const file = facts.details["file"] ?? facts.details["handler_file"];
  if (!file) return handlerFailed(facts);
  return `${NOTHING} See all that is wrong with the file: ${command(facts.program, "handler check", shellWord(file))}. Replace it, or take it away with ${command("rm", shellWord(file))}, then ${start(facts)}.`;
};

/** The program is wrong, on every node alike: another start of it ends the same way. */
const moduleFailed: Step = (facts) =>
  `${NOTHING} Report it, with this record, to those who publish ${facts.program}: a module of it failed, as the message says. Then start a version that corrects it: ${start(facts)}.`;

/** The database is sound: what is damaged is the record of what the consensus key signed last. */
function signedRecordDamaged(facts: EndFacts): string | undefined {
  const { damaged_record: file } = facts.details;
  if (!file) return undefined;
  const record = `${facts.home}/data/priv_validator_state.json`;
  const again = `then ${start(facts)}`;
  const restore = `Restore the newest copy of ${file}, ${again}.`;
  const hasComet = isRelayed(facts) || /cometbft|--with-comet/.test((facts.startFlags ?? []).join(" "));
  if (hasComet) return `${restore} CometBFT does not start without that file, and never makes it again.`;
  return (
    `${restore} Without a copy, make sure that no other node runs with this key and that the database is the newest one. ` +
    `Then move the record away, ${command("mv", shellWord(record), shellWord(`${record}.damaged`))}, ${again}: ` +
    "it makes the record again from the last block of the database, and warns that later signatures are unknown."
  );
}

const STEPS: Partial<Readonly<Record<ErrorCode, Step>>> = {
  UPG_HALT_UPGRADE_NEEDED: (facts) => {
    const { pinned_sha256: pinned, other_handlers: others } = facts.details;
    const found = others ? ` Found instead: ${others}.` : "";
    if (pinned) {
      const stage = command(stageCommand(`${handlersFolder(facts)}/staged`));
      return `The plan "${facts.plan}" pins a handler. Stage the file with SHA-256 ${pinned}, ${stage}, then ${start(facts)}.${found} A version of the program that carries this handler needs no file.`;
    }
    return `Start the version that has the handler for "${facts.plan}" on this home; it applies the upgrade and goes on: ${start(facts)}. Where the handler came as a file, put it into ${handlersFolder(facts)}/staged before; a version that has its own is not disturbed by it.${found}`;
  },
  UPG_HALT_BINARY_TOO_EARLY: (facts) => {
    const { handler_file: file, app_version: version } = facts.details;
    const folder = handlersFolder(facts);
    const isOwn = file?.startsWith(`${folder}/`);
    if (file && isOwn) {
      const move = command(stageCommand(`${folder}/staged`, file));
      return `The handler for "${facts.plan}" is here before its height. Stage it, ${move}, then ${start(facts)}.`;
    }
    const { rollbackCommand: back } = facts;
    const before = `This version comes too early at height ${facts.height}. Until the chain halts for "${facts.plan}", run the version that ran before`;
    // The sidecar's link stays where it leads: no start ends in another way.
    if (back) return `${before}: ${command(back)}; then ${start(facts)}.`;
    // 0: the genesis document names no version. A plain start of this program would end the same way.
    if (!version || version === "0") return `${before}.`;
    return `${before}, or this one as the old version: ${start(facts, "--app-version", version)}.`;
  },
  UPG_HALT_HANDLER_MISSING: (facts) => {
    const last = facts.details["last_upgrade"];
    const which = last ? `that has "${last}"` : "that applied the last upgrade";
    const file = last ? `the handler's file of "${last}"` : "its handler's file";
    // No command: a plain start of this program would end the same way.
    return `This program is too old for the state. Start the version ${which}, or a newer one, on this home. If the handler came as a file, put ${file} back into ${handlersFolder(facts)} before.`;
  },
  UPG_HALT_HEIGHT: (facts) => {
    if (!facts.details["last_height"]) {
      return `Start again without --halt-height, or with a later one, to go on: ${start(facts)}.`;
    }
    const exported = command(
      facts.program,
      "export --for-zero-height --output-document next.json --home",
      shellWord(facts.home),
    );
    return `Begin a new chain from the state, at height 1: ${exported}, then ${command(facts.program, "init next --genesis next.json --home next")}.`;
  },
  UPG_HALT_RESTART: (facts) =>
    `Start the same binary again; it opens the stores of "${facts.plan}" and applies it: ${start(facts)}.`,
  UPG_HALT_ENGINE: (facts) => {
    const { holder, restored, reason } = facts.details;
    const again = start(isRelayed(facts) ? facts : { ...facts, startFlags: ["--engine", "cometbft"] });
    if (restored) {
      const data = shellWord(`${facts.home}/data`);
      return `The node ended after it had fetched the state and before its first block. Let it fetch the state again: ${command("rm -r", `${data}/chain.mdb ${data}/chain.mdb-lock ${data}/*.db`)}, which leaves keys and priv_validator_state.json, then ${again}, with the flags that it had.`;
    }
    if (holder)
      return `CometBFT never opened its database, so this node's state is unchanged. Process ${holder}, most likely a CometBFT that an earlier node left running, has the database in ${facts.home}/data open. See what it is, ${command("ps -fp", shellWord(holder))}, stop it, ${command("kill", shellWord(holder))}, then ${again}, with the flags that it had.`;
    const where = reason
      ? "Fix what the message names"
      : "Read the last lines of CometBFT's log above this record and fix what they name";
    return `${where}, then ${again}, with the flags that it had. If they name a LOCK file that is temporarily unavailable, another CometBFT has the database of this home open: stop that one first.`;
  },
  UPG_HALT_DIVERGED: (facts) => {
    const { found, skipped_plan: skipped, applied_plan: applied } = facts.details;
    const last = BigInt(facts.height) - 1n;
    const home = shellWord(facts.home);
    const isReplay = found === "replay";
    // CometBFT's own state is right after a replay; otherwise it holds this node's wrong app hash, and goes back as well.
    const back = isReplay
      ? command(facts.program, `rollback --to ${last - 1n} --yes --home`, home)
      : command(facts.program, "comet rollback --home", home);
    const again = start(isRelayed(facts) ? facts : { ...facts, startFlags: ["--engine", "cometbft"] });
    const verify = command(facts.program, "verify --home", home);
    const repair = `${back}, then ${again}`;
    const flags = "with the flags that it had";
    const otherwise = `If the next start ends the same way, check the files (${verify}) and restore this home from a snapshot or a copy of another node`;
    if (skipped)
      return `Starting again without a repair ends the same way. This node skipped "${skipped}" at ${last}; the network did not. Take block ${last} back and run it with the version that has "${skipped}": ${repair}, ${flags} but without --unsafe-skip-upgrades. ${otherwise}.`;
    if (applied)
      return `Starting again without a repair ends the same way. This node applied "${applied}" at ${last}. Compare with the other validators: they run another program or handler, or skipped the height. Install what they run, take block ${last} back and run it again: ${repair}, ${flags} (and --unsafe-skip-upgrades ${last} only if all others skipped it). ${otherwise}.`;
    return `Starting again without a repair ends the same way. Install the program that the other validators run at this height, take block ${last} back and run it again: ${repair}, ${flags}. ${otherwise}.`;
  },
  UPG_HALT_WORKER: (facts) =>
    `Read in the log what the application's process wrote before its end. CometBFT's handshake, which every start begins with, finds out what the application and it have committed, and runs again what is missing: ${start({ ...facts, startFlags: RELAYED })}.`,
  UPG_BUG_MODULE: moduleFailed,
  UPG_BUG_ENGINE_LIMIT: moduleFailed,
  UPG_HANDLER_HASH: (facts) => {
    const { handler_file: file, pinned_sha256: pinned, ran_sha256: ran, file: strange } = facts.details;
    if (ran && strange) {
      return `Put the file with SHA-256 ${ran} in its place, or take it away: ${command("rm", shellWord(strange))}; then ${start(facts)}.`;
    }
    if (!pinned) return handlerFailed(facts);
    const look = file ? ` (${command("sha256sum", shellWord(file))})` : "";
    return `${NOTHING} The plan pins the handler with SHA-256 ${pinned}: get that file, put it in the other's place${look}, then ${start(facts)}; or skip the upgrade, together with all validators: ${start(facts, "--unsafe-skip-upgrades", facts.height)}.`;
  },
  UPG_HANDLER_DUPLICATE: (facts) => {
    const { file, other } = facts.details;
    const ofHome = [file, other].filter((each) => each?.startsWith(`${handlersFolder(facts)}/`));
    if (ofHome[0] !== undefined && ofHome.length === 1)
      return `The program has a handler for this plan itself. Take the home's away, ${command("rm", shellWord(ofHome[0]))}, then ${start(facts)}; where the plan pins the home's, start a version that has none.`;
    if (!file || !other) return `Keep one handler for each plan, then ${start(facts)}.`;
    return `Keep one of the two: ${command("rm", shellWord(file))} or ${command("rm", shellWord(other))}, then ${start(facts)}.`;
  },
  UPG_HANDLER_ENGINE: (facts) =>
    `${NOTHING} It says nothing about the handler: start again, on a machine with more memory if it comes back: ${start(facts)}.`,
  UPG_HANDLER_TRAP: handlerFailed,
  UPG_HANDLER_STACK: handlerFailed,
  UPG_HANDLER_LAYOUT: handlerFailed,
  UPG_STORE_FULL: (facts) =>
    `${NOTHING} See what fills the disk, ${command("df -h", shellWord(fullFolder(facts)))}, and make room; then the same home goes on: ${start(facts)}.`,
  UPG_STORE_CORRUPT: (facts) =>
    signedRecordDamaged(facts) ??
    `Find what is damaged: ${command(facts.program, "verify --home", shellWord(facts.home))}. Put a copy of the home in its place, of this node or another of this chain (without its validator key's last-signed record being older), then ${start(facts)}.`,
  UPG_STORE_LOCKED: (facts) => `Stop the other process on this home, then ${start(facts)}.`,
  UPG_STORE_SIGNED: (facts) => {
    const { kept_data: kept, signed_height: signed, holder } = facts.details;
    const other = holder
      ? `Process ${holder} has files of this home open. If it is a node, ${command("ps -fp", shellWord(holder))}, stop it first. `
      : "First stop every other process that uses this home or its key. ";
    if (!kept || !signed)
      return `${other}This key has signed blocks that the database lacks: making them again would be signing twice. Put the database back that ends at that block, or one of another node of this chain that is further, then ${start(facts)}.`;
    const data = shellWord(`${facts.home}/data`);
    const swap = `mv ${data} ${shellWord(`${kept}.old`)} && mv ${shellWord(kept)} ${data}`;
    return `${other}This key has signed up to block ${signed}, which the database lacks: making those blocks again would be signing twice. ${kept} has other data of this home. Put it in place, ${command(swap)}, with the version that wrote it, then ${start(facts)}.`;
  },
  UPG_STORE_UPGRADE: () =>
    `${NOTHING} The stores are not those that this version opens, as the message says. Start the version that wrote them on this home, with its handlers.`,
  UPG_STORE_VERSION_MISMATCH: () => "Another program wrote this home. Start the version that the message names on it.",
};

/** By exit status, for codes without a step of their own. */
const BY_EXIT: Readonly<Record<number, Step>> = {
  20: handlerFailed,
  21: handlerRefused,
  30: (facts) =>
    `${NOTHING} Look at the disk and at the message (${command("dmesg | tail")}), then ${start(facts)}; nothing on this home needs repair for it.`,
};

const anyEnd: Step = (facts) =>
  `${NOTHING} docs/errors.md describes ${facts.code}; report it with this record and the log. To try again: ${start(facts)}.`;

export function nextStep(facts: EndFacts): NextStep {
  const step = STEPS[facts.code] ?? BY_EXIT[ERROR_KINDS[facts.code].exit] ?? anyEnd;
  const next = step(facts);
  return { next, commands: Array.from(next.matchAll(/`([^`]*)`/g), ([, text = ""]) => text) };
}
