// Begins: the page of a study, live or from this file, or the list of studies.

import { el, say } from "./dom.js";
import { Model } from "./model.js";
import { StudyList } from "./list.js";
import { StudyPage } from "./page.js";
import { Stream } from "./stream.js";

const THEMES = ["auto", "light", "dark"];
const root = document.getElementById("page");
const where = document.getElementById("where");
const link = document.getElementById("link");
const themes = document.getElementById("theme");
let page = null;

function kept(storage, key, value) {
  try {
    if (value === undefined) return storage().getItem(key);
    storage().setItem(key, value);
  } catch {
    // a browser that keeps nothing
  }
  return null;
}

function wear(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  say(themes, `theme: ${theme}`);
  page?.recolour();
}

function beginTheme() {
  let theme = kept(() => localStorage, "satisfice-theme") || "auto";
  if (!THEMES.includes(theme)) theme = "auto";
  themes.hidden = false;
  themes.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    kept(() => localStorage, "satisfice-theme", theme);
    wear(theme);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => wear(theme));
  wear(theme);
}

function linked(kind, words) {
  link.hidden = false;
  link.className = `link ${kind}`;
  say(link, words);
}

// the token, where the server wants one: from the part of the address that is never sent, or typed in

function tokenHere() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    kept(() => sessionStorage, "satisfice-token", given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return given || kept(() => sessionStorage, "satisfice-token") || "";
}

function askForToken() {
  const input = el("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const form = el("form", { class: "token", on: { submit: (event) => {
    event.preventDefault();
    kept(() => sessionStorage, "satisfice-token", input.value.trim());
    begin();
  } } }, el("label", { for: "token" }, "This server wants the token that it printed when it started."), input, el("button", { type: "submit" }, "Look"));
  root.replaceChildren(form);
  linked("lost", "token needed");
}

async function asked(path) {
  const token = tokenHere();
  const answer = await fetch(path, { cache: "no-store", headers: token ? { authorization: `Bearer ${token}` } : {} });
  if (answer.status === 401) askForToken();
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

// a study that is followed

const LINKS = { live: ["live", "live"], lost: ["lost", "connection lost, trying again"] };

function follow(study) {
  let model = null;
  const show = (snapshot) => {
    if (snapshot.names === undefined) return;
    const chosen = page?.place;
    const same = model !== null && model.fixed.identity === snapshot.identity;
    model = new Model(snapshot);
    where.textContent = snapshot.storage;
    page = new StudyPage(root, model, (place) => asked(`/api/config?${new URLSearchParams({ study, config: place })}`).catch(() => null), false);
    if (same && chosen !== undefined) page.choose(chosen, false);
  };
  const stream = new Stream(study, tokenHere(), {
    event(kind, data) {
      if (kind === "snapshot") show(data);
      else if (model) page.update(model.apply(data));
    },
    state(kind) {
      const [style, words] = LINKS[kind];
      const ended = model && model.now.outcome !== "UNDECIDED" && kind === "live";
      linked(style, ended ? "live, decided" : words);
    },
    refused(status, words) {
      if (status === 401) askForToken();
      else root.replaceChildren(el("p", { class: "alarm", role: "alert" }, words), el("p", {}, el("a", { href: "/" }, "All studies")));
    },
  });
  linked("wait", "connecting");
  stream.run();
}

async function listStudies() {
  let list = null;
  for (;;) {
    try {
      const found = await asked("/api/studies");
      if (!list && found.studies.length === 1) {
        location.replace(`/?${new URLSearchParams({ study: found.studies[0].name })}`);
        return;
      }
      list = list || new StudyList(root);
      list.show(found);
      linked("live", "live");
    } catch (error) {
      if (error.message === "401") return;
      linked("lost", "connection lost, trying again");
    }
    await new Promise((done) => setTimeout(done, 2000));
  }
}

function begin() {
  const inlined = document.getElementById("snapshot");
  if (inlined) {
    const snapshot = JSON.parse(inlined.textContent);
    page = new StudyPage(root, new Model(snapshot), async (place) => snapshot.configs[place] || null, true);
    return;
  }
  const study = new URLSearchParams(location.search).get("study");
  if (study === null) listStudies();
  else follow(study);
}

addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) {
    tokenHere();
    location.reload();
  }
});
beginTheme();
begin();
