/** Who may import whom (docs/architecture.md): arrows point down, nothing goes in a circle, the outside stays outside. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { picture, readRooms, withRoomList } from "../../scripts/rooms.mjs";
import { ROOT, type Source, sourcesUnder } from "./sources.js";

const table = readRooms();

/** Rooms that a room may import besides itself and the ground floor. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  table.rooms.map(({ name, imports }) => [name, imports]),
);

/** Lines and files on one floor that a room may have: what is larger is several rooms. */
const ROOM_LINES_MAX = 5_000;
/** The commands only say what to do with the rooms below them. */
const CLI_LINES_MAX = 4_000;
const FLOOR_FILES_MAX = 25;

const ENTRIES = new Set(["host/index.ts", "host/node.ts"]);
const GROUND = "(ground)";

const sources = sourcesUnder("host");
const byPath = new Map(sources.map((source) => [source.path, source]));

function roomOf(path: string): string {
  const [, room = "", rest] = path.split("/");
  return rest === undefined || room === "gen" ? GROUND : room;
}

/** May the file touch the machine: files, sockets, clocks, the process? */
const isMachineFile = ({ path }: Source) =>
  table.machine.some((each) => path.startsWith(`host/${each}${each.includes("/") ? "" : "/"}`));

describe("layers", () => {
  test("every room is known, and every import of the project's own files leads to one", () => {
    for (const { path, imports } of sources) {
      const room = roomOf(path);
      expect(room === GROUND || room in ALLOWED, `${path} is in a room that this test does not know`).toBe(true);
      for (const { file, specifier } of imports) {
        if (file !== undefined) expect(byPath.has(file), `${path} imports ${specifier}, which is absent`).toBe(true);
      }
    }
  });

  test("rooms.json → the list in docs/architecture.md and docs/rooms.svg, as `npm run generate:docs` writes them", () => {
    const read = (file: string) => readFileSync(join(ROOT, "docs", file), "utf8");
    expect(read("architecture.md")).toBe(withRoomList(read("architecture.md"), table));
    expect(read("rooms.svg")).toBe(picture(table));
  });

  test("every room of the table has a folder, and none is too large", () => {
    const own = sources.filter(({ path }) => !path.endsWith("-wasm.ts"));
    for (const { name } of table.rooms) {
      const files = own.filter(({ path }) => roomOf(path) === name);
      expect(files.length, name).toBeGreaterThan(0);
      const lines = files.reduce((sum, { text }) => sum + text.split("\n").length, 0);
      expect(lines, `lines of ${name}`).toBeLessThan(name === "cli" ? CLI_LINES_MAX : ROOM_LINES_MAX);
    }
    const floors = new Map<string, number>();
    // The ground floor too; what `buf generate` makes is nobody's to read.
    for (const { path } of own.filter((each) => !each.path.startsWith("host/base/gen/"))) {
      const floor = path.slice(0, path.lastIndexOf("/"));
      floors.set(floor, (floors.get(floor) ?? 0) + 1);
    }
    expect([...floors].filter(([, files]) => files > FLOOR_FILES_MAX)).toEqual([]);
  });

  test("imports point down", () => {
    const upward = sources
      .filter(({ path }) => !ENTRIES.has(path))
      .flatMap(({ path, imports }) =>
        imports.flatMap(({ file }) => {
          // The package's entries are above all rooms, though they lie on the ground floor.
          if (file !== undefined && ENTRIES.has(file)) return [`${path} → ${file}`];
          const [from, to] = [roomOf(path), file === undefined ? GROUND : roomOf(file)];
          return to === GROUND || to === from || ALLOWED[from]?.includes(to) ? [] : [`${path} → ${file}`];
        }),
      );
    expect(upward).toEqual([]);
  });

  test("the ground floor imports nothing above it", () => {
    const ground = sources.filter(({ path }) => roomOf(path) === GROUND && !ENTRIES.has(path));
    const above = ground.flatMap(({ path, imports }) =>
      imports
        .filter(({ file }) => file !== undefined && roomOf(file) !== GROUND)
        .map(({ file }) => `${path} → ${file}`),
    );
    expect(above).toEqual([]);
  });

  test("no circle of imports, types left out", () => {
    const done = new Set<string>();
    const visit = (path: string, way: readonly string[]): string[] => {
      if (way.includes(path)) return [[...way.slice(way.indexOf(path)), path].join(" → ")];
      if (done.has(path)) return [];
      const next = byPath.get(path)?.imports ?? [];
      const found = next.flatMap(({ file, isTypeOnly }) => (file && !isTypeOnly ? visit(file, [...way, path]) : []));
      done.add(path);
      return found;
    };
    expect(sources.flatMap(({ path }) => visit(path, []))).toEqual([]);
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
      ...["host/node/comet/engine/binary.ts", "host/node/comet/engine/process.ts", "host/cli/demo/child-node.ts", "host/cli/demo/vote.ts"],
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
