// The page of one study: its parts in their order, drawn anew where something changed.

import { el } from "./dom.js";
import { ConfigTable } from "./table.js";
import { EvidenceChart, spentPart } from "./charts.js";
import { Detail } from "./detail.js";
import { measuredPart, restsPart, sealPart, workPart } from "./rest.js";
import { verdictPart } from "./verdict.js";

const TITLES = [
  ["configs", "Configurations"],
  ["evidence", "Evidence over evaluations"],
  ["spent", "Where evaluations went"],
  ["config", "One configuration"],
  ["work", "Failures, waiting results, workers"],
  ["rests", "What the answer rests on"],
  ["measured", "What was measured"],
  ["seal", "The seal, and how to verify"],
];

export class StudyPage {
  constructor(root, model, loadConfig, ofFile) {
    this.model = model;
    this.ofFile = ofFile;
    this.parts = { verdict: el("header", { class: "verdict", "data-part": "verdict" }) };
    const sections = TITLES.map(([key, title]) => {
      this.parts[key] = el("div", { class: "part" });
      return el("section", { "data-part": key, "aria-labelledby": `${key}-title` }, el("h2", { id: `${key}-title` }, title), this.parts[key]);
    });
    const choose = (place, byHand) => this.choose(place, byHand);
    this.table = new ConfigTable(model, choose);
    this.chart = new EvidenceChart(model, (place, byHand) => this.table.pick(place, byHand));
    this.detail = new Detail(loadConfig);
    this.parts.configs.append(el("p", { class: "note" }, `Marks are estimates (◆ passes, ✕ fails, ● open), lines are intervals, with an arrow where they go on; what passes is shaded, the tolerance lighter, the limit dashed. ${model.fixed.intervals}.`), this.table.node);
    this.parts.evidence.append(this.chart.node);
    this.parts.config.append(this.detail.node);
    const why = root.querySelector("[data-part=why]"); // of a file: the reasons of all, which are there already
    root.replaceChildren(this.parts.verdict, ...sections);
    if (why) this.parts.config.parentElement.after(why);
    this.table.arrange();
    this.redraw();
    this.choose(this.first(), false);
  }

  /** The configuration that is looked at before anybody chose one: what was found, or was evaluated most. */
  first() {
    const { rows } = this.model;
    let best = 0;
    for (let place = 1; place < rows.length; place += 1) {
      const [pulls, decision] = rows[place];
      const passes = (decision === 1) - (rows[best][1] === 1);
      if (passes > 0 || (passes === 0 && pulls > rows[best][0])) best = place;
    }
    return best;
  }

  redraw() {
    this.texts();
    this.chart.draw();
    this.parts.spent.replaceChildren(...spentPart(this.model).filter(Boolean));
  }

  fill(key, nodes) {
    const made = nodes.flat().filter(Boolean);
    const text = made.map((one) => one.outerHTML).join("");
    if (this.parts[key].made === text) return; // what is the same stays, with whatever is selected in it
    this.parts[key].made = text;
    this.parts[key].replaceChildren(...made);
  }

  texts() {
    const { model } = this;
    this.fill("verdict", verdictPart(model));
    this.fill("work", workPart(model, this.ofFile));
    this.fill("rests", restsPart(model));
    this.fill("measured", measuredPart(model));
    this.fill("seal", sealPart(model));
    document.title = `${model.now.outcome} ${model.now.named ? `${model.now.named.slice(0, 60)} ` : ""}· ${model.fixed.name.slice(0, 60)}`;
  }

  update(changed) {
    this.table.update(changed.rows, changed.now.scales);
    this.texts();
    if (changed.history) this.chart.draw();
    if (changed.rows.length || changed.history) this.parts.spent.replaceChildren(...spentPart(this.model).filter(Boolean));
    if (changed.rows.includes(this.place)) this.reload();
  }

  reload() {
    if (this.due) return;
    this.due = setTimeout(() => {
      this.due = 0;
      this.detail.show(this.place);
    }, 2000);
  }

  async choose(place, byHand) {
    this.place = place;
    if (this.table.chosen !== place) {
      this.table.chosen = place;
      this.table.redraw();
    }
    await this.detail.show(place);
    if (byHand) {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const heading = document.getElementById("which");
      heading?.focus({ preventScroll: true });
      this.parts.config.parentElement.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
    }
  }

  /** Colours changed: pictures are drawn anew. */
  recolour() {
    this.chart.draw();
    this.detail.redraw();
  }
}
