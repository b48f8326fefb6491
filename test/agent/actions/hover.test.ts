import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;
beforeAll(async () => {
  world = await startActionWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const button = (name: string) => `<button class="tool" onclick="document.title = '${name}'">${name}</button>`;

describe("a control that only appears when its row is hovered is clicked", () => {
  test.each([
    [
      "faded out and not clickable",
      ".tool { opacity: 0; pointer-events: none } .item:hover .tool { opacity: 1; pointer-events: auto }",
    ],
    [
      "without a width",
      ".tool { width: 0; padding: 0; border: 0; overflow: hidden } .item:hover .tool { width: 80px }",
    ],
    [
      "scaled to nothing",
      ".tool { transform: scale(0); transition: transform 0.3s } .item:hover .tool { transform: none }",
    ],
    [
      "moved out of its row",
      ".item { overflow: hidden; position: relative } .tool { position: absolute; right: -300px; transition: right 0.2s } .item:hover .tool { right: 0 }",
    ],
    [
      "under the text of its row",
      ".item { position: relative } .item span { position: absolute; inset: 0; background: #fff } .item:hover span { pointer-events: none }",
    ],
  ])("%s", async (_, css) => {
    const items = ["Ann", "Ben"].map(
      (name) =>
        `<li class="item" style="height:40px;width:400px"><span>${name}</span> ${button(`Delete ${name}`)}</li>`,
    );
    const page = await world.open(
      `<style>${css}</style><div style="height:1500px">Top</div><ul>${items.join("")}</ul><div style="height:1500px"></div>`,
    );
    const report = await page.act("click", "Delete Ben");
    expect(report.failure).toBeNull();
    expect(page.observation.title).toBe("Delete Ben");
  });

  test("in a cell of a table", async () => {
    const css = ".tool { opacity: 0; pointer-events: none } tr:hover .tool { opacity: 1; pointer-events: auto }";
    const page = await world.open(
      `<style>${css}</style><table><tr><td>Ann</td><td>${button("Edit Ann")}</td></tr><tr><td>Ben</td><td>${button("Edit Ben")}</td></tr></table>`,
    );
    expect((await page.act("click", "Edit Ben")).failure).toBeNull();
    expect(page.observation.title).toBe("Edit Ben");
  });
});

test("a control that stays hidden is reported, with what to hover", async () => {
  const page = await world.open(
    `<style>.tool { width: 0; padding: 0; border: 0; overflow: hidden }</style><ul><li style="width:300px">Ann ${button("Edit")}</li></ul>`,
  );
  expect((await page.act("click", "Edit")).failure).toMatchObject({
    kind: "covered",
    message: expect.stringMatching(/^The button "Edit" is not visible, .* hovering over li "Ann/),
  });
});

test("nothing behind an overlay is hovered", async () => {
  const page = await world.open(
    `<ul><li onmouseenter="document.title = 'hovered'">Ann ${button("Edit")}</li></ul>
     <div role="dialog" aria-label="Cookies" style="position:fixed;inset:0;background:#fff">Cookies</div>`,
  );
  expect((await page.act("click", "Edit")).failure?.message).toContain('covered by dialog "Cookies"');
  expect(page.observation.title).toBe("/");
});
