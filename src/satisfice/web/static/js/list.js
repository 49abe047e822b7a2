// The studies of a storage.

import { el } from "./dom.js";
import { counted, whole } from "./format.js";

const SIGNS = { FOUND: ["pass", "✓"], NONE: ["fail", "✗"], UNDECIDED: ["open", "…"] };

function card(study) {
  const [kind, sign] = SIGNS[study.outcome] || ["open", "·"];
  const link = el("a", { href: `/?${new URLSearchParams({ study: study.name })}` }, study.name);
  const badge = study.outcome ? el("span", { class: `badge small ${kind}` }, el("span", { "aria-hidden": "true" }, `${sign} `), study.outcome) : null;
  const said = study.trouble || (study.outcome ? `${counted(study.evaluations, "evaluation")} of ${counted(study.configs, "configuration")}${study.running ? `, ${whole(study.running)} running now` : ""}` : "…");
  return el("li", { class: "card" }, el("h2", {}, link), el("p", {}, badge, " ", study.named || ""), el("p", { class: "note" }, said), el("p", { class: "note" }, `created ${study.created}`));
}

export class StudyList {
  constructor(root) {
    this.list = el("ul", { class: "cards" });
    this.note = el("p", { class: "note" });
    root.replaceChildren(el("header", { class: "verdict" }, el("h1", {}, "Studies"), this.note), this.list);
    document.title = "Studies · satisfice";
  }

  show({ storage, studies }) {
    this.note.textContent = studies.length ? `${counted(studies.length, "study").replace("studys", "studies")} in ${storage}` : `There are no studies in ${storage}. satisfice run makes one.`;
    const text = JSON.stringify(studies);
    if (text !== this.text) this.list.replaceChildren(...studies.map(card));
    this.text = text;
  }
}
