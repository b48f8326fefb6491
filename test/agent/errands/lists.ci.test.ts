import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlannerSite, startPlannerSite } from "../../_harness/planner-site.ts";

const PAGES = {
  "/grows": `<main><h1>Finds</h1><ul id="list"></ul></main><script>
    const add = () => { for (let i = 0; i < 12 && list.children.length < 36; i++) {
      const at = list.children.length + 1; list.insertAdjacentHTML("beforeend", \`<li style="height:90px"><h3><a href="/find/\${at}">Find \${at}</a></h3><p>€\${at}.00</p></li>\`); } };
    add(); addEventListener("scroll", () => { if (scrollY + innerHeight > document.body.scrollHeight - 50) add(); });</script>`,
  "/window": `<main><h1>Finds</h1><div id="pane" style="height:300px;overflow:auto"><ul id="list" style="margin:0"></ul></div></main><script>
    const draw = (from) => { list.style.height = "9000px"; list.style.paddingTop = from * 90 + "px"; list.innerHTML = "";
      for (let at = from + 1; at <= from + 8; at++) list.insertAdjacentHTML("beforeend", \`<li style='height:90px'><h3><a href="/find/\${at}">Find \${at}</a></h3><p>€\${at}.00</p></li>\`); };
    draw(0); pane.addEventListener("scroll", () => draw(Math.floor(pane.scrollTop / 90)));</script>`,
  "/blankets": `<main><h1>Blankets</h1><table><thead><tr><th>Name</th><th>Price</th></tr></thead><tbody>${[
    "<tr><td>Heath</td><td>€90.00</td></tr>",
    "<tr><td>Moor</td><td>€70.00</td></tr>",
    "<tr><td>Fell</td><td>€80.00</td></tr>",
  ].join("")}</tbody></table></main>`,
  "/": `<header><nav><a href="/">Home</a> <a href="/all">Spoons</a></nav></header>
    <main><h1>Welcome</h1><h2>Spoons</h2>${spoons("Ash Spoon €9.00", "Elm Spoon €7.00")}</main>`,
  "/featured": `<main><h1>Shop</h1><h2>Featured spoons</h2>${spoons("Ash Spoon €9.00", "Elm Spoon €7.00")}
    <a href="/all">See all</a></main>`,
  "/popular": `<main><h1>Shop</h1><h2>Popular spoons</h2>${spoons("Ash Spoon €9.00", "Elm Spoon €7.00")}</main>`,
  "/recent": `<nav><a href="/all">Your spoons</a></nav><main><h1>Hello</h1><h2>Recent spoons</h2>
    ${spoons("Ash Spoon €9.00", "Elm Spoon €7.00")}</main>`,
  "/some": `<main><h1>Spoons</h1><p>Showing 2 of 57</p>${spoons("Ash Spoon €9.00", "Elm Spoon €7.00")}</main>`,
  "/all": `<main><h1>All spoons</h1>${spoons("Ash Spoon €9.00", "Elm Spoon €7.00")}
    <nav aria-label="Pages"><a href="/all">1</a> <a href="/all-2">2</a> <a href="/all-2">Next</a></nav></main>`,
  "/all-2": `<main><h1>All spoons</h1>${spoons("Oak Spoon €3.50", "Yew Spoon €45.00")}
    <nav aria-label="Pages"><a href="/all">1</a> <a href="/all-2">2</a></nav></main>`,
};

function spoons(...entries: string[]): string {
  const items = entries
    .map((entry) => entry.split(" €"))
    .map(([name, price]) => `<h3><a href="/x">${name}</a></h3><p>€${price}</p>`);
  return `<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
}

let site: PlannerSite;

beforeAll(async () => {
  site = await startPlannerSite(PAGES);
});

afterAll(() => site[Symbol.asyncDispose]());

describe("a list", () => {
  test("that grows while it is scrolled is counted to its end", async () => {
    const { outcome } = await site.run("/grows", "How many items are there?");
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "36" } });
  });

  test("that never has all of its rows in the page is not counted", async () => {
    const { outcome } = await site.run("/window", "How many items are there?");
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "PARTIAL_LIST" });
  });

  test("of other things gives no answer", async () => {
    const { outcome } = await site.run("/blankets", "Which lamp is the cheapest?");
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "LIST_NOT_FOUND" });
  });

  test.each([
    ["How many blankets are in my cart?", "UNSUPPORTED_PROMPT"],
    ["How many items are in my cart?", "LIST_NOT_FOUND"],
  ])("of products does not say what is in the cart: %s", async (prompt, code) => {
    const { outcome } = await site.run("/blankets", prompt);
    expect(outcome).toMatchObject({ kind: "failed", code });
  });

  test("of the things that are asked for gives the answer", async () => {
    const { outcome } = await site.run("/blankets", "Which blanket is the cheapest?");
    expect(outcome).toMatchObject({
      kind: "verified",
      result: { final_text: "Moor, Price: €70.00" },
    });
  });
});

describe("a superlative", () => {
  test("is answered from all pages of the list", async () => {
    const { outcome } = await site.run("/all", "Which spoon is the cheapest?");
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "Oak Spoon, price: €3.50" } });
  });

  test.each(["/", "/featured", "/recent", "/popular", "/some"])(
    "is not answered from a part of the list: %s",
    async (path) => {
      const { outcome } = await site.run(path, "Which spoon is the cheapest?");
      expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "PARTIAL_LIST" });
    },
  );

  test("is answered from the page when the prompt asks only for that", async () => {
    const { outcome } = await site.run("/popular", "Which spoon is the cheapest on this page?");
    expect(outcome).toMatchObject({
      kind: "verified",
      result: { final_text: "Elm Spoon, price: €7.00" },
    });
  });
});

describe("a row on a later page of a list", () => {
  test("is found by a condition", async () => {
    const { outcome } = await site.run("/all", "List the name and price of all spoons over €40.");
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "Yew Spoon, price: €45.00" } });
  });

  test("is found by its name", async () => {
    const { outcome } = await site.run("/all", "What is the price of the Oak Spoon?");
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "€3.50" } });
  });

  test("is looked for before the answer is none", async () => {
    const { outcome, steps } = await site.run("/all", "List all spoons over €400.");
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "No spoons." } });
    expect(steps.map(({ url }) => url)).toContain(`${site.url}/all-2`);
  });
});
