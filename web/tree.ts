/**
 * Views are plain trees, drawn by DOM calls alone: a text of a server is never read as HTML, and characters that do not show
 * (controls, directions of writing) are drawn as their numbers, here and nowhere else. Drawing again changes only what differs,
 * so the focus, a selection and an open detail keep their place.
 */
import { visibleLines } from "../host/base/text/visible.js";

export type Child = Tree | string | undefined;
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Tree {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly (Tree | string)[];
}

/** An element. `undefined` among the children is left out, so is an attribute that is `undefined` or false. */
export function h(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): Tree {
  return { tag, attributes, children: children.filter((child) => child !== undefined) };
}

/** All texts of a tree, for tests and for the status line. */
export function textOf(tree: Tree | string): string {
  return typeof tree === "string" ? tree : tree.children.map(textOf).join("");
}

/** Makes the children of an element what the trees say. */
export function draw(parent: Element, children: readonly Child[]): void {
  const wanted = children.filter((child) => child !== undefined);
  wanted.forEach((child, index) => {
    const present = parent.childNodes[index];
    if (!present) parent.append(made(child));
    else if (!isUpdated(present, child)) present.replaceWith(made(child));
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild?.remove();
}

/** False: the node is of another kind, and has to be replaced. */
function isUpdated(node: ChildNode, child: Tree | string): boolean {
  if (typeof child === "string") {
    if (node.nodeType !== Node.TEXT_NODE) return false;
    const text = visibleLines(child);
    if (node.nodeValue !== text) node.nodeValue = text;
    return true;
  }
  if (!(node instanceof Element) || node.localName !== child.tag) return false;
  setAttributes(node, child.attributes);
  draw(node, child.children);
  return true;
}

function made(child: Tree | string): Node {
  if (typeof child === "string") return document.createTextNode(visibleLines(child));
  const element = document.createElement(child.tag);
  setAttributes(element, child.attributes);
  draw(element, child.children);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  // Whether a reader opened a detail is the reader's.
  for (const name of element.getAttributeNames()) {
    if (attributes[name] === undefined && name !== "open") element.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    const text = value === true ? "" : visibleLines(String(value));
    if (value === undefined || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}
