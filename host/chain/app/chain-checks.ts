/** What `defineChain` refuses: options of another shape than its types say, and names and versions that do not fit together. */
import { type DescMessage, type DescService, getOption } from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { service as isMessageService } from "../../base/gen/cosmos/msg/v1/msg_pb.js";
import { UINT64_MAX } from "../../base/types/limits.js";
import type { VersionMap } from "../../base/types/types.js";
import { bigintHint, requireMembers } from "../values/members.js";
import type { ChainOptions } from "./chain.js";
import { RAW_SECTION } from "./genesis/raw.js";
import type { Module } from "./module.js";
import { requireShape } from "./module-shape.js";
import { requireUpgradeShape } from "./upgrade-shape.js";

const OPTIONS = Object.keys({
  ...{ name: 1, description: 1, addressPrefix: 1, modules: 1, upgrades: 1, handlers: 1 },
} satisfies Record<keyof ChainOptions, 1>);

const CHAIN_NAME = /^[a-z][a-z0-9-]{0,31}$/;
const MODULE_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const PLAN_NAME = /\S/;

export function wrong(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `defineChain: ${what}`);
}

/** Programs without types give what they like. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function checkOptions(options: ChainOptions): void {
  requireMembers(options, OPTIONS, "defineChain: the chain", "a chain");
  const { name, modules, upgrades = [], description, handlers } = options;
  if (typeof name !== "string" || !CHAIN_NAME.test(name)) {
    throw wrong(`"${name}" is no name of a chain's program: a-z, 0-9 and -, a letter first`);
  }
  if (!Array.isArray(modules)) throw wrong("modules is no list of modules: modules: [auth(), bank(), …]");
  for (const [at, module] of modules.entries()) checkModule(module, `modules[${at}]`);
  if (!Array.isArray(upgrades)) throw wrong('upgrades is no list of upgrades: upgrades: [{ plan: "v2", … }]');
  for (const [at, upgrade] of upgrades.entries()) {
    if (typeof upgrade?.plan !== "string") throw wrong(`upgrades[${at}] has no plan: { plan: "v2", … }`);
    requireUpgradeShape(upgrade, options);
  }
  for (const [option, text] of Object.entries({ description, handlers })) {
    if (text !== undefined && typeof text !== "string") throw wrong(`${option} is no text, it is ${typeof text}`);
  }
}

function checkModule(given: unknown, where: string): void {
  if (typeof given === "function") throw wrong(`${where} is a function: call it, ${given.name || "it"}()`);
  if (typeof given !== "object" || given === null) {
    throw wrong(`${where} is no module, it is ${given}: does the file that it is imported from import this one?`);
  }
  const { name, consensusVersion } = given as Module;
  if (typeof name !== "string" || !MODULE_NAME.test(name)) {
    throw wrong(`"${name}" is no name of a module: a-z, 0-9 and _, a letter first`);
  }
  if (name === RAW_SECTION)
    throw wrong(`"${name}" is no name of a module: genesis has a section of its own by that name`);
  if (!isVersion(consensusVersion) || consensusVersion === 0n) {
    throw wrong(
      `module "${name}" has consensus version ${consensusVersion}; it is a bigint from 1 to ${UINT64_MAX}${bigintHint(consensusVersion)}`,
    );
  }
  requireShape(given as Module);
}

/** As state keeps it. */
function isVersion(value: unknown): value is bigint {
  return typeof value === "bigint" && value >= 0n && value <= UINT64_MAX;
}

export function requireDistinct<T>(what: string, items: readonly T[], namesOf: (item: T) => readonly string[]): void {
  const seen = new Set<string>();
  for (const name of items.flatMap(namesOf)) {
    if (!PLAN_NAME.test(name)) throw wrong(`a ${what} has no name`);
    if (seen.has(name)) throw wrong(`the ${what} "${name}" is there twice`);
    seen.add(name);
  }
}

/** Maps have no order on the wire, so two nodes could hash other bytes for the same message. */
export function requireNoMaps({ typeName, fields }: DescMessage, seen = new Set<string>()): void {
  if (seen.has(typeName)) return;
  seen.add(typeName);
  for (const { fieldKind, name, message } of fields) {
    if (fieldKind === "map") {
      throw wrong(`the message ${typeName} has a map, "${name}": make it a repeated message with a key and a value`);
    }
    if (message) requireNoMaps(message, seen);
  }
}

/** A method of `service Msg` whose message no module lists would be refused as unknown, though the .proto file promises it. */
export function requireDeclaredMessages(modules: readonly Module[]): void {
  const listed = new Set(modules.flatMap(({ messages = [] }) => messages.map(({ schema }) => schema.typeName)));
  for (const module of modules) {
    for (const { typeName: service, methods } of messageServicesOf(module)) {
      const forgotten = methods.find(({ input }) => !listed.has(input.typeName));
      if (!forgotten) continue;
      const { name, typeName } = forgotten.input;
      throw wrong(
        `${service} declares ${forgotten.name}, and module "${module.name}" does not list ${typeName}: add ` +
          `messageKind({ schema: ${name}Schema, … }) to its messages, or remove the rpc from the .proto file`,
      );
    }
  }
}

/** The services with messages in the files that a module's messages, queries and `files` come from. */
function messageServicesOf({ messages = [], queries = [], files = [] }: Module): DescService[] {
  const named = [...messages.map(({ schema }) => schema), ...queries.map(({ descriptor }) => descriptor)];
  return [...new Set([...named.map(({ file }) => file), ...files])]
    .flatMap(({ services }) => services)
    .filter((service) => service.name === "Msg" || getOption(service, isMessageService));
}

interface After {
  readonly removes: readonly string[];
  /** What the module has after the plan; undefined: there is none then. */
  readonly to: bigint | undefined;
}

/** A module that the plan begins from goes on with a version that is not lower, or is removed by name. */
export function requireFrom(plan: string, module: string, from: bigint, { removes, to }: After): void {
  if (!isVersion(from) || from > (to ?? from)) {
    const most = to ?? UINT64_MAX;
    throw wrong(
      `the plan "${plan}" begins from version ${from} of module "${module}"; it is a bigint from 0 to ${most}${bigintHint(from)}`,
    );
  }
  if (to !== undefined || removes.includes(module)) return;
  throw wrong(
    `the plan "${plan}" begins from the module "${module}", which no version after it has: correct the name, or, when the ` +
      `plan takes the module away, add removes: ["${module}"]`,
  );
}

interface Removed {
  readonly removes: readonly string[];
  readonly from: Readonly<Record<string, bigint>>;
  /** Modules after the plan. */
  readonly after: VersionMap;
}

/** A module that a plan takes away exists before it, and no longer after it. */
export function requireRemoved(plan: string, { removes, from, after }: Removed): void {
  for (const module of removes) {
    if (after.has(module)) {
      throw wrong(`the plan "${plan}" removes the module "${module}", which the version after it has`);
    }
    if (!Object.hasOwn(from, module)) {
      throw wrong(
        `the plan "${plan}" removes the module "${module}": name its version before, from: { ${module}: 1n }`,
      );
    }
  }
}
