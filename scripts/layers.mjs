// `npm run generate:docs`: writes the pictures of the layers of host/, and their list in docs/architecture.md, from
// docs/layers.json. test/house/layers.test.ts checks every import against the same file.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const [BEGIN, END] = ["<!-- layers: made by npm run generate:docs -->", "<!-- /layers -->"];
const IMPORT = /(?:\bfrom |\bimport\(|^import )"(\.[^"]+)\.js"/gm;

/** The layers from the top down: `{ name, what, folders }`, with the folders of each from the top down. */
export function readLayers() {
  const { layers, machine } = JSON.parse(readFileSync(join(ROOT, "docs/layers.json"), "utf8"));
  return {
    layers: Object.entries(layers).map(([name, { what, folders }]) => ({ name, what, folders: folders.split(" ") })),
    machine: machine.split(" "),
  };
}

/** The position of a file of host/, counted from the top. Files directly in a layer are above its folders. */
export function placeOf(layers, path) {
  const [, name, folder, rest] = path.split("/");
  const layer = layers.findIndex((each) => each.name === name);
  const at = rest === undefined ? 0 : 1 + (layers[layer]?.folders.indexOf(folder) ?? -2);
  return layer < 0 || (rest !== undefined && at < 1) ? undefined : { layer, at };
}

/** Which folders of a layer import which others of it. */
function importsWithin({ name, folders }) {
  const base = join(ROOT, "host", name);
  const found = new Map(folders.map((folder) => [folder, new Set()]));
  for (const file of readdirSync(base, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const path = file.replaceAll("\\", "/");
    const from = found.get(path.split("/")[0]);
    for (const [, specifier] of readFileSync(join(base, file), "utf8").matchAll(IMPORT)) {
      const to = posix.join(posix.dirname(path), specifier).split("/")[0];
      if (from && found.has(to) && found.get(to) !== from) from.add(to);
    }
  }
  return found;
}

const BOX = { width: 130, height: 40, gapX: 26, gapY: 36, margin: 20 };

/** All layers, one above the other; each opens its own picture. */
export function layersPicture({ layers }) {
  const width = 760;
  const bars = layers.map(({ name, what }, at) => {
    const y = BOX.margin + at * (BOX.height + 10);
    const text = `<text x="32" y="${y + 25}"><tspan font-weight="bold">${name}/</tspan><tspan x="120">${what.replaceAll("`", "")}</tspan></text>`;
    return `<a href="layers/${name}.svg">${rect(BOX.margin, y, width - 2 * BOX.margin)}${text}</a>`;
  });
  const height = 2 * BOX.margin + layers.length * (BOX.height + 10) - 10;
  return drawing(width, height, "The layers of host/: each imports only from layers below", "start", bars);
}

/** The folders of one layer, with an arrow from each to those that it imports. Arrows that follow from others are left out. */
export function folderPicture(layer) {
  const imports = importsWithin(layer);
  const ranks = new Map();
  // From the bottom up: what a folder imports is below it in the list.
  for (const folder of layer.folders.toReversed())
    ranks.set(folder, 1 + Math.max(-1, ...[...imports.get(folder)].map((to) => ranks.get(to))));
  const top = Math.max(...ranks.values());
  const rows = Array.from({ length: top + 1 }, (_, rank) => layer.folders.filter((each) => ranks.get(each) === rank));
  const widest = Math.max(...rows.map((row) => row.length));
  const width = 2 * BOX.margin + widest * (BOX.width + BOX.gapX) - BOX.gapX;
  const height = 2 * BOX.margin + (top + 1) * (BOX.height + BOX.gapY) - BOX.gapY;
  const place = new Map();
  rows.forEach((row, rank) => {
    const used = row.length * (BOX.width + BOX.gapX) - BOX.gapX;
    row.forEach((folder, at) => {
      const x = (width - used) / 2 + at * (BOX.width + BOX.gapX);
      place.set(folder, { x, y: BOX.margin + (top - rank) * (BOX.height + BOX.gapY) });
    });
  });
  const reaches = (from, to) => [...imports.get(from)].some((each) => each === to || reaches(each, to));
  const arrows = layer.folders.flatMap((from) =>
    layer.folders
      .filter((to) => imports.get(from).has(to))
      .filter((to) => ![...imports.get(from)].some((other) => other !== to && reaches(other, to)))
      .map((to) => arrow(place.get(from), place.get(to))),
  );
  const boxes = [...place].map(
    ([folder, { x, y }]) =>
      `${rect(x, y, BOX.width)}<text x="${x + BOX.width / 2}" y="${y + BOX.height / 2 + 5}">${folder}</text>`,
  );
  return drawing(width, height, `The folders of host/${layer.name}/`, "middle", [...arrows, ...boxes]);
}

function drawing(width, height, title, anchor, parts) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="14" text-anchor="${anchor}">`,
    `<title>${title}</title>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#666"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

const rect = (x, y, width) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="6" fill="#eef4ff" stroke="#567"/>`;

function arrow(from, to) {
  const [x1, y1, x2, y2] = [from.x + BOX.width / 2, from.y + BOX.height, to.x + BOX.width / 2, to.y];
  return `<path d="M${x1} ${y1}C${x1} ${y1 + 24} ${x2} ${y2 - 24} ${x2} ${y2}" fill="none" stroke="#999" marker-end="url(#head)"/>`;
}

/** The architecture page with the list of layers made again. */
function withList(page, { layers }) {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`docs/architecture.md lacks ${BEGIN} or ${END}`);
  const rows = layers.map(({ name, what, folders }) => `| \`${name}/\` | ${what} | ${folders.join(", ")} |`);
  const lines = ["| layer of `host/` | what it contains | its folders, from the top |", "| --- | --- | --- |", ...rows];
  return `${page.slice(0, start + BEGIN.length)}\n${lines.join("\n")}\n${page.slice(end)}`;
}

/** Every generated file by its path in docs/. */
export function generatedDocs() {
  const table = readLayers();
  const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
  return new Map([
    ["architecture.md", withList(page, table)],
    ["layers.svg", layersPicture(table)],
    ...table.layers.map((layer) => [`layers/${layer.name}.svg`, folderPicture(layer)]),
  ]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [file, text] of generatedDocs()) {
    const path = join(ROOT, "docs", file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
