/** Reads back one text that was printed as the value of the only member `k`: what YAML says of its four forms. */
const CODES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
};

export function readMember(yaml: string): string {
  const value = yaml.replace(/^k: /, "");
  if (value.startsWith("|")) return readLiteral(value);
  const line = value.slice(0, -1);
  if (line.startsWith("'")) return fold(line.slice(1, -1)).replaceAll("''", "'");
  return line.startsWith('"') ? resolveEscapes(fold(line.slice(1, -1))) : fold(line);
}

/** A line break with the indentation after it is a space; U+2028 and U+2029 stay. */
function fold(text: string): string {
  return text.replace(/\n {2}/g, " ").replace(/([\u2028\u2029]) +/g, "$1");
}

function resolveEscapes(text: string): string {
  return text.replace(/\\(?:x(..)|u(....)|U(.{8})|(.))/g, (_, x, u, long, letter) =>
    letter === undefined ? String.fromCodePoint(Number.parseInt(x ?? u ?? long, 16)) : (CODES[letter] as string),
  );
}

function readLiteral(value: string): string {
  const [, hint, end, lines] = /^\|(2?)([-+]?)\n(.*)$/s.exec(value) as unknown as string[];
  const text = (lines as string).replace(/(^|[\n\u2028\u2029]) {2}/g, "$1");
  if (hint === "" && /^[ \n\u2028\u2029]/.test(text)) throw new Error("the indentation must be given");
  const body = end === "-" ? text.slice(0, -1) : text;
  const breaks = /[\n\u2028\u2029]*$/.exec(body)?.[0].length ?? 0;
  const expected = breaks === 0 ? "-" : breaks > 1 || breaks === body.length ? "+" : "";
  if (end !== expected) throw new Error(`the end is marked "${end}", not "${expected}"`);
  return body;
}
