/** Results on stdout, as YAML for people or one JSON object a line for machines; everything else goes to stderr. */
import type { Command } from "commander";
import { completeText } from "../text/program-text.js";
import { visibleJson, visibleLines } from "../text/visible.js";
import type { Io } from "./io.js";
import type { YamlValue } from "./yaml.js";

/** What commands write with. */
export interface Output {
  /** Prints the result of a command. `text`: what people read instead of YAML. */
  print(answer: object, text?: string): Promise<void>;
  /** Is the result read by a machine? */
  readonly isJson: boolean;
  /** A line for people: progress, warnings, advice. */
  say(line: string): void;
}

/** @param name of the program, in texts with commands to type */
export function makeOutput(program: Pick<Command, "opts">, io: Pick<Io, "stdout" | "stderr">, name: string): Output {
  const isJson = () => program.opts()["output"] === "json";
  return {
    get isJson() {
      return isJson();
    },
    async print(answer, text) {
      const printed = isJson() ? jsonLine(answer) : visibleLines(text ?? (await yamlText(answer)));
      io.stdout.write(ended(completeText(printed, name)));
    },
    say: (line) => void io.stderr.write(`${completeText(line, name)}\n`),
  };
}

const ended = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);

/** A result as YAML. Loads the YAML package on first use. */
export async function yamlText(answer: object): Promise<string> {
  const { jsonToYaml } = await import("./yaml.js");
  return jsonToYaml(JSON.parse(jsonLine(answer)) as YamlValue);
}

/** One line, as Go's encoder writes it: `< > &` and characters that do not show are escaped, 64-bit integers are texts. */
export function jsonLine(answer: unknown): string {
  const text = JSON.stringify(answer, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
  const escaped = text.replace(/[<>&]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return visibleJson(escaped);
}
