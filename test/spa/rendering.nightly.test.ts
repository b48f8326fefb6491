import { expect, test } from "vitest";
import { openSpaPage, type SpaPage } from "./_harness.ts";

/** The page as a model gets it, with "e" for each ref. */
function linesOf(page: SpaPage): string[] {
  const [, , , ...lines] = page.rendered().split("\n");
  return lines.map((line) => line.replace(/\b[ec]\d+ /g, "e "));
}

test("react-select: the choice is the value of the field", async () => {
  const page = await openSpaPage("combobox-react-select");
  expect(linesOf(page)).toContain('e combobox "Country" = "" (placeholder "Select...") [collapsed]');
  expect(linesOf(page)).toContain('e combobox "Topics" = "Books" [collapsed]');
  await page.act("select", "Country", { options: ["Norway"] });
  expect(linesOf(page).filter((line) => line.includes("Norway"))).toEqual([
    expect.stringContaining('e combobox "Country" = "Norway"'),
  ]);
});

test("MUI: each field is one target", async () => {
  const page = await openSpaPage("combobox-mui");
  expect(linesOf(page)).toEqual([
    'e combobox "Film" = "" [collapsed]',
    'e button "Open"',
    'e button "Brazil"',
    expect.stringContaining("img"),
    'e combobox "Watched" = "Brazil" [collapsed]',
    'e button "Open"',
    'e combobox "Size" = "" [collapsed]',
    'e combobox "Colours" = "Red" [collapsed]',
    'e button "Save"',
  ]);
});

test("Mantine: each field is one target, and a button shows what was picked", async () => {
  const fields = await openSpaPage("combobox-mantine");
  expect(linesOf(fields).filter((line) => !line.includes("button"))).toEqual([
    'e combobox "Country" = "" (placeholder "Pick one") [collapsed]',
    'e combobox "Time zone" = "" [collapsed]',
    'e combobox "Topics" = "Books" [collapsed]',
    'e combobox "Street" = "" [collapsed]',
    'e combobox "Tags" = "" [collapsed]',
  ]);
  const dates = await openSpaPage("dates-mantine");
  expect(linesOf(dates)).toContain('e button "Day" = "March 10, 2026" [collapsed]');
  await dates.act("click", "Day");
  expect(dates.rendered()).toMatch(/button "previous .*\n.*button "March 2026".*\n.*button "next /);
});

test("Select2: the drawn field has the label of the native one, which is left out", async () => {
  const page = await openSpaPage("combobox-select2");
  expect(linesOf(page).filter((line) => line.includes("combobox"))).toEqual([
    '{e combobox "Country" = "" [collapsed]}',
    expect.stringContaining('{e combobox "Topics" = "Books" [collapsed]}'),
    '{e combobox "City" = "" [collapsed]}',
  ]);
  await page.act("select", "Country", { options: ["Norway"] });
  expect(linesOf(page)[0]).toContain('combobox "Country" = "Norway"');
});

test("Mantine and MUI dialogs: what is behind them is left out, and the root of the page is no target", async () => {
  const opened = [
    ["New task", 'button "Create"'],
    ["Delete all", 'button "Keep"'],
  ] as const;
  for (const [name, expected] of opened) {
    const page = await openSpaPage("modals");
    expect(linesOf(page)).toEqual([
      "main",
      " # Tasks",
      ' e button "New task"',
      ' e button "Filters"',
      ' e button "Delete all"',
    ]);
    await page.act("click", name);
    expect(page.rendered()).toContain(expected);
    expect(page.rendered()).toContain("# Tasks");
    expect(page.rendered()).not.toContain("Filters");
    expect(page.rendered()).toContain("3 controls behind the dialog cannot be used now and are not shown.");
  }
});

test("MUI and Mantine switches: a box and its label are one target", async () => {
  const page = await openSpaPage("toggles");
  const boxes = linesOf(page).filter((line) => /Dark mode|Sound|Small|Large/.test(line));
  expect(boxes).toEqual([
    'e switch "Dark mode" [unchecked]',
    'e switch "Sound" [checked]',
    'e checkbox "Small" [checked]',
    'e checkbox "Large" [unchecked]',
  ]);
});

test("AG Grid: neither the grid nor the edges of its columns are targets", async () => {
  const page = await openSpaPage("list-ag-grid", {
    respond({ url }, response) {
      if (url.pathname !== "/members") return false;
      response.setHeader("content-type", "application/json").end('[{"name":"Ann","city":"Oslo"}]');
      return true;
    },
  });
  expect(linesOf(page)).toEqual([
    "main",
    " # Members",
    " grid",
    '  | {e columnheader "Name" [draggable]} | {e columnheader "City" [draggable]}',
    '  | {e gridcell "Ann"} | {e gridcell "Oslo"}',
  ]);
});

test("Quill: the blocks of a text are apart", async () => {
  const page = await openSpaPage("quill");
  expect(page.rendered()).toContain(String.raw`Buy paper\nPrint twice\nThanks, Ann"`);
});
