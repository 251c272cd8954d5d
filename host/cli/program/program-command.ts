/** A command that a program has besides those of every chain, such as `demoCommand`. */
export interface ProgramCommand {
  readonly name: string;
  /** A line in the program's help. */
  readonly summary: string;
  /** Adds the command to the command line; called when that asks for it. */
  register(program: unknown, output: unknown): Promise<void>;
}
