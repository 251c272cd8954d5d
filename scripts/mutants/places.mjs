// Where a fault can be planted, and which of these places a seed draws.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "../..");
/** Generated sources are no one's to get wrong. */
const GENERATED = /^host\/base\/gen\/|-wasm\.ts$/;
const OPERATORS = new Map(
  Object.entries({
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "&": "|",
    "|": "&",
    "<<": ">>",
    ">>": "<<",
  }),
);

/** A stream of numbers from 0 to `below` - 1 that the seed alone decides (mulberry32). */
function randomOf(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function sourcesUnder(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && !GENERATED.test(path))
    .sort();
}

/** Files of each layer of host/, and of each folder of assembly/. */
export function readLayers() {
  const folders = ["host", "assembly"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`),
  );
  return new Map(folders.map((folder) => [folder, sourcesUnder(folder)]));
}

/** One more; of a number with a name the half, since its tests are at the number that the name has. */
function otherNumber(node, value) {
  const isNamed = node.parent.initializer === node && !ts.isPropertyAssignment(node.parent);
  return isNamed && value > 1n ? value / 2n : value + 1n;
}

/** What the place of a node becomes: nothing for a node that is left as it is. */
function changesOf(node, source) {
  const textOf = (part) => part.getText(source);
  if (ts.isBinaryExpression(node)) {
    const to = OPERATORS.get(textOf(node.operatorToken));
    // A text that is put together has no minus.
    const isText = [node.left, node.right].some(
      (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
    );
    return to && !isText ? [[node.operatorToken, to]] : [];
  }
  if (ts.isNumericLiteral(node)) return [[node, `${otherNumber(node, BigInt(Math.trunc(Number(node.text))))}`]];
  if (ts.isBigIntLiteral(node)) return [[node, `${otherNumber(node, BigInt(node.text.slice(0, -1)))}n`]];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, "false"]];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, "true"]];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [[node, textOf(node.operand)]];
  }
  // A check, a call, an assignment or the last element of a list is left out; a choice is made the other way.
  if (ts.isIfStatement(node) && !node.elseStatement) return [[node, ";"]];
  if (ts.isExpressionStatement(node) && !/^super\b/.test(textOf(node))) return [[node, ";"]];
  if (ts.isArrayLiteralExpression(node) && node.elements.length > 1) {
    return [[node, `[${node.elements.slice(0, -1).map(textOf).join(", ")}]`]];
  }
  if (ts.isConditionalExpression(node)) return [[node.condition, `!(${textOf(node.condition)})`]];
  return [];
}

/** Every place of a file where one small change makes it compute something else. */
function placesOf(file) {
  const text = readFileSync(join(ROOT, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const places = [];
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    for (const [part, to] of changesOf(node, source)) {
      const [start, end] = [part.getStart(source), part.getEnd()];
      const { line } = source.getLineAndCharacterOfPosition(start);
      places.push({ file, start, end, from: text.slice(start, end), to, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return places;
}

/**
 * `count` faults that the seed alone decides: one layer after another in an order of the seed's, a file of it, a place in the
 * file. A large layer gets no more than a small one.
 */
export function drawMutants(seed, count, layers) {
  const random = randomOf(seed);
  const left = [...layers.values()];
  const order = [];
  while (left.length > 0) order.push(...left.splice(random(left.length), 1));
  const drawn = [];
  while (drawn.length < count) {
    const files = order[drawn.length % order.length];
    const places = placesOf(files[random(files.length)]);
    if (places.length > 0) drawn.push(places[random(places.length)]);
  }
  return drawn;
}

/** The faults that once survived, as `[file, from, to]`. */
export function placeOfText([file, from, to]) {
  const text = readFileSync(join(ROOT, file), "utf8");
  const start = text.indexOf(from);
  if (start < 0) throw new Error(`${file} has no "${from}" any more: change the list of known faults`);
  const line = text.slice(0, start).split("\n").length;
  return { file, start, end: start + from.length, from, to, line };
}
