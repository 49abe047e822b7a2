// A row for each configuration. Only the rows in sight are elements, however many there are.

import { el, say } from "./dom.js";
import { counted, kindOf, percentOf, whole, withInterval } from "./format.js";
import { axisOf, groundOf, trackOf } from "./track.js";

const NARROW = "(max-width: 760px)";
const WORDS = { pass: "✓ passes", fail: "✗ fails" };
const SHOWN = {
  all: ["all", () => true],
  pass: ["✓ passing", (row) => row[1] === 1],
  open: ["● open", (row) => row[1] === 0 && row[0] > 0],
  fail: ["✗ failing", (row) => row[1] === 2],
  now: ["▸ running now", (row) => row[2] > 0],
  none: ["○ not evaluated", (row) => row[0] === 0],
};
const BEYOND = 6; // rows that are made before they are in sight
const RESORT = 1000;

export class ConfigTable {
  constructor(model, choose) {
    this.model = model;
    this.choose = choose;
    this.words = [];
    this.only = "all";
    this.sort = { by: "telling", down: true };
    this.made = new Map();
    this.order = [];
    this.chosen = null;
    this.sortedAt = 0;
    this.narrow = matchMedia(NARROW);
    this.narrow.addEventListener("change", () => this.redraw());
    this.build();
  }

  get height() {
    return this.narrow.matches ? 108 + 46 * this.model.limits.length : 58;
  }

  build() {
    const limits = this.model.limits;
    this.count = el("p", { class: "count", role: "status" });
    const filter = el("input", { type: "search", placeholder: "filter by name", "aria-label": "filter configurations by name",
      on: { input: (event) => this.filter(event.target.value) } });
    const only = el("select", { "aria-label": "which configurations", on: { change: (event) => this.show(event.target.value) } },
      Object.entries(SHOWN).map(([key, [word]]) => el("option", { value: key }, word)));
    this.sorts = el("select", { "aria-label": "sort by", on: { change: (event) => this.sortBy(event.target.value, true) } },
      this.columns().map(([key, word]) => el("option", { value: key }, `sort: ${word}`)));
    this.heads = el("tr", { role: "row", "aria-rowindex": 1 });
    this.body = el("tbody", { role: "rowgroup" });
    const table = el("table", { class: "rows", role: "table", "aria-label": "configurations" },
      el("thead", { role: "rowgroup" }, this.heads), this.body);
    table.style.setProperty("--limits", limits.length);
    this.table = table;
    this.box = el("div", { class: "box", tabindex: "0", role: "region", "aria-label": "table of configurations",
      on: { scroll: () => this.scrolled(), keydown: (event) => this.pressed(event) } }, table);
    this.node = el("div", {}, el("div", { class: "tools" }, filter, only, this.sorts, this.count), this.box);
    addEventListener("resize", () => this.draw());
    addEventListener("beforeprint", () => this.printing(true));
    addEventListener("afterprint", () => this.printing(false));
  }

  columns() {
    const limits = this.model.limits.map((limit, place) => [`limit ${place}`, limit.label]);
    return [["telling", "most telling"], ["given", "as given"], ["name", "name"], ...limits, ["evidence", "evidence"], ["pulls", "evaluations"]];
  }

  // what is shown, and in which order

  filter(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.arrange();
  }

  show(only) {
    this.only = only;
    this.arrange();
  }

  sortBy(by, down) {
    this.sort = { by, down };
    this.sorts.value = by;
    this.arrange();
  }

  arrange() {
    const { names, rows } = this.model;
    const wanted = SHOWN[this.only][1];
    const places = [];
    for (let place = 0; place < names.length; place += 1) {
      if (!wanted(rows[place])) continue;
      if (this.words.length && !this.matches(names[place])) continue;
      places.push(place);
    }
    this.order = this.sorted(places);
    this.sortedAt = performance.now();
    const all = names.length;
    say(this.count, places.length === all ? counted(all, "configuration") : `${whole(places.length)} of ${counted(all, "configuration")}`);
    this.table.setAttribute("aria-rowcount", places.length + 1);
    this.heading();
    this.draw();
  }

  matches(name) {
    const low = name.toLowerCase();
    return this.words.every((word) => low.includes(word));
  }

  sorted(places) {
    const { by, down } = this.sort;
    const { names, rows } = this.model;
    if (by === "given") return places;
    if (by === "name") {
      places.sort((a, b) => (down ? 1 : -1) * names[a].localeCompare(names[b], "en", { numeric: true }));
      return places;
    }
    const keys = new Float64Array(names.length);
    for (const place of places) keys[place] = this.key(by, place, rows[place]);
    return places.sort((a, b) => (down ? keys[b] - keys[a] : keys[a] - keys[b]) || a - b);
  }

  key(by, place, row) {
    if (by === "pulls") return row[0];
    if (by === "evidence") return this.model.leaning(place);
    if (by === "telling") return [2, 4, 0][row[1]] * (row[0] > 0) + (row[2] > 0 ? 1.5 : 0) + (row[1] === 0 ? this.model.leaning(place) : row[0] * 1e-9);
    const { mean } = this.model.estimate(place, Number(by.split(" ")[1]));
    return mean === null ? -Infinity : mean;
  }

  // drawing

  heading() {
    const limits = this.model.limits;
    const sortable = (key, word, ...more) => {
      const mine = this.sort.by === key;
      const sign = mine ? (this.sort.down ? " ↓" : " ↑") : "";
      const button = el("button", { type: "button", on: { click: () => this.sortBy(key, mine ? !this.sort.down : true) } }, word,
        el("span", { "aria-hidden": "true" }, sign));
      const order = mine && key !== "telling" ? (this.sort.down === (key !== "name") ? "descending" : "ascending") : null;
      return el("th", { role: "columnheader", class: key.split(" ")[0], "aria-sort": order }, button, more);
    };
    const scales = this.model.now.scales;
    limits.forEach((limit, place) => this.table.style.setProperty(`--ground-${place + 2}`, groundOf(limit, scales[place])));
    const cells = [
      sortable("name", "configuration"),
      ...limits.map((limit, place) => sortable(`limit ${place}`, limit.label, el("span", { class: "words", title: limit.written }, limit.words), axisOf(scales[place]))),
      sortable("evidence", "evidence", el("span", { class: "words" }, "against ← → for")),
      sortable("pulls", "evaluations"),
    ];
    this.heads.replaceChildren(...cells);
  }

  redraw() {
    for (const row of this.made.values()) row.remove();
    this.made.clear();
    this.draw();
  }

  scrolled() {
    if (!this.asked) {
      this.asked = requestAnimationFrame(() => {
        this.asked = 0;
        this.draw();
      });
    }
  }

  draw() {
    const height = this.height;
    const top = this.printAll ? 0 : this.box.scrollTop - this.heads.offsetHeight * this.narrow.matches;
    const room = this.printAll ? Infinity : this.box.clientHeight;
    const first = Math.max(0, Math.floor(top / height) - BEYOND);
    const last = Math.min(this.order.length, Math.ceil((top + room) / height) + BEYOND, first + 2000);
    this.body.style.height = `${this.order.length * height}px`;
    this.table.style.setProperty("--row", `${height}px`);
    const seen = new Set();
    const fresh = [];
    for (let index = first; index < last; index += 1) {
      const place = this.order[index];
      seen.add(place);
      let row = this.made.get(place);
      if (!row) {
        row = this.rowOf(place);
        this.made.set(place, row);
        fresh.push(row);
      }
      if (row.index !== index) {
        row.index = index;
        row.style.transform = `translateY(${index * height}px)`;
        row.setAttribute("aria-rowindex", index + 2);
      }
    }
    for (const [place, row] of this.made) {
      if (!seen.has(place)) {
        row.remove();
        this.made.delete(place);
      }
    }
    this.body.append(...fresh);
  }

  rowOf(place) {
    const { model } = this;
    const row = model.rows[place];
    const name = model.names[place];
    const kind = kindOf(row[1]);
    const button = el("button", { type: "button", class: "pick", title: name, "data-place": place,
      on: { click: () => this.pick(place, true) } }, name);
    const state = row[2] ? `▸ ${row[2]} now` : WORDS[kind] || (row[0] ? "● open" : "○ not evaluated");
    const cells = [el("td", { role: "cell", class: "name" }, button, el("span", { class: `state ${row[2] && kind === "open" ? "now" : kind}` }, row[2] && kind !== "open" ? WORDS[kind] : state))];
    model.limits.forEach((limit, index) => cells.push(this.limitCell(place, limit, index, kind)));
    cells.push(this.evidenceCell(place, kind), el("td", { role: "cell", class: "pulls" }, whole(row[0]), el("span", { class: "what" }, " evaluations")));
    const node = el("tr", { role: "row", class: `${kind}${place === this.chosen ? " chosen" : ""}` }, cells);
    node.index = -1;
    return node;
  }

  limitCell(place, limit, index, kind) {
    const { mean, low, high } = this.model.estimate(place, index);
    const what = el("span", { class: "what" }, `${limit.label} ${limit.words}`);
    if (mean === null) {
      const waits = this.model.rows[place][0] > 0 && !this.model.isKnown(place);
      return el("td", { role: "cell", class: "limit" }, what, el("span", { class: "nothing" }, waits ? "…" : "–"));
    }
    const text = withInterval(mean, low, high);
    return el("td", { role: "cell", class: "limit" }, what, trackOf(this.model.now.scales[index], mean, low, high, kind), el("span", { class: "figures" }, text));
  }

  evidenceCell(place, kind) {
    const { pro, contra, known } = this.model.evidence(place);
    if (!known) return el("td", { role: "cell", class: "evidence" }, el("span", { class: "nothing" }, "–"));
    const words = kind === "pass" ? "for: all" : kind === "fail" ? "against: all" : `${percentOf(contra)} | ${percentOf(pro)}`;
    const bar = el("span", { class: "balance", "aria-hidden": "true" });
    bar.style.setProperty("--contra", `${(50 * contra).toFixed(1)}%`);
    bar.style.setProperty("--pro", `${(50 * pro).toFixed(1)}%`);
    return el("td", { role: "cell", class: "evidence" }, el("span", { class: "what" }, "evidence against ← → for"), bar, el("span", { class: "figures" }, words));
  }

  // what changes

  update(changed, scales) {
    if (scales) {
      this.heading();
      this.redraw();
    }
    for (const place of changed) {
      const old = this.made.get(place);
      if (!old) continue;
      const focused = old.contains(document.activeElement);
      const row = this.rowOf(place);
      row.classList.add("news");
      this.made.set(place, row);
      row.index = old.index;
      row.style.transform = old.style.transform;
      row.setAttribute("aria-rowindex", old.getAttribute("aria-rowindex"));
      old.replaceWith(row);
      if (focused) row.querySelector(".pick").focus({ preventScroll: true });
    }
    const moves = this.only !== "all" || !["given", "name"].includes(this.sort.by);
    if (changed.length && moves && !this.later) {
      const wait = Math.max(0, RESORT + 5 * (this.took || 0) - (performance.now() - this.sortedAt));
      this.later = setTimeout(() => {
        this.later = 0;
        const began = performance.now();
        this.arrange();
        this.took = performance.now() - began;
      }, wait);
    }
  }

  pick(place, byHand) {
    const before = this.chosen;
    this.chosen = place;
    for (const one of [before, place]) this.made.get(one)?.classList.toggle("chosen", one === place);
    this.choose(place, byHand);
  }

  pressed(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || event.target.closest("thead")) return;
    event.preventDefault();
    const now = event.target.closest("tr")?.index ?? Math.floor(this.box.scrollTop / this.height) - 1;
    const next = Math.min(this.order.length - 1, Math.max(0, now + steps[event.key]));
    this.reveal(next);
  }

  reveal(index) {
    const height = this.height;
    const head = this.narrow.matches ? 0 : this.heads.offsetHeight;
    if (index * height < this.box.scrollTop) this.box.scrollTop = index * height;
    else if ((index + 1) * height > this.box.scrollTop + this.box.clientHeight - head) this.box.scrollTop = (index + 1) * height - this.box.clientHeight + head;
    this.draw();
    this.made.get(this.order[index])?.querySelector(".pick").focus({ preventScroll: true });
  }

  printing(now) {
    this.printAll = now;
    this.draw();
  }
}
