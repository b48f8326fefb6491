// Progressive enhancement: all pages work without this script.

for (const tabs of document.querySelectorAll("[data-tabs]")) makeTabs(tabs);
for (const link of document.querySelectorAll("[data-dialog]")) openDialogFrom(link);
for (const block of document.querySelectorAll("[data-recommended]")) void showRecommended(block);
closeMenusElsewhere();

/** Turns a list of links to sections into tabs: one section is visible, and the arrow keys switch between them. */
function makeTabs(tabs) {
  const list = tabs.querySelector(".tab-list");
  const links = [...list.querySelectorAll("a")];
  const panelOf = (link) => tabs.querySelector(link.hash);
  const select = (chosen) => {
    for (const link of links) {
      link.setAttribute("aria-selected", String(link === chosen));
      link.tabIndex = link === chosen ? 0 : -1;
      panelOf(link).hidden = link !== chosen;
    }
  };
  list.setAttribute("role", "tablist");
  for (const [index, link] of links.entries()) {
    const panel = panelOf(link);
    link.id = `${panel.id}-tab`;
    link.setAttribute("role", "tab");
    link.setAttribute("aria-controls", panel.id);
    link.parentElement.setAttribute("role", "presentation");
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", link.id);
    panel.tabIndex = 0;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      select(link);
    });
    link.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
      const target = links.at((index + step) % links.length);
      if (step === 0 || target === undefined) return;
      select(target);
      target.focus();
    });
  }
  select(links.find((link) => link.hash === location.hash) ?? links[0]);
}

/** Opens the question of a confirmation page in a dialog instead. */
function openDialogFrom(link) {
  const dialog = document.getElementById(link.dataset.dialog);
  link.setAttribute("aria-haspopup", "dialog");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    dialog.showModal();
  });
  dialog.querySelector("[data-close]").addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
}

/** Loads recommendations after the page. If loading fails, the link stays. */
async function showRecommended(block) {
  const response = await fetch(block.dataset.recommended, { headers: { accept: "application/json" } });
  if (!response.ok) return;
  const list = document.createElement("ul");
  list.className = "grid";
  for (const product of await response.json()) list.append(recommendedCard(product));
  block.querySelector("[data-fallback]").replaceWith(list);
}

function recommendedCard({ name, kind, href, price, picture }) {
  const card = document.createElement("li");
  card.className = "card product-card";
  // Drawn by the shop itself, so this is the only value inserted as markup.
  card.innerHTML = picture;
  const link = Object.assign(document.createElement("a"), { href, textContent: name });
  const heading = document.createElement("h3");
  heading.append(link);
  const about = Object.assign(document.createElement("p"), { className: "muted", textContent: kind });
  const foot = Object.assign(document.createElement("p"), { className: "card-foot" });
  foot.append(Object.assign(document.createElement("span"), { className: "price", textContent: price }));
  card.append(heading, about, foot);
  return card;
}

/** Closes an open menu on a click or focus outside of it. */
function closeMenusElsewhere() {
  const close = (except) => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (menu !== except) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => close(target.closest(".menu")));
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    target.closest(".menu[open]")?.querySelector("summary").focus();
    close(null);
  });
}
