/** Variables that a program reads its own settings from: `CHAIND_HOME`. */

/** Name of the sidecar's own program. */
export const VISOR_PROGRAM = "chainvisor";

/** `CHAIND_`. @param name of the program's file */
export function prefixOf(name: string): string {
  return `${name
    .replace(/\.[cm]?js$/, "")
    .replaceAll("-", "_")
    .toUpperCase()}_`;
}
