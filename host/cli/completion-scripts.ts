/** The completion scripts themselves. Each hands the words of the line to `chaind __complete` and offers what it prints. */

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# bash completion for chaind
_chaind() {
    local IFS=$'\\n' line
    COMPREPLY=()
    local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
    while read -r line; do
        COMPREPLY+=("\${line%%$'\\t'*}")
    done < <("\${COMP_WORDS[0]}" __complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _chaind chaind
`;

const ZSH = `#compdef chaind
# zsh completion for chaind
_chaind() {
    local -a candidates
    local line word help
    for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -z $line ]] && continue
        word="\${line%%$'\\t'*}"
        help="\${line#*$'\\t'}"
        [[ $help == $line ]] && help=""
        candidates+=("\${word//:/\\\\:}\${help:+:$help}")
    done
    if (( \${#candidates} )); then _describe chaind candidates; else _files; fi
}
if [ "$funcstack[1]" = "_chaind" ]; then _chaind; else compdef _chaind chaind; fi
`;

const FISH = `# fish completion for chaind
function __chaind_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c chaind -f -a '(__chaind_complete)'
`;

const POWERSHELL = `# PowerShell completion for chaind
Register-ArgumentCompleter -Native -CommandName chaind -ScriptBlock {
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

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}
