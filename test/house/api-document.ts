/** The pages of docs/api/, from the doc blocks of what the entries export: `npm run generate:docs`. */
import ts from "typescript";
import { type Doc, docOf, ENTRIES, type Entry, type PublicName, publicNames } from "./public-names.js";

const INTRODUCTIONS: Readonly<Record<string, string>> = {
  "chain-upgrade":
    "The upgrade module for a chain's own host: no disk, no sockets, no clock. Begin with [the page on embedding](../embed.md).",
  "chain-upgrade/node":
    "A chain as a value, its modules, and its node with disk, blocks, servers and command line. Begin with [Build a chain](../build-a-chain.md).",
  "chain-upgrade/test":
    "The harness of handler authors; it works under any test runner. Begin with [Write a handler](../write-a-handler.md).",
  "chain-upgrade/verify":
    "What anyone can check about a chain's upgrades, in a browser too: no clock, no sockets, no package beside it.",
  "chain-upgrade/handler":
    "The AssemblyScript kit of handler authors, compiled by `chaind handler build`. Begin with [Write a handler](../write-a-handler.md).",
};

/** Text of each page, by its name in docs/api/. */
export function apiPages(): Map<string, string> {
  return new Map(ENTRIES.map((entry) => [entry.page, pageOf(entry, publicNamesOnce(entry))]));
}

function pageOf(entry: Entry, names: readonly PublicName[]): string {
  const values = names.filter(({ isValue }) => isValue);
  const types = names.filter(({ isValue }) => !isValue);
  const others = ENTRIES.filter(({ page }) => page !== entry.page).map((it) => `[\`${it.specifier}\`](${it.page})`);
  const sections = [...values, ...types];
  // As GitHub makes them: the second heading of a name, whatever its case, has a number.
  const anchorOf = (it: PublicName) => {
    const anchor = it.name.toLowerCase();
    const before = sections.slice(0, sections.indexOf(it)).filter(({ name }) => name.toLowerCase() === anchor).length;
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
  const link = (it: PublicName) => `[${it.name}](#${anchorOf(it)})`;
  const list = (title: string, of: readonly PublicName[]) =>
    of.length === 0 ? [] : [`${title}: ${of.map(link).join(", ")}.`, ""];
  return [
    `# \`${entry.specifier}\``,
    "",
    `${INTRODUCTIONS[entry.specifier]} Other entries: ${others.join(", ")}.`,
    "",
    "<!-- Generated from the sources by `npm run generate:docs`. -->",
    "",
    ...(values.some(({ doc }) => doc.examples.some((text) => /handler\.wasm|"home/.test(text)))
      ? [EXAMPLE_FILES, ""]
      : []),
    ...list("Functions, classes and constants", values),
    ...list("Types", types),
    ...sections.flatMap((it) => sectionOf(entry, it)),
  ].join("\n");
}

const EXAMPLE_FILES =
  "Examples read these files from the current folder. `handler.wasm` is a copy of `dist/handlers/split-balances.wasm` in this package. `home` is a home that the chain's own program made with `init`, `keys add` and `genesis add-account … --validator`: see [Build a chain](../build-a-chain.md).";

function sectionOf(entry: Entry, it: PublicName): string[] {
  const { doc } = it;
  const code = [fence(signatureOf(it)), ""];
  return [
    `## ${it.name}`,
    "",
    ...(doc.text === "" ? [] : [doc.text, ""]),
    ...code,
    ...parametersOf(doc),
    ...doc.throws.flatMap((text) => [`Throws ${text}.`.replace(/\.\.$/, "."), ""]),
    ...(it.isValue ? doc.examples : []).flatMap((text) => [fence(withImports(entry, text)), ""]),
  ];
}

const parametersOf = ({ params }: Doc): string[] =>
  params.length === 0 ? [] : [...params.map(([name, text]) => `- \`${name}\`: ${text}`), ""];

const fence = (code: string) => `\`\`\`ts\n${code}\n\`\`\``;

/** What an example uses comes from its entry; what it takes from elsewhere it imports itself. */
export function withImports(entry: Entry, example: string): string {
  const imported = new Set(
    [...example.matchAll(/^import .*?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(/[ ,]+/)),
  );
  const isUsed = ({ name }: PublicName) =>
    !imported.has(name) && new RegExp(`(?<![.\\w"'{/])(?<!const )${name}\\b(?!["'])`).test(example);
  const wanted = publicNamesOnce(entry).filter(isUsed);
  if (wanted.length === 0) return example;
  const list = wanted
    .map(({ name, isValue }) => (isValue ? name : `type ${name}`))
    .sort()
    .join(", ");
  return `import { ${list} } from "${entry.specifier}";\n${example}`;
}

const known = new Map<string, readonly PublicName[]>();

/** A compiler takes seconds for an entry. */
export function publicNamesOnce(entry: Entry): readonly PublicName[] {
  const names = known.get(entry.page) ?? publicNames(entry);
  known.set(entry.page, names);
  return names;
}

function signatureOf({ name, declaration, type }: PublicName): string {
  if (ts.isClassDeclaration(declaration)) return classText(declaration);
  if (ts.isFunctionDeclaration(declaration)) return headOf(declaration, declaration.body).replace(/^export /, "");
  if (ts.isVariableDeclaration(declaration)) return `const ${name}: ${type};`;
  return (ts.isInterfaceDeclaration(declaration) ? interfaceText(declaration) : declaration.getText()).replace(
    /^export /,
    "",
  );
}

/** As it is, without the members that its declaration file lacks too. */
function interfaceText(declaration: ts.InterfaceDeclaration): string {
  const { text } = declaration.getSourceFile();
  const kept = declaration.members.filter((member) => !isInternal(member));
  if (kept.length === declaration.members.length) return declaration.getText();
  const members = kept.map((member) => text.slice(member.getFullStart(), member.getEnd()));
  return `${text.slice(declaration.getStart(), declaration.members.pos)}${members.join("")}\n}`;
}

const isInternal = (node: ts.Node) => ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal");

/** Text from the beginning of a declaration to its body, as in a declaration file. */
function headOf(node: ts.Node, body: ts.Node | undefined): string {
  const text = body ? node.getSourceFile().text.slice(node.getStart(), body.getStart()) : node.getText();
  return `${text
    .trim()
    .replace(/[;=]*$/, "")
    .trim()};`;
}

function classText(declaration: ts.ClassDeclaration): string {
  const { text } = declaration.getSourceFile();
  const head = text
    .slice(declaration.getStart(), declaration.members.pos)
    .replace(/^export /, "")
    .trim();
  const members = declaration.members.filter(isPublic).map((member) => {
    const { text: doc, throws, params } = docOf(member);
    const lines = [
      ...doc.split("\n"),
      ...params.map(([name, what]) => `@param ${name} ${what}`),
      ...throws.map((what) => `@throws ${what}`),
    ];
    const comment = lines.filter((line) => line !== "");
    const block =
      comment.length === 0
        ? []
        : comment.length === 1
          ? [`/** ${comment[0]} */`]
          : ["/**", ...comment.map((line) => ` * ${line}`), " */"];
    return [...block, memberText(member)].map((line) => `  ${line}`).join("\n");
  });
  return `${head}\n${members.join("\n")}\n}`;
}

function memberText(member: ts.ClassElement): string {
  if (ts.isPropertyDeclaration(member)) {
    const kind = member.type ? `: ${member.type.getText()}` : "";
    const flags = ts
      .getModifiers(member)
      ?.filter(({ kind: it }) => it === ts.SyntaxKind.ReadonlyKeyword || it === ts.SyntaxKind.StaticKeyword);
    return [...(flags ?? []).map((flag) => flag.getText()), `${member.name.getText()}${kind};`].join(" ");
  }
  const { body } = member as ts.MethodDeclaration;
  const head = headOf(member, body).replace(/^(?:override|public) /, "");
  return head.replace(/\b(?:(?:private|override) )?readonly (?=\w+[?]?:)/g, "");
}

/** Not private, not the plumbing between the project's own classes. */
export function isPublic(member: ts.ClassElement): boolean {
  if (ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) return false;
  if (ts.isClassStaticBlockDeclaration(member)) return false;
  const name = member.name?.getText() ?? "constructor";
  return !/^[#_[]/.test(name) && !isInternal(member);
}
