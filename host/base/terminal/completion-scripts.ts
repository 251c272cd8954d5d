/** The completion scripts themselves. Each hands the words of the line to `chaind __complete` and offers what it prints. */

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

const bash = (program: string, word: string) => `# bash completion for ${program}
_${word}() {
    local IFS=$'\\n' line
    COMPREPLY=()
    local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
    while read -r line; do
        COMPREPLY+=("\${line%%$'\\t'*}")
    done < <("\${COMP_WORDS[0]}" __complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _${word} ${program}
`;

const zsh = (program: string, word: string) => `#compdef ${program}
# zsh completion for ${program}
_${word}() {
    local -a candidates
    local line word help
    for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -z $line ]] && continue
        word="\${line%%$'\\t'*}"
        help="\${line#*$'\\t'}"
        [[ $help == $line ]] && help=""
        candidates+=("\${word//:/\\\\:}\${help:+:$help}")
    done
    if (( \${#candidates} )); then _describe ${program} candidates; else _files; fi
}
if [ "$funcstack[1]" = "_${word}" ]; then _${word}; else compdef _${word} ${program}; fi
`;

const fish = (program: string, word: string) => `# fish completion for ${program}
function __${word}_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c ${program} -f -a '(__${word}_complete)'
`;

const powershell = (program: string) => `# PowerShell completion for ${program}
Register-ArgumentCompleter -Native -CommandName ${program} -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($wordToComplete -eq '') { $words += '' }
    & $commandAst.CommandElements[0].Value __complete '--' @words 2>$null | ForEach-Object {
        $word, $help = $_ -split "\`t", 2
        if (-not $help) { $help = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $help)
    }
}
`;

/** @param program its name; in the names of the script's functions its dashes are underlines */
export function completionScript(shell: Shell, program: string): string {
  return SCRIPTS[shell](program, program.replaceAll("-", "_"));
}

const SCRIPTS: Readonly<Record<Shell, (program: string, word: string) => string>> = { bash, zsh, fish, powershell };
