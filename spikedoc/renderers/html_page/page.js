// The page around the curves: language, colours, copying, the index of runs, printing.

const sections = [...document.querySelectorAll("section.run")];
const started = new Map(); // section → what is drawn in it
const COPIED_FOR = 1600;
const PRINT_WIDTH = 680;

/** Draws what a run has to show, once it is looked at. */
function startRun(section) {
  if (started.has(section)) return;
  const data = readData(`data-${section.dataset.run}`);
  const group = new Group(section, data);
  const folds = [...section.querySelectorAll("[data-fold]")].map(
    (box) => new FoldPlot(data.folds[Number(box.dataset.fold)], box),
  );
  started.set(section, { data, group, folds });
  group.start();
  tellMore(section);
  section.querySelector("[data-copy-markdown]").addEventListener("click", (event) => {
    copy(data.markdown[language()], event.currentTarget);
  });
}

function tellMore(section) {
  const count = started.get(section)?.group.moreCount;
  if (count) section.querySelector("[data-more-summary]").textContent = say("more", { n: count });
}

function repaintAll() {
  readColours();
  for (const [section, { group, folds }] of started) {
    group.repaint();
    folds.forEach((fold) => fold.repaint());
    tellMore(section);
  }
}

/** Returns the run that the address names or a part of which it names, else the one shown. */
function shownSection() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named) return sections[0];
  const open = started.size ? sections.find((section) => !section.hidden) : null;
  return named.closest("section.run") ?? open ?? sections[0];
}

/** Shows the run that the address names, else the first. */
function showRun() {
  const shown = shownSection();
  for (const section of sections) section.hidden = section !== shown;
  for (const row of document.querySelectorAll("[data-index]")) {
    const isShown = row.dataset.index === shown.dataset.run;
    row.classList.toggle("chosen", isShown);
    const link = row.querySelector("a");
    if (isShown) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  startRun(shown);
  nameTab();
}

function nameTab() {
  const { data } = started.get(shownSection());
  document.title = say("title", { name: data.name });
}

function press(attribute, value) {
  for (const button of document.querySelectorAll(`[${attribute}]`)) {
    button.setAttribute("aria-pressed", String(button.getAttribute(attribute) === value));
  }
}

function setLanguage(wanted) {
  root.dataset.language = wanted;
  root.lang = wanted === "zh" ? "zh-Hans" : "en";
  press("data-choose-language", wanted);
  if (started.size) {
    repaintAll();
    nameTab();
  }
}

function setTheme(wanted) {
  root.dataset.theme = wanted;
  press("data-choose-theme", wanted);
  repaintAll();
}

/** Copies text and says so on the button for a moment. */
async function copy(text, button) {
  const isCopied = await toClipboard(text);
  const told = say(isCopied ? "copied" : "not_copied");
  button.dataset.told = told;
  announce(told);
  setTimeout(() => delete button.dataset.told, COPIED_FOR);
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return throughSelection(text);
  }
}

/** Copies the way of browsers that allow no other. */
function throughSelection(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "hidden-text";
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return isCopied;
}

/** Opens what is folded and draws the curves in light colours and paper width; undone after. */
function startPrinting() {
  for (const fold of document.querySelectorAll("details.card:not([open])")) {
    fold.open = true;
    fold.dataset.folded = "";
  }
  root.dataset.screenTheme = root.dataset.theme;
  root.dataset.theme = "light";
  root.dataset.printing = "";
  resizeAll();
  repaintAll();
}

function endPrinting() {
  for (const fold of document.querySelectorAll("[data-folded]")) {
    fold.open = false;
    delete fold.dataset.folded;
  }
  root.dataset.theme = root.dataset.screenTheme ?? "auto";
  delete root.dataset.printing;
  resizeAll();
  repaintAll();
}

function resizeAll() {
  for (const { group, folds } of started.values()) {
    for (const one of [...group.plots, ...folds]) one.resize();
  }
}

root.classList.add("has-script");
readColours();
press("data-choose-theme", root.dataset.theme);
setLanguage(language());
showRun();
addEventListener("hashchange", showRun);
addEventListener("beforeprint", startPrinting);
addEventListener("afterprint", endPrinting);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaintAll);
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button");
  if (!button) return;
  if (button.dataset.chooseLanguage) setLanguage(button.dataset.chooseLanguage);
  if (button.dataset.chooseTheme) setTheme(button.dataset.chooseTheme);
  if (button.classList.contains("copy")) {
    copy(button.parentElement.querySelector("code").textContent, button);
  }
});
