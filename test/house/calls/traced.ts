/** Sources in which every function notes when it is entered and left: what calls what is then seen as it happens. */
import ts from "typescript";

interface Insertion {
  readonly at: number;
  readonly text: string;
}

type Body = ts.FunctionLikeDeclaration & { readonly body: ts.Node };

/** The text with notes for trace.ts in every function; `path` is what they name. */
export function traced(path: string, text: string): string {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const insertions: Insertion[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) insertions.push(...notesIn(path, node as Body));
    ts.forEachChild(node, visit);
  };
  visit(source);
  // From the end, so that places stay true; of two at one place the later first, so that an empty body keeps its order.
  const order = insertions.map((each, index) => ({ ...each, index })).sort((a, b) => b.at - a.at || b.index - a.index);
  return order.reduce((out, each) => out.slice(0, each.at) + each.text + out.slice(each.at), text);
}

/**
 * An async function has a caller up to its first pause; a generator has one whenever it goes on. Async generators are left
 * as they are.
 */
function notesIn(path: string, node: Body): Insertion[] {
  const { body } = node;
  const place = JSON.stringify(`${path}#${nameOf(node)}`);
  const [start, end] = [body.getStart(), body.getEnd()];
  const around = (head: string, foot: string, inset = 1) => [
    { at: start + inset, text: head },
    { at: end - inset, text: foot },
  ];
  const async = isAsync(node) ? "async " : "";
  if (!ts.isBlock(body)) return around(`__calls.in(${place}, ${async}() => (`, "))", 0);
  if (node.asteriskToken) {
    return async
      ? []
      : around(`return yield* __calls.generator(${place}, (function* (this: any) {`, "\n}).call(this));");
  }
  if (async) return around(`return __calls.in(${place}, async () => {`, "\n});");
  return around(`__calls.enter(${place}); try {`, "\n} finally { __calls.leave(); }");
}

function isAsync(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? node.modifiers : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;
}

/** A function's own name, or that of the one around it with `>`. */
function nameOf(node: ts.Node): string {
  if ("name" in node && node.name) return (node.name as ts.Node).getText();
  if (ts.isConstructorDeclaration(node)) return "constructor";
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  for (let outer: ts.Node | undefined = parent; outer; outer = outer.parent) {
    if (ts.isFunctionLike(outer)) return `${nameOf(outer)}>`;
  }
  return "";
}
