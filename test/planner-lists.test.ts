import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlannerSite, startPlannerSite } from "./_harness/planner-site.ts";

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
};

let site: PlannerSite;

beforeAll(async () => {
  site = await startPlannerSite(PAGES);
});

afterAll(() => site[Symbol.asyncDispose]());

describe("a list", () => {
  test("that grows while one scrolls is counted to its end", async () => {
    const { outcome } = await site.run("/grows", "How many items are there?");
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "36" } });
  });

  test("that never shows itself whole is not counted", async () => {
    const { outcome } = await site.run("/window", "How many items are there?");
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "PARTIAL_LIST" });
  });

  test("of other things has no answer, however well it is made", async () => {
    const { outcome } = await site.run("/blankets", "Which lamp is the cheapest?");
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "ANSWER_NOT_FOUND" });
  });

  test("of the things that are asked for has one", async () => {
    const { outcome } = await site.run("/blankets", "Which blanket is the cheapest?");
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "Moor" } });
  });
});
