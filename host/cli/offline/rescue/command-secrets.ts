/** Passwords that follow a word or a flag without `=` or `:`: commands of a shell, SQL, .netrc, redis.conf, and what people write. */

const PASSWORD = "pass(?:wd|word|phrase|code)";
const VALUE = `(?!\\[removed\\]|[=:>])(?:"[^"\\n]*"|'[^'\\n]*'|[^\\s"']+)`;

const RULES: readonly RegExp[] = [
  // `curl -u name:password`; the name goes with it.
  /(\s(?:-u|-U|--user|--proxy-user)[\s=]+)[^\s:]+:\S+/g,
  /(\b(?:mysql\w*|mariadb[\w-]*|sshpass)\b[^\n]{0,200}?\s-p\s?)[^\s-]\S*/gi,
  /(\bredis-cli\b[^\n]{0,200}?\s-a\s+)\S+/gi,
  // `passphrase for key alice: two words`, to the end of the line.
  new RegExp(`(\\b${PASSWORD}\\s+(?:for|of)\\b[^\\n=:]{0,60}:[ \\t]+)[^\\n"]+`, "gi"),
  new RegExp(
    `(\\b(?:(?:${PASSWORD})(?:\\s+(?:is|was|to|be))?|requirepass|masterauth|identified\\s+by)[ \\t]+)${VALUE}`,
    "gi",
  ),
];

export function withoutCommandSecrets(text: string, removed: string): string {
  return RULES.reduce((rest, rule) => rest.replace(rule, `$1${removed}`), text);
}
