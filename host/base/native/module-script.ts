/**
 * Makes a script of a module that esbuild wrote, so that V8's code cache can be used for it. The script is a function that takes
 * `require` and returns the exports. Lines stay where they are.
 *
 * @throws Error for a module of another form
 */
export function scriptOfModule(text: string): string {
  const end = text.search(/export ?\{[^{}]*\};\s*$/);
  const [, exported] = /^export ?\{([^{}]*)\}/.exec(text.slice(Math.max(end, 0))) ?? [];
  if (exported === undefined) throw new Error("the module does not end with its exports");
  const imports: string[] = [];
  const body = text
    .slice(0, end)
    .replace(/(^|[;}])import ?\{([^{}]*)\} ?from ?"([^"]*)";/gm, (_, before: string, names: string, from: string) => {
      imports.push(`const{${names.replace(/\s+as\s+/g, ":")}}=require("${from}");`);
      return before;
    });
  const members = exported.split(",").map((each) => {
    const [own = "", name = own] = each.trim().split(/\s+as\s+/);
    return `${name}:${own}`;
  });
  return `(require=>{"use strict";${imports.join("")}${body}return{${members.join(",")}}})`;
}
