/** Which file may import which (docs/layers.json): imports point down, without cycles, and only some folders touch the machine. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { generatedDocs, placeOf, readLayers } from "../../scripts/layers.mjs";
import { cyclesOf } from "./cycles.js";
import { ROOT, type Source, sourcesUnder } from "./sources.js";

const { layers, machine } = readLayers();
const ENTRIES = new Set(["host/index.ts", "host/node.ts"]);
const sources = sourcesUnder("host");
const byPath = new Map(sources.map((source) => [source.path, source]));

/**
 * Variables of a module that change: facts of the process or of its engine, never of one program. What a program is, its chain,
 * its name and its streams, is passed, so that two of them can run in one process.
 */
const OF_THE_PROCESS: readonly string[] = [
  "host/base/errors/engine-limit.ts noticed",
  "host/base/errors/synchronous.ts moduleCall",
  "host/base/files/file-lock.ts native",
  "host/chain/app/tx/message-kind.ts depth",
  "host/chain/determinism/stack-trial.ts isTrying",
  "host/chain/determinism/traps.ts restore",
  "host/chain/values/definition-errors.ts listener",
  "host/state/commitment/sha256-lanes.ts compiled",
  "host/upgrade/handler/check/check.ts idle",
  "host/upgrade/handler/check/checker.ts compiled",
  "host/visor/run/process-groups.ts isListening",
  "host/visor/run/process-groups.ts isStopping",
];
/** Lines of programs that are written as text. */
const OF_TEXTS: readonly string[] = [
  "host/cli/author/new-project.ts balances",
  "host/state/store/disk/lmdb-stager.ts at",
  "host/state/store/disk/lmdb-stager.ts db",
];

/** May the file touch the machine: files, sockets, clocks, the process? */
const isMachineFile = ({ path }: Source) =>
  ENTRIES.has(path) || machine.some((each) => path.startsWith(`host/${each}${each.includes("disk/") ? "" : "/"}`));

describe("layers", () => {
  test("a file imports from its own layer, in the order of its folders, and from layers below", () => {
    const below = sources.filter(({ path }) => !ENTRIES.has(path));
    const wrong = below.flatMap(({ path, imports }) => {
      const from = placeOf(layers, path);
      if (from === undefined) return [`${path} is in no folder of docs/layers.json`];
      return imports.flatMap(({ file }) => {
        const to = file === undefined ? { layer: layers.length, at: 0 } : placeOf(layers, file);
        const isDown = to && (to.layer > from.layer || (to.layer === from.layer && to.at >= from.at));
        return isDown && (file === undefined || byPath.has(file)) ? [] : [`${path} → ${file}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test("the list names the layers that exist, each with its folders and a README of at most 25 lines", () => {
    const folders = (path: string) =>
      readdirSync(join(ROOT, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort();
    expect(layers.map(({ name }) => name).sort()).toEqual(folders("host"));
    for (const { name, folders: listed } of layers) {
      expect([...listed].sort(), name).toEqual(folders(`host/${name}`));
      expect(
        readFileSync(join(ROOT, `host/${name}/README.md`), "utf8")
          .trim()
          .split("\n").length,
      ).toBeLessThan(26);
    }
    expect(readFileSync(join(ROOT, "docs/layers.json"), "utf8").split("\n").length).toBeLessThan(60);
  });

  test("the pictures and the list in docs/architecture.md are as `npm run generate:docs` writes them", () => {
    for (const [file, text] of generatedDocs()) expect(readFileSync(join(ROOT, "docs", file), "utf8"), file).toBe(text);
  });

  test("no module keeps the program that runs in a variable", () => {
    const variables = sources.flatMap(({ path, text }) =>
      Array.from(
        text.matchAll(/^(export )?(?:let|var) (\w+)/gm),
        ([, exported = "", name]) => `${path} ${exported}${name}`,
      ),
    );
    expect(variables).toEqual([...OF_THE_PROCESS, ...OF_TEXTS].sort());
  });

  test("no cycle of imports, types included", () => {
    const uses = sources.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])] as const);
    expect(cyclesOf(new Map(uses))).toEqual([]);
  });

  test("node:* only where the machine is touched", () => {
    const outside = sources
      .filter((source) => !isMachineFile(source))
      .flatMap(({ path, imports }) => imports.filter(({ specifier }) => specifier.startsWith("node:")).map(() => path));
    expect(outside).toEqual([]);
  });

  test("no clock, no random, no process, no locale below the engine", () => {
    const banned =
      /\b(Date\s*[.(]|new Date|Math\.random|performance\.|process\.|setTimeout|setInterval|localeCompare|toLocale\w+|Intl\.|crypto\.getRandomValues|console\.)/;
    const found = sources
      .filter((source) => !isMachineFile(source) && !source.path.startsWith("host/base/gen/"))
      .flatMap(({ path, text }) =>
        text.split("\n").flatMap((line, index) => {
          const code = line.replace(/\/\/.*|^\s*\*.*|\/\*.*\*\//g, "").replace(/"(?:[^"\\]|\\.)*"/g, '""');
          return banned.test(code) ? [`${path}:${index + 1} ${line.trim()}`] : [];
        }),
      );
    expect(found).toEqual([]);
  });

  test("the library's entry needs nothing but @noble and what is bundled", () => {
    const bundled = new Set([
      "@assemblyscript/loader",
      "@bufbuild/protobuf",
      "@bufbuild/protobuf/codegenv2",
      "@bufbuild/protobuf/wkt",
    ]);
    const reached = new Set<string>();
    const reach = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const { file } of byPath.get(path)?.imports ?? []) if (file) reach(file);
    };
    reach("host/index.ts");
    const packages = [...reached].flatMap((path) =>
      (byPath.get(path)?.imports ?? [])
        .filter(
          ({ file, specifier }) => file === undefined && !specifier.startsWith("@noble/") && !bundled.has(specifier),
        )
        .map(({ specifier }) => `${path} → ${specifier}`),
    );
    expect(packages).toEqual([]);
  });

  test("files hold one idea: none over 300 lines, the median under 140", () => {
    const own = sources.filter(({ path }) => !path.startsWith("host/base/gen/") && !path.endsWith("-wasm.ts"));
    const lengths = own.map(({ path, text }) => ({ path, lines: text.split("\n").length }));
    expect(lengths.filter(({ lines }) => lines > 301)).toEqual([]);
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(140);
  });

  test("a chain's program is started in one place alone, which asks first whether this machine can run it", () => {
    /** Start Node.js itself, the shell's watcher, or a tool of the system; two ask `requireRunnable` first. The traps start nothing. */
    const others = [
      ...[
        "host/node/comet/engine/binary.ts",
        "host/node/comet/engine/process.ts",
        "host/cli/demo/child-node.ts",
        "host/cli/demo/vote.ts",
      ],
      ...["host/chain/determinism/traps.ts", "host/visor/download/unpacked.ts", "host/cli/localnet/run.ts"],
      "host/cli/offline/replay/replay.ts",
      ...["host/cli/offline/rollback-comet.ts", "host/state/store/disk/lmdb-temporary-path.ts"],
    ];
    const found = sources.flatMap(({ path, imports }) =>
      imports.filter((each) => !each.isTypeOnly && each.specifier === "node:child_process").map(() => path),
    );
    expect(found.toSorted()).toEqual([...others, "host/node/programs/spawn-program.ts"].toSorted());
  });

  test("no `export *`, which hides what a module offers", () => {
    expect(sources.filter(({ text }) => /^export \*/m.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
