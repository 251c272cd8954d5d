/** Folders, links and programs of a home, as the switch will find them. */
import { isAbsolute, join, relative, resolve } from "node:path";
import { shellWord } from "../../../base/text/shell-word.js";
import { foldersBeside, interruptedRollback } from "../../../node/home/data-copies.js";
import { chainvisorFor } from "../../../node/home/supervised-start.js";
import { programProblem } from "../../../node/programs/executable.js";
import { currentLink, currentProblem, earlyProblem } from "../current-link.js";
import { scriptFile, scriptProblem } from "../script.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";

export function folderFindings(patient: Patient): Finding[] {
  const { files, read } = patient;
  // The settings say that already.
  if (files.facts(read.settings.root)?.kind !== "folder") return [];
  return [
    ...dataFindings(patient),
    ...currentFindings(patient),
    ...upgradeFolders(patient).flatMap((folder) => upgradeFindings(patient, folder)),
    ...leftovers(patient),
    ...scriptFindings(patient),
  ];
}

/** A rollback that was interrupted, and data that is missing. */
function dataFindings({ files, read }: Patient): Finding[] {
  const { home, name } = read.settings;
  const data = join(home, "data");
  const interrupted = interruptedRollback(files, read.settings);
  if (interrupted) return [wrong("data", interrupted.detail, interrupted.next)];
  if (files.facts(data)?.kind === "folder") return [];
  const kept = foldersBeside(data);
  if (kept.length === 0) {
    const next = `${shellWord(name)} init NAME --home ${shellWord(home)}`;
    return [wrong("data", `${data} does not exist: this is no node's home yet`, next)];
  }
  const detail = `${data} is missing, and this home has earlier data: ${kept.join(", ")}. Do not start a new chain here: its key has signed`;
  return [wrong("data", detail, `${chainvisorFor(read.settings)} rollback`)];
}

function currentFindings(patient: Patient): Finding[] {
  const { files, read } = patient;
  const { root, name } = read.settings;
  const problem =
    currentProblem(files, read.settings, patient) ??
    earlyProblem(files, read.settings, patient.node?.reached?.height, patient.chain, patient.linked);
  if (problem) return [wrong(problem.what, problem.problem, problem.next)];
  const link = currentLink(root);
  if (!files.linkFacts(link))
    return [ok("current", `there is no ${link} yet: ${join(root, "genesis", "bin", name)} runs first`)];
  const target = files.readLink(link);
  const folder = relative(root, resolve(root, target));
  const findings = [ok("current", `${link} leads to ${folder}`)];
  if (isAbsolute(target))
    findings.push(
      warning(
        "current",
        `${link} is absolute: it breaks when the home is moved`,
        `ln -sfn ${shellWord(folder)} ${shellWord(link)}`,
      ),
    );
  return findings;
}

function upgradeFolders({ files, read }: Patient): string[] {
  const upgrades = join(read.settings.root, "upgrades");
  return (files.list(upgrades) ?? []).filter((name) => files.facts(join(upgrades, name))?.kind === "folder");
}

function upgradeFindings(patient: Patient, folder: string): Finding[] {
  const { files, read } = patient;
  const { root, name, isCaseKept } = read.settings;
  if (isLeftover(folder)) return [];
  const at = join(root, "upgrades", folder);
  const lower = lowerCased(folder);
  if (!isCaseKept && folder !== lower) {
    const detail = `${at} is never looked at: plans are looked for in lower case, as ${lower} (COSMOVISOR_DISABLE_RECASE)`;
    return [wrong("name", detail, `mv ${shellWord(at)} ${shellWord(join(root, "upgrades", lower))}`)];
  }
  const problem = programProblem(files, join(at, "bin", name), patient);
  if (problem === undefined) return [ok(`upgrade ${folder}`, join(at, "bin", name))];
  const besides = (files.list(join(at, "bin")) ?? files.list(at) ?? []).filter((each) => each !== "upgrade-info.json");
  const seen = besides.length > 0 ? `; there is ${besides.slice(0, 3).join(", ")}` : "";
  return [
    wrong(`upgrade ${folder}`, `${problem}${seen}`, `chainvisor add-upgrade ${shellWord(folder)} PROGRAM --force`),
  ];
}

/** `%2F` and its like stay as they are: their letters are part of the escape. */
const lowerCased = (folder: string) =>
  folder.replace(/%[0-9A-F]{2}|[^%]+/g, (part) => (part.startsWith("%") ? part : part.toLowerCase()));

/** Names that things have before they are whole: of programs, links, downloads. No plan's folder has a `#`. */
const isLeftover = (name: string) => /(\.part|\.tmp)$|#part/.test(name);

/** What ended half-way: nothing runs it, and it takes space. */
function leftovers({ files, read }: Patient): Finding[] {
  const { root, backupDir } = read.settings;
  const folders = [
    backupDir,
    root,
    join(root, "upgrades"),
    join(root, "genesis", "bin"),
    ...upgradeBins({ files, read }),
  ];
  const found = folders.flatMap((folder) =>
    (files.list(folder) ?? []).filter(isLeftover).map((name) => join(folder, name)),
  );
  return [...new Set(found)].map((path) =>
    warning(
      "leftover",
      `${path} was never finished: the sidecar goes on with it, or removes it`,
      `rm -r ${shellWord(path)}`,
    ),
  );
}

const upgradeBins = ({ files, read }: Pick<Patient, "files" | "read">) => {
  const upgrades = join(read.settings.root, "upgrades");
  return (files.list(upgrades) ?? []).map((name) => join(upgrades, name, "bin"));
};

function scriptFindings({ files, read, ...machine }: Patient): Finding[] {
  const { settings } = read;
  if (settings.customPreUpgrade === "") return [];
  const problem = scriptProblem(files, settings, machine);
  if (problem !== undefined) return [wrong("pre-upgrade script", problem)];
  const detail = `${scriptFile(settings)} is not run before the height, so nobody knows how it ends; any status but 0 stops the upgrade, and it has no time limit: while it runs no block is made. Run it once by hand, with a plan's name and a height`;
  return [warning("pre-upgrade script", detail)];
}
