/** How the page of a report looks, in light and in dark, on paper and on a small screen. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1b1f24; --faint: #57606a; --line: #d0d7de; --good: #116329; --bad: #a40e26; --after: #0550ae; --before: #8c959f; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --text: #e6edf3; --faint: #9da7b3; --line: #30363d; --good: #56d364; --bad: #ff7b72; --after: #79c0ff; --before: #6e7681; }
}
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 960px; margin: 0 auto; padding: 1rem; }
header { border-left: 0.5rem solid var(--bad); padding-left: 1rem; }
header.good { border-color: var(--good); }
.verdict { color: var(--bad); }
.good .verdict { color: var(--good); }
h1 { overflow-wrap: anywhere; }
h2 { border-bottom: 1px solid var(--line); margin-top: 2rem; }
code, pre, .hash { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
pre { overflow-x: auto; white-space: pre-wrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); padding-bottom: 0.25rem; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); padding: 0.25rem 0.75rem 0.25rem 0; overflow-wrap: anywhere; }
thead th { white-space: nowrap; }
tbody th { font-weight: 600; min-width: 7rem; }
figure { margin: 1rem 0; }
figcaption { color: var(--faint); }
svg { width: 100%; height: auto; max-width: 720px; }
svg text { fill: var(--text); font: 13px system-ui, sans-serif; }
svg .a { fill: var(--after); }
svg .b { fill: var(--before); }
`;
