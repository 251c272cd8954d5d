// For bundles that visitors of a page download.
import { readFileSync } from "node:fs";

/**
 * A plugin of esbuild. Errors of the page and of `chain-upgrade/verify` carry their code and message. What each code means to a process, to HTTP and to readers of the
 * documents is a third of a small bundle, and left out.
 */
export const withoutMeanings = {
  name: "without-meanings",
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]host[\\/]errors\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      // Only meanings have spaces; codes and causes do not.
      const contents = source.replace(/"(?:[^"\\\n]|\\.)*"/g, (text) => (text.includes(" ") ? '""' : text));
      if (contents.length > source.length * 0.8)
        throw new Error("host/errors.ts has another form than scripts/without-meanings.mjs knows");
      return { contents, loader: "ts" };
    });
  },
};
