import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Observation } from "../../../src/browser/observation/observation.ts";
import { diffLines, findNodes, toLines } from "../../../src/browser/observation/observation-text.ts";
import { renderObservation } from "../../../src/browser/observation/rendering/render-observation.ts";
import { estimateTokens } from "../../../src/lib/estimate-tokens.ts";
import { nodesOf, type ObservedSite, refOf, startObservedSite } from "../../_harness/observed-page.ts";

let site: ObservedSite;
beforeAll(async () => {
  site = await startObservedSite();
});
afterAll(() => site[Symbol.asyncDispose]());

async function observe(html: string): Promise<Observation> {
  await using shown = await site.show(html);
  return await shown.observe();
}

function rows(count: number): string {
  return Array.from(
    { length: count },
    (_, row) => `<tr><td>Row ${row + 1}</td><td><button>Edit ${row + 1}</button></td></tr>`,
  ).join("");
}

describe("the observation's text", () => {
  it("has a space where the page breaks a line", async () => {
    const observation = await observe(`<main><p>Sam Shopper<br>12 Lantern Row<br><b>Bath</b><br>BA1</p>
      <table><tr><td>12</td><td>1<br>2</td><td>12</td></tr><tr><td>34</td><td>3<br/>4 <i>five</i><br>6</td><td>-</td></tr></table>
      <ul><li>one<br><a href="/x">two<br>three</a><br>four</li></ul><h2>Big<br>Title</h2><div>plain<br>
      text</div><span>in</span><span>line</span></main>`);
    expect(renderObservation(observation).split("\n").slice(3)).toEqual([
      "main",
      " Sam Shopper 12 Lantern Row Bath BA1",
      " table",
      "  | 12 | 1 2 | 12",
      "  | 34 | 3 4 five 6 | -",
      ` - one {${refOf(observation, "link", "two three")} link "two three" → /x} four`,
      " ## Big Title",
      " plain text",
      " inline",
    ]);
  });

  it("has one line for a row of many columns", async () => {
    const cell = (text: string) => `<div class="cell"><span>${text}</span> <b>x</b></div>`;
    const cells = Array.from({ length: 15 }, (_, column) => cell(`c${column}`)).join("");
    const [line, ...others] = renderObservation(await observe(`<div role="table"><div role="row">${cells}</div></div>`))
      .split("\n")
      .slice(4);
    expect(line).toMatch(/^ \| c0 x \| c1 x \|.*\| c14 x$/);
    expect(others).toEqual([]);
  });

  it("leaves out the items of a list behind a dialog of which nothing is left", async () => {
    const observation =
      await observe(`<h1>Tasks</h1><ul><li><a href="/a">A</a></li><li><a href="/b">B</a> due today</li></ul>
      <div role="dialog" aria-modal="true" style="position:fixed;inset:0;background:#fff"><button>Close</button></div>`);
    const lines = renderObservation(observation)
      .split("\n")
      .map((line) => line.trim());
    expect(lines).toContain("- due today");
    expect(lines).not.toContain("-");
  });

  it("has one line per element, with refs for targets", async () => {
    const observation = await observe(`<main><h1>Sign up</h1>
      <p>Read <a href="/rules">the rules</a> first.</p>
      <label for="m">Mail</label> <input id="m" type="email" required value="ann@example.com">
      <label><input type="checkbox"> Agree</label>
      <select aria-label="Plan"><option>Free<option selected>Paid</select>
      <table><tr><th>Name</th><th aria-sort="ascending">Price</th></tr><tr><td>Mug</td><td>€9</td></tr></table>
      <button disabled>Go</button></main>`);
    const ref = (role: string, name: string) => refOf(observation, role, name);
    expect(renderObservation(observation).split("\n").slice(3)).toEqual([
      "main",
      " # Sign up",
      ` Read {${ref("link", "the rules")} link "the rules" → /rules} first.`,
      ` ${ref("textbox", "Mail")} textbox "Mail" = "ann@example.com" (email, required)`,
      ` ${ref("checkbox", "Agree")} checkbox "Agree" [unchecked]`,
      ` ${ref("combobox", "Plan")} combobox "Plan" = "Paid" of Free | Paid`,
      " table",
      "  | Name | Price [sorted ascending]",
      "  | Mug | €9",
      ` ${ref("button", "Go")} button "Go" [disabled]`,
    ]);
  });

  it("starts with the URL, the title, the tabs, the dialog and the scroll position", async () => {
    const observation = await observe(`<div style="height:3000px">Tall</div>`);
    const text = renderObservation({
      ...observation,
      tabs: [
        { id: "t1", url: "https://example.com/a", title: "A", isCurrent: false },
        { id: "t2", url: observation.url, title: "Page", isCurrent: true },
      ],
      dialog: { kind: "confirm", message: "Really?", defaultText: "" },
    });
    expect(text).toContain(`url: ${observation.url}\ntitle: Page\ntab t1: "A" https://example.com/a\ntab t2 (current)`);
    expect(text).toContain(`dialog: confirm "Really?"`);
    expect(text).toMatch(/in view: 0 to 720 of 30\d\d px/);
  });

  it("shows the viewport and its surroundings in full, and only headings and controls of the rest", async () => {
    const far = `<div style="height:4000px"></div>`;
    const observation = await observe(
      `<p>Near text</p>${far}<h2>Far heading</h2><p>Far text</p><button>Far button</button>`,
    );
    const text = renderObservation(observation);
    expect(text).toContain("Near text");
    expect(text).toContain("## Far heading");
    expect(text).toContain(`button "Far button"`);
    expect(text).not.toContain("Far text");
    expect(text).toContain("Not shown: 1 text. Use find, read or scroll.");
  });

  it("follows the window when it is scrolled", async () => {
    await using shown = await site.show(`<p>Top text</p><div style="height:4000px"></div><p>Bottom text</p>`);
    await shown.page.evaluate(() => scrollTo(0, 9999));
    const text = renderObservation(await shown.observe());
    expect(text).toContain("Bottom text");
    expect(text).not.toContain("Top text");
  });

  it("lists a few of many similar elements and counts the rest", async () => {
    const text = renderObservation(await observe(`<table>${rows(100)}</table>`));
    expect(text).toContain("| Row 1 |");
    expect(text).toMatch(/… \d\d more rows, use find or read/);
    const [, more] = /… (\d+) more rows/.exec(text) ?? [];
    expect(text.match(/\| Row \d+/g)?.length).toBe(100 - Number(more));
  });

  it("stays within its budget and says what it left out", async () => {
    const sentence = "Plenty of words that go on about nothing in particular, again and again.";
    const links = Array.from({ length: 300 }, (_, link) => `<p>${sentence} <a href="/l/${link}">Link ${link}</a></p>`);
    const observation = await observe(`<h1>Much</h1>${links.join("")}`);
    for (const maxTokens of [300, 800, 2000, 6000]) {
      const text = renderObservation(observation, { maxTokens });
      expect(estimateTokens(text)).toBeLessThanOrEqual(maxTokens);
      expect(text).toContain("# Much");
      expect(text).toMatch(/Not shown: .*\d+ links|more paragraphs|more lines in view/);
    }
  });

  it("keeps the text of a row or a card that can be clicked as a whole", async () => {
    const words = "a long description of the offer ".repeat(6);
    const text = renderObservation(
      await observe(`<div onclick="1"><h3>Offer</h3><p>${words}</p><p>Only 5 left</p></div>
        <table><tr onclick="1"><td>Order 7</td><td>Sent</td></tr></table>`),
    );
    expect(text).toMatch(/[ec]\d+ clickable generic\n ### Offer\n .*\n Only 5 left/);
    expect(text).toMatch(/[ec]\d+ \| Order 7 \| Sent/);
  });
});

describe("comparing two observations", () => {
  it("lists the lines that appeared and disappeared, and ignores lines that only moved", async () => {
    await using shown = await site.show(`<ul id="l"><li>One</li><li>Two</li></ul><input aria-label="Q" value="a">`);
    const before = toLines((await shown.observe()).root);
    await shown.page.evaluate(() => {
      document.body.append(document.querySelector("#l") as Element);
      document.querySelector("#l")?.insertAdjacentHTML("beforeend", "<li>Three</li><li>Three</li>");
      document.querySelector("li")?.remove();
      (document.querySelector("input") as HTMLInputElement).value = "b";
    });
    const { added, removed } = diffLines(before, toLines((await shown.observe()).root));
    expect(added.filter((line) => line.includes("Three"))).toHaveLength(2);
    expect(added).toContain('textbox "Q" = "b"');
    expect(removed).toContain('textbox "Q" = "a"');
    expect(removed.join("\n")).toContain("One");
    expect([...added, ...removed].join("\n")).not.toContain("Two");
  });

  it("is empty for equal lines, and symmetric", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"));
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { added, removed } = diffLines(before, after);
        expect(diffLines(after, before)).toEqual({ added: removed, removed: added });
        expect([...before, ...added].toSorted()).toEqual([...after, ...removed].toSorted());
      }),
    );
  });
});

describe("finding", () => {
  it("ranks targets and exact matches first", async () => {
    const observation = await observe(
      `<p>Save your work often.</p><p>Save</p><button>Save as draft</button><button>Save</button>`,
    );
    expect(findNodes(observation, "SAVE").map(({ node }) => node.name)).toEqual([
      "Save",
      "Save as draft",
      "Save",
      "Save your work often.",
    ]);
    expect(findNodes(observation, "draft save")[0]?.node.name).toBe("Save as draft");
    expect(findNodes(observation, "nothing of the kind")).toEqual([]);
    expect(findNodes(observation, "  ")).toEqual([]);
  });

  it("finds everything that was left out, on pages of every shape", async () => {
    await using shown = await site.show("");
    const piece = fc.oneof(
      fc.integer({ min: 1, max: 60 }).map((count) => `<table>${rows(count)}</table>`),
      fc
        .integer({ min: 1, max: 40 })
        .map((count) => `<ul>${`<li><a href="/x">Item</a> <span onclick="1">soft</span></li>`.repeat(count)}</ul>`),
      fc.constant(`<div style="height:3000px"></div>`),
      fc.constant(`<form><label>Field <input></label><select><option>A</select><button></button></form>`),
      fc.constant(`<div onclick="1"><p>Card ${"with words ".repeat(20)}</p><button>In a card</button></div>`),
      fc.constant(`<svg width="50" height="50"><rect width="20" height="20" onclick="1"/></svg>`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 5 }), async (pieces) => {
        await shown.page.setContent(pieces.join(""));
        expect(unreachable(await shown.observe())).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });
});

/** Refs that are neither shown nor found by the element's name (or by its role, if it has no name). */
function unreachable(observation: Observation): string[] {
  const text = renderObservation(observation, { maxTokens: 1500 });
  return nodesOf(observation).flatMap(({ ref, name, role }) => {
    if (ref === null || new RegExp(`(^|[ {])${ref}[ }]`, "m").test(text)) return [];
    return findNodes(observation, name || role).some(({ node }) => node.ref === ref) ? [] : [ref];
  });
}
