/** The elements of page.html that views are drawn into, by their ids. */
import { visibleLines } from "../host/base/text/visible.js";
import { type Child, draw } from "./tree.js";

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

export function show(id: string, children: readonly Child[]): void {
  draw(element(id), children);
}

/** A text that readers of the screen hear when it changes, so it is set only then. */
export function say(id: string, words: string): void {
  const [found, shown] = [element(id), visibleLines(words)];
  if (found.textContent !== shown) found.textContent = shown;
}

export function setHidden(id: string, isHidden: boolean): void {
  element(id).hidden = isHidden;
}
