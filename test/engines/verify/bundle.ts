/** `dist/verify.js` with the program that calls it, as one script for an engine. */
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import ts from "typescript";
import { ROOT } from "../../house/sources.js";

/** @param print how the engine writes a line */
export async function bundled(target: BuildOptions, print: string, json: string): Promise<string> {
  const contents = [
    `import * as verify from ${JSON.stringify(join(ROOT, "dist/verify.js"))};`,
    `import { report } from ${JSON.stringify(join(ROOT, "test/engines/verify/program.ts"))};`,
    `report(verify, ${JSON.stringify(json)}).then(${print});`,
  ].join("\n");
  const { outputFiles, warnings } = await build({
    stdin: { contents, resolveDir: ROOT, loader: "js" },
    ...{ bundle: true, write: false, format: "iife", platform: "browser", logLevel: "silent", ...target },
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  return outputFiles?.[0]?.text ?? "";
}

/** TypeScript makes `Math.pow` of `**`, which takes no BigInt; React Native's build leaves `**` as it is. */
const POWERS = `
var pow = Math.pow;
Math.pow = function (base, exponent) {
  if (typeof base !== "bigint") return pow(base, exponent);
  var power = BigInt(1);
  for (var i = BigInt(0); i < exponent; i += BigInt(1)) power *= base;
  return power;
};
`;

/** For Hermes, which has neither private members nor async functions of its own: React Native's build does the same with Babel. */
export async function bundledForHermes(json: string): Promise<string> {
  const target = {
    target: "es2020",
    supported: {
      "class-private-field": false,
      "class-private-method": false,
      "class-private-accessor": false,
      "class-private-brand-check": false,
      "class-field": false,
      "class-static-field": false,
    },
  };
  const text = await bundled(target, "print", json);
  const { ES5 } = ts.ScriptTarget;
  const compilerOptions = { target: ES5, module: ts.ModuleKind.None, downlevelIteration: true };
  return POWERS + ts.transpileModule(text, { compilerOptions }).outputText;
}
