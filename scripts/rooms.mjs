// `npm run generate:docs`: writes the list of rooms in docs/architecture.md and the picture docs/rooms.svg from
// docs/rooms.json. test/house/layers.test.ts holds the sources to the same table, and both files to this script.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const [BEGIN, END] = ["<!-- rooms: made by npm run generate:docs -->", "<!-- /rooms -->"];

export function readRooms() {
  return JSON.parse(readFileSync(join(ROOT, "docs/rooms.json"), "utf8"));
}

/** The architecture page with its list of rooms made again. */
export function withRoomList(page, { rooms, machine }) {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`docs/architecture.md lacks ${BEGIN} or ${END}`);
  const outside = machine.map((name) => `\`${name}${name.endsWith("lmdb") ? "*" : ""}\``).join(", ");
  const lines = [
    "| room of host/ | what it holds | may import, besides the ground floor |",
    "| --- | --- | --- |",
    ...rooms.map(({ name, what, imports }) => `| \`${name}/\` | ${what} | ${imports.join(", ") || "nothing"} |`),
    "",
    `Files, sockets, clocks and the process are touched in ${outside} alone.`,
  ];
  return `${page.slice(0, start + BEGIN.length)}\n${lines.join("\n")}\n${page.slice(end)}`;
}

const BOX = { width: 120, height: 44, gapX: 28, gapY: 40, margin: 24 };

/** The floor of each room, from 0: above all that it imports. */
export function floorsOf({ rooms }) {
  const floors = new Map();
  const floorOf = (name) => {
    if (!floors.has(name)) {
      const { imports } = rooms.find((room) => room.name === name);
      floors.set(name, imports.length === 0 ? 0 : 1 + Math.max(...imports.map(floorOf)));
    }
    return floors.get(name);
  };
  for (const { name } of rooms) floorOf(name);
  return floors;
}

/** Rooms on their floors. Arrows that follow from others are left out. */
export function picture({ rooms }) {
  const floors = floorsOf({ rooms });
  const top = Math.max(...floors.values());
  const byFloor = Array.from({ length: top + 1 }, (_, floor) => rooms.filter(({ name }) => floors.get(name) === floor));
  const widest = Math.max(...byFloor.map((row) => row.length));
  const width = 2 * BOX.margin + widest * (BOX.width + BOX.gapX) - BOX.gapX;
  const height = 2 * BOX.margin + (top + 2) * (BOX.height + BOX.gapY) - BOX.gapY;
  const place = new Map();
  byFloor.forEach((row, floor) => {
    const used = row.length * (BOX.width + BOX.gapX) - BOX.gapX;
    row.forEach(({ name }, at) => {
      const x = (width - used) / 2 + at * (BOX.width + BOX.gapX);
      place.set(name, { x, y: BOX.margin + (top - floor) * (BOX.height + BOX.gapY) });
    });
  });
  const reaches = (from, to) =>
    rooms.find(({ name }) => name === from).imports.some((each) => each === to || reaches(each, to));
  const arrows = rooms.flatMap(({ name, imports }) =>
    imports
      .filter((to) => !imports.some((other) => other !== to && reaches(other, to)))
      .map((to) => arrow(place.get(name), place.get(to))),
  );
  const ground = { y: height - BOX.margin - BOX.height };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="14" text-anchor="middle">`,
    "<title>The rooms of host/: each imports only from below</title>",
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#666"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...arrows,
    ...[...place].map(([name, { x, y }]) => box(name, x, y, BOX.width, "#eef4ff")),
    box(
      "ground floor: types, errors, limits, bytes, wire, time",
      BOX.margin,
      ground.y,
      width - 2 * BOX.margin,
      "#f3f3f3",
    ),
    "</svg>",
    "",
  ].join("\n");
}

function arrow(from, to) {
  const [x1, y1, x2, y2] = [from.x + BOX.width / 2, from.y + BOX.height, to.x + BOX.width / 2, to.y];
  return `<path d="M${x1} ${y1}C${x1} ${y1 + 24} ${x2} ${y2 - 24} ${x2} ${y2}" fill="none" stroke="#999" marker-end="url(#head)"/>`;
}

function box(label, x, y, width, fill) {
  const text = `<text x="${x + width / 2}" y="${y + BOX.height / 2 + 5}">${label}</text>`;
  return `<rect x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="6" fill="${fill}" stroke="#567"/>${text}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const rooms = readRooms();
  const page = join(ROOT, "docs/architecture.md");
  writeFileSync(page, withRoomList(readFileSync(page, "utf8"), rooms));
  writeFileSync(join(ROOT, "docs/rooms.svg"), picture(rooms));
}
