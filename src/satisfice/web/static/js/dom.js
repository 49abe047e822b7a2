// Elements. Whatever comes from a study goes through text, and nothing through markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, given, children) {
  for (const [name, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [what, act] of Object.entries(value)) node.addEventListener(what, act);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

/** An element of the page: its attributes, and its children, where a string is text. */
export function el(name, given, ...children) {
  return filled(document.createElement(name), given, children);
}

/** The same of a drawing. */
export function draw(name, given, ...children) {
  return filled(document.createElementNS(SVG, name), given, children);
}

/** Put text where it is another one than there was: what is read aloud is read once. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A table of plain texts; columns in `numbers` are set flush right. */
export function plainTable(heads, rows, numbers = []) {
  const kind = (place) => (numbers.includes(place) ? "number" : "text");
  const head = heads.map((one, place) => el("th", { class: kind(place), scope: "col" }, one));
  const body = rows.map((row) => el("tr", {}, row.map((cell, place) => el("td", { class: kind(place), "data-head": heads[place] }, cell))));
  const inside = el("table", { class: "plain" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body));
  return el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": heads.join(", ") }, inside);
}
