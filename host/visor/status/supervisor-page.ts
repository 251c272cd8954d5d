/**
 * `/supervisor`: the sidecar's status as a page, whole as it comes: it works in any browser, through any proxy, and while everything
 * else is silent. Where scripts run, what has changed is put in place; elsewhere the browser loads it again, unless asked not to.
 */

import { createHash } from "node:crypto";
import { toBase64 } from "../../base/text/bytes.js";
import { visible } from "../../base/text/visible.js";
import type { Phase, Readiness } from "../decide/status.js";
import { unreadPlan } from "../decide/unseen-plan.js";
import { Html, html } from "./html.js";
import {
  infoWords,
  leftWords,
  PHASE_WORDS,
  planWords,
  programWords,
  progressWords,
  silenceWords,
} from "./status-text.js";
import type { Shown } from "./view.js";

const QUIET_SECONDS = 15;
const BUSY_SECONDS = 3;
const BUSY: ReadonlySet<Phase> = new Set(["starting", "downloading", "halted", "backing up", "switching", "migrating"]);

/** Not by colour alone. */
const SIGNS: Readonly<Record<Readiness["state"], string>> = {
  ready: "✓",
  missing: "✗",
  wrong: "✗",
  unknown: "?",
  skipped: "–",
};

const STYLE = `
:root { color-scheme: light dark; --edge: #767676; --bad: #a4161a; --good: #1b6e2e; --link: #0b57d0; --back: #ffffff; --text: #1a1a1a }
@media (prefers-color-scheme: dark) { :root { --edge: #8f8f8f; --bad: #ff8f8f; --good: #7ddc90; --link: #8ab4f8; --back: #16181b; --text: #eceef0 } }
html { background: var(--back); color: var(--text) } body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.5rem; margin: .5rem 0 } h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem }
a { color: var(--link) } .left { font-size: 1.75rem; margin: .5rem 0 } .failed { color: var(--bad) } .ready { color: var(--good) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem } dd { margin: 0; overflow-wrap: anywhere }
dt { font-weight: 600 } progress { width: 100%; height: 1.25rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid var(--edge); overflow-wrap: anywhere; vertical-align: top }
pre { border: 1px solid var(--edge); padding: .6rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
`;

/** Text that a reader has marked stays, and a screen reader hears of a change of phase alone. */
const SCRIPT = `
async function again() {
  try {
    const fresh = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    for (const id of ["now", "rest", "time"]) {
      const [old, made] = [document.getElementById(id), fresh.getElementById(id)];
      if (made && old.innerHTML !== made.innerHTML && String(getSelection()) === "") old.replaceChildren(...made.childNodes);
    }
    document.title = fresh.title;
  } catch {
    document.title = "no response: chainvisor";
  }
  setTimeout(again, 3000);
}
setTimeout(again, 3000);
`;

const hashOf = (text: string) => `'sha256-${toBase64(createHash("sha256").update(text).digest())}'`;

/** The page's own style and script by their hashes, and nothing else: no image, no other server. */
export const SUPERVISOR_POLICY = [
  ...["default-src 'none'", "connect-src 'self'", `style-src ${hashOf(STYLE)}`, `script-src ${hashOf(SCRIPT)}`],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

/** @param isStill it is not loaded again by itself */
export function supervisorPage(shown: Shown, isStill = false): string {
  const { phase } = shown.status;
  const seconds = BUSY.has(phase) ? BUSY_SECONDS : QUIET_SECONDS;
  const reload = isStill ? "" : html`<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${reload}
<title>${phase}: chainvisor</title>
<style>${ours(STYLE)}</style>
</head>
<body>
<main>
<div id="now" role="status">${now(shown)}</div>
<div id="rest">${rest(shown)}</div>
</main>
<footer>
<p id="time">As of <time>${shown.time}</time>.</p>
<noscript><p>${isStill ? html`<a href="/supervisor">Load again by itself</a>` : html`<a href="/supervisor?still">Do not load again by itself</a>`}</p></noscript>
<p><a href="/">Verification page</a> · <a href="/status">JSON</a> · <a href="/metrics">Metrics</a></p>
</footer>
${isStill ? "" : html`<script>${ours(SCRIPT)}</script>`}
</body>
</html>
`;
  return page.text;
}

/** Texts of this file, whose hashes are in the policy. */
const ours = (text: string): Html => new Html(text);

function now({ status: { phase, message } }: Shown): Html {
  return html`<h1 class="${phase}">${PHASE_WORDS[phase]}</h1>${message === "" ? "" : html`<p>${visible(message)}</p>`}`;
}

function rest({ status, silentSeconds }: Shown): Html {
  const { eta, progress, readiness } = status;
  const unread = unreadPlan(status);
  const next = [...new Set([...(unread ? [unread.next] : []), ...status.next])];
  return html`${eta ? html`<p class="left">${leftWords(eta)}</p>` : ""}
${unread ? html`<p class="failed">Warning: ${visible(unread.detail)}.</p>` : ""}
${silentSeconds === undefined ? "" : html`<p class="failed">Warning: ${silenceWords(silentSeconds)}.</p>`}
${progress ? bar(progress) : ""}
${next.length > 0 ? html`<h2>Next</h2>${next.map((command) => html`<pre><code>${visible(command)}</code></pre>`)}` : ""}
${readiness.length > 0 ? table(readiness) : ""}
<h2>State</h2>
<dl>${state(status)}</dl>`;
}

function state(status: Shown["status"]): Html[] {
  const { phase, since, plan, height, program, upgrades, restarts } = status;
  const none = unreadPlan(status) ? "not known" : "none";
  return [
    row("Phase", `${phase}, since ${since}`),
    row("Plan", plan ? planWords(plan) : none),
    ...(plan?.info ? [row("Info", infoWords(plan))] : []),
    row("Height", height ? `${height.value} (${height.source})` : "not known"),
    ...(program ? [row("Program", programWords(program))] : []),
    row("Upgrades", String(upgrades)),
    row("Restarts", String(restarts)),
  ];
}

const row = (name: string, text: string) => html`<dt>${name}</dt><dd>${text}</dd>`;

function bar(progress: NonNullable<Shown["status"]["progress"]>): Html {
  const { done, total } = progress;
  const value = total === null ? html`` : html` value="${Math.min(Number(done), Number(total))}" max="${total}"`;
  const words = progressWords(progress);
  return html`<p><label for="progress">${words}</label><progress id="progress"${value}>${words}</progress></p>`;
}

function table(readiness: readonly Readiness[]): Html {
  const rows = readiness.map(
    ({ what, state, detail, next }) => html`<tr>
<th scope="row">${what}</th>
<td>${SIGNS[state]} ${state}</td>
<td>${visible(detail)}${next === null ? "" : html`<pre><code>${visible(next)}</code></pre>`}</td>
</tr>`,
  );
  return html`<h2>What the upgrade needs</h2>
<table>
<thead><tr><th scope="col">What</th><th scope="col">State</th><th scope="col">Detail</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}
