import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
  world.site.pages.set("/next", "<h1>Arrived</h1>");
});

afterAll(() => world[Symbol.asyncDispose]());

describe("waiting", () => {
  const PAGE = `<button onclick="said.textContent = 'Loading'; setTimeout(() => { said.innerHTML = 'Ready: <b>5</b>%'; history.pushState(0, '', '/done') }, 600)">
    Load</button><p id="said"></p>`;

  test("waits until a text appears, another disappears and the URL matches", async () => {
    const page = await world.open(PAGE);
    await page.act("click", "Load");
    expect(page.text()).toContain("Loading");
    const report = await page.act("wait_for", null, { text: "ready: 5%", gone: "Loading", url_contains: "/done" });
    expect(report.failure).toBeNull();
    expect(page.text()).toContain("Ready");
  });

  test("times out, and refuses to wait without a condition", async () => {
    const page = await world.open(PAGE);
    const report = await page.act("wait_for", null, { text: "Ready", timeout_seconds: 0.3 });
    expect(report.failure).toEqual({ kind: "timeout", message: 'After 0.3 s "Ready" is not on the page.' });
    expect((await page.act("wait_for", null, {})).failure).toMatchObject({ kind: "invalid_input" });
  });
});

describe("reading", () => {
  const ROWS = Array.from(
    { length: 200 },
    (_, index) =>
      `<tr><td>Item ${index}</td><td>fine goods of the best sort we have</td><td>${index}.50</td><td><button>Buy</button></td></tr>`,
  );
  const TABLE = `<h1>Prices</h1><p>All of <a href="/next">them</a> in euro.</p><table>${ROWS.join("")}</table>`;

  test("reads the whole page in parts", async () => {
    const page = await world.open(TABLE);
    const first = (await page.act("read", null)).data as { text: string; next_offset: number; total_length: number };
    expect(first.text).toMatch(
      /^Prices\nAll of them in euro\.\nItem 0 \| fine goods of the best sort we have \| 0\.50 \| Buy\n/,
    );
    const second = (await page.act("read", null, { offset: first.next_offset })).data as {
      text: string;
      next_offset: null;
    };
    expect(first.text.length + second.text.length).toBe(first.total_length);
    expect(second.text).toMatch(/Item 199 \| .* \| 199\.50 \| Buy$/);
    expect(second.next_offset).toBeNull();
  });

  test("finds words, with usable refs and the row they are in", async () => {
    const page = await world.open(TABLE);
    const { data } = await page.act("find", null, { words: "item 37" });
    expect(data).toMatchObject({
      matches: expect.arrayContaining([expect.objectContaining({ within: expect.stringContaining("37.50") })]),
    });
    const buy = (await page.act("find", null, { words: "buy" })).data as { matches: { ref: string }[]; more: number };
    expect(buy.matches).toHaveLength(20);
    expect(buy.more).toBe(180);
    const [match] = buy.matches;
    const [report] = await page.perform([{ action: "click", input: { ref: match?.ref, label: "Buy" } }]);
    expect(report?.failure).toBeNull();
    expect((await page.act("find", null, { words: "caviar" })).data).toBe('Nothing on the page matches "caviar".');
  });

  test("requests a screenshot", async () => {
    const page = await world.open(`<p>Home</p>`);
    expect((await page.act("look", null)).data).toEqual({ screenshot: true });
  });
});

describe("scrolling", () => {
  const LONG = `<div style="height:3000px">Top</div><button>Bottom</button>
    <script>onscroll = () => { document.title = Math.round(scrollY) }</script>`;

  test("scrolls down, up and to an element", async () => {
    const page = await world.open(LONG);
    await page.act("scroll", null, { direction: "down" });
    const { y } = page.observation.scroll;
    expect(y).toBeGreaterThan(300);
    await page.act("scroll", "Bottom");
    expect(page.observation.scroll.y).toBeGreaterThan(y);
    await page.act("scroll", null, { direction: "up", screens: 20 });
    expect(page.observation.scroll.y).toBe(0);
  });

  test("scrolls a pane until its end", async () => {
    const page = await world.open(
      `<div style="height:100px;overflow:auto" onscroll="document.title = this.scrollTop"><button>First</button><div style="height:150px"></div></div>`,
    );
    await page.act("scroll", "First", { direction: "down", screens: 20 });
    expect(Number(page.observation.title)).toBeGreaterThan(0);
    expect((await page.act("scroll", "First", { direction: "down" })).failure).toMatchObject({ kind: "no_effect" });
  });
});
