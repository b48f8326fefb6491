import { describe, expect, test } from "vitest";
import { walk } from "../../src/browser/observation/observation.ts";
import { openSpaPage, type SpaPage } from "./_harness.ts";

async function drag(page: SpaPage, from: string, onto: string) {
  return await page.act("drag", from, { to_ref: page.find(onto).ref, to_label: onto });
}

function findAll({ observation }: SpaPage, name: RegExp) {
  const nodes = [...walk(observation.root)].map(({ node }) => node);
  return nodes.filter((node) => node.ref !== null && name.test(node.name));
}

describe("dnd-kit", () => {
  test("an item of a list takes the place of another, by keyboard", async () => {
    const page = await openSpaPage("drag-dnd-kit");
    const report = await drag(page, "Paint", "Varnish");
    expect(report).toMatchObject({ failure: null, data: { position: 3, of: 3, after: "Varnish" } });
    expect(await page.state()).toMatchObject({ Todo: ["Sand", "Varnish", "Paint"] });
    expect(page.record()).toHaveLength(1);
  });

  test("a card goes to another column, and to an empty one", async () => {
    const page = await openSpaPage("drag-dnd-kit");
    expect((await drag(page, "Sand", "Saw")).failure).toBeNull();
    expect(await page.state()).toMatchObject({
      Todo: ["Paint", "Varnish"],
      Doing: expect.arrayContaining(["Saw", "Sand"]),
    });
    expect((await drag(page, "Paint", "Done")).failure).toBeNull();
    expect(await page.state()).toMatchObject({ Todo: ["Varnish"], Done: ["Paint"] });
    expect(page.record()).toHaveLength(2);
  });
});

describe("SortableJS", () => {
  test("an item goes down its list, and to an empty list", async () => {
    const page = await openSpaPage("drag-sortablejs");
    expect((await drag(page, "Milk", "Salt")).failure).toBeNull();
    expect(await page.state()).toMatchObject({ Shopping: ["Bread", "Salt", "Milk"] });
    expect((await drag(page, "Bread", "Bought")).failure).toBeNull();
    expect(await page.state()).toMatchObject({ Shopping: ["Salt", "Milk"], Bought: ["Bread"] });
  });

  test("an item is moved by its handle, which has to be held", async () => {
    const page = await openSpaPage("drag-sortablejs");
    const [first, second] = findAll(page, /^Grip$/);
    const report = await page.act("drag", null, {
      ref: first?.ref,
      label: "Grip",
      to_ref: second?.ref,
      to_label: "Grip",
    });
    expect(report.failure).toBeNull();
    expect(await page.state()).toMatchObject({ Songs: ["Morning", "Winter"] });
  });
});

describe("xyflow", () => {
  test("a wire is drawn from one node to another", async () => {
    const page = await openSpaPage("drag-xyflow");
    const [output, input] = findAll(page, /handle/);
    const ends = { ref: output?.ref, label: output?.name, to_ref: input?.ref, to_label: input?.name };
    expect((await page.act("drag", null, ends)).failure).toBeNull();
    expect(await page.state()).toMatchObject({ edges: ["timer to mail"] });
  });

  test("a node is moved by a distance, and opened with a double click", async () => {
    const page = await openSpaPage("drag-xyflow");
    expect((await page.act("drag", "Timer", { by_x: 100, by_y: 60 })).failure).toBeNull();
    const { positions } = (await page.state()) as { positions: { timer: { x: number; y: number } } };
    expect(positions.timer.x).toBeGreaterThan(120);
    expect(positions.timer.y).toBeGreaterThan(80);
    await page.act("click", "Send mail", { double: true });
    expect(page.observation.title).toBe("Editing Send mail");
  });
});

describe("native elements", () => {
  test("a drag carries its data to where it is dropped", async () => {
    const page = await openSpaPage("drag-native");
    expect((await drag(page, "Letter", "Archive")).failure).toBeNull();
    expect(await page.state()).toMatchObject({ Inbox: [], Archive: ["Letter"] });
    expect(page.record()).toHaveLength(1);
  });

  test("a range is set to a number on it, and to no other", async () => {
    const page = await openSpaPage("drag-native");
    expect(await page.act("drag", "Volume", { value: 35 })).toMatchObject({ failure: null, data: { value: 35 } });
    expect(await page.state()).toMatchObject({ volume: 35 });
    expect((await page.act("drag", "Volume", { value: 33 })).failure).toMatchObject({ kind: "no_effect" });
    expect((await page.act("drag", "Volume", { value: 60 })).failure).toMatchObject({ kind: "invalid_input" });
  });

  test("what does not move is reported as such", async () => {
    const page = await openSpaPage("drag-native");
    const report = await page.act("drag", "Archive", { by_x: 200 });
    expect(report.failure).toMatchObject({ kind: "no_effect" });
    expect(page.record()).toEqual([]);
  });
});

test("Mantine: sliders are set to a number", async () => {
  const page = await openSpaPage("slider-mantine");
  expect((await page.act("drag", "Volume", { value: 75 })).failure).toBeNull();
  expect((await page.act("drag", "Lowest price", { value: 35 })).failure).toBeNull();
  expect((await page.act("drag", "Highest price", { value: 50 })).failure).toBeNull();
  await page.act("click", "Save");
  expect(page.record()).toEqual([{ volume: 75, price: [35, 50] }]);
});
