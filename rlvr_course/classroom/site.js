"use strict";
// Light or dark, as chosen before. A browser may keep nothing for pages from disk.
const kept = { get() { try { return localStorage.getItem("theme"); } catch { return null; } },
               set(value) { try { localStorage.setItem("theme", value); } catch { /* for now */ } } };
const root = document.documentElement;
if (kept.get()) root.dataset.theme = kept.get();
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme || (systemDark.matches ? "dark" : "light")) === "dark";

const beginsWith = (words) => `(?<![\\p{L}\\p{N}])(?:${words.join("|")})`;

// Every word of the query has to begin a word of the section; those in headings count for more.
function search(sections, query) {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
  if (!words.length) return [];
  const found = [];
  for (const [name, title, anchor, heading, text] of sections) {
    const head = ` ${title} ${heading} `.toLowerCase(), body = ` ${text} `.toLowerCase();
    let score = 0;
    for (const word of words) {
      const begins = new RegExp(beginsWith([word]), "gu");
      const inHead = (head.match(begins) || []).length, inBody = (body.match(begins) || []).length;
      if (!inHead && !inBody) { score = 0; break; }
      score += 10 * inHead + Math.min(inBody, 5);
    }
    if (score) found.push({ score, name, title, anchor, heading, text, words });
  }
  return found.sort((a, b) => b.score - a.score);
}

// Text only ever becomes text nodes.
function marked(text, words) {
  const at = text.toLowerCase().search(new RegExp(beginsWith(words), "u"));
  const from = Math.max(0, at - 60);
  const part = (from ? "… " : "") + text.slice(from, from + 180) + (from + 180 < text.length ? " …" : "");
  const snippet = document.createElement("p");
  for (const piece of part.split(new RegExp(`(${beginsWith(words)})`, "iu"))) {
    const isHit = words.includes(piece.toLowerCase());
    const node = isHit ? document.createElement("mark") : document.createTextNode(piece);
    if (isHit) node.textContent = piece;
    snippet.append(node);
  }
  return snippet;
}

function show(found, query, results) {
  results.hidden = !query.trim();
  const count = document.createElement("p");
  count.className = "note";
  count.textContent = `${found.length} section${found.length === 1 ? "" : "s"} with “${query.trim()}”`;
  const list = document.createElement("ol");
  for (const hit of found.slice(0, 30)) {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = `${hit.name}.html${hit.anchor ? "#" + hit.anchor : ""}`;
    link.textContent = hit.heading && hit.heading !== hit.title ? `${hit.title} › ${hit.heading}` : hit.title;
    item.append(link, marked(hit.text, hit.words));
    list.append(item);
  }
  results.replaceChildren(count, list);
}

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    kept.set(root.dataset.theme);
    label();
  });
  systemDark.addEventListener("change", label);
  label();

  const input = document.querySelector("input[type=search]");
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === input) return;
    event.preventDefault();
    input.focus();
  });
  const data = document.getElementById("sections");
  if (!data) return;
  const sections = JSON.parse(data.textContent), results = document.getElementById("results");
  const update = () => show(search(sections, input.value), input.value, results);
  input.value = new URLSearchParams(location.search).get("q") || "";
  input.addEventListener("input", update);
  input.form.addEventListener("submit", (event) => { event.preventDefault(); update(); });
  update();
});
