/**
 * The name of the running program, for texts that hold a command to type. A process has one; it is named when its chain
 * is known, before anything is opened. Without a chain it is that of the package's own program.
 */
let name = "chaind";

export function nameProgram(given: string): void {
  name = given;
}

export function programName(): string {
  return name;
}

/** Of the settings in the environment: `NOTESD_` for `notesd`. */
export function envPrefix(): string {
  return `${name.replaceAll("-", "_").toUpperCase()}_`;
}
