import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { openSpaPage, type SpaPage } from "./_harness.ts";

const CITIES = ["Bergen", "Bern", "Berlin", "Bristol"];

/** A search that takes a moment, as on a real site. */
function respond({ url }: { url: URL }, response: ServerResponse): boolean {
  if (url.pathname !== "/cities") return false;
  const words = (url.searchParams.get("q") ?? url.searchParams.get("term") ?? "").toLowerCase();
  const found = CITIES.filter((city) => city.toLowerCase().startsWith(words));
  const results = found.map((city) => ({ label: city, text: city, value: city, id: city }));
  setTimeout(() => response.setHeader("content-type", "application/json").end(JSON.stringify(results)), 200);
  return true;
}

async function choose(page: SpaPage, name: string, ...options: string[]): Promise<void> {
  const { failure } = await page.act("select", { role: "combobox", name }, { options });
  expect(failure).toBeNull();
}

async function expectSaved(page: SpaPage, expected: object): Promise<void> {
  await expect.poll(() => page.state()).toMatchObject(expected);
  expect((await page.act("click", "Save")).failure).toBeNull();
  expect(page.record()).toEqual([expect.objectContaining(expected)]);
}

describe("react-select", () => {
  test("exactly the named options in a list that allows several", async () => {
    const page = await openSpaPage("combobox-react-select");
    await choose(page, "Topics", "Art", "Design");
    await expectSaved(page, { topics: ["art", "design"] });
  });

  test("an option that only a search on the server finds", async () => {
    const page = await openSpaPage("combobox-react-select", { respond });
    await choose(page, "City", "Berlin");
    await expectSaved(page, { city: "Berlin" });
  });

  test("names the options when none matches, and chooses nothing", async () => {
    const page = await openSpaPage("combobox-react-select");
    const { failure } = await page.act("select", "Country", { options: ["Atlantis"] });
    expect(failure).toMatchObject({ kind: "not_found", message: expect.stringContaining("Norway") });
    await expectSaved(page, { country: null });
  });
});

describe("a choice that cannot be made", () => {
  test("react-select: a page that ignores it is not called done", async () => {
    const page = await openSpaPage("combobox-stubborn");
    const { failure } = await page.act("select", "Ignored", { options: ["Second"] });
    expect(failure).toMatchObject({ kind: "no_effect" });
    expect(await page.state()).toMatchObject({ ignored: "first" });
  });

  test("react-select: a disabled option is named as such", async () => {
    const page = await openSpaPage("combobox-stubborn");
    const { failure } = await page.act("select", "Ignored", { options: ["Third"] });
    expect(failure).toMatchObject({ kind: "disabled" });
  });

  test("react-select: what does not exist is not created", async () => {
    const page = await openSpaPage("combobox-stubborn");
    const { failure } = await page.act("select", "Creatable", { options: ["Purple"] });
    expect(failure).toMatchObject({ kind: "not_found", message: expect.stringContaining("Red") });
    await expectSaved(page, { created: null });
  });

  test("Mantine: what is selected already is not turned off", async () => {
    const page = await openSpaPage("combobox-stubborn");
    await choose(page, "Kept", "Apples");
    await expectSaved(page, { kept: "Apples" });
  });

  test("Mantine: more than one where only one is possible", async () => {
    const page = await openSpaPage("combobox-stubborn");
    const { failure } = await page.act("select", "Kept", { options: ["Pears", "Plums"] });
    expect(failure).toMatchObject({ kind: "invalid_input" });
  });

  test("Mantine: one of two options in groups", async () => {
    const page = await openSpaPage("combobox-stubborn");
    await choose(page, "Kept", "Carrots");
    await expectSaved(page, { kept: "Carrots" });
  });
});

describe("Mantine trees", () => {
  test("a leaf of a tree that has to be opened first", async () => {
    const page = await openSpaPage("combobox-trees");
    const { failure } = await page.act("select", "Folder", { options: ["Bills"] });
    expect(failure).toMatchObject({ kind: "not_found", message: expect.stringContaining("Work") });
    for (const name of ["Folder", "Expand Work", "Bills"]) expect((await page.act("click", name)).failure).toBeNull();
    await expectSaved(page, { folder: "bills" });
  });

  test("a path through columns, one click after the other", async () => {
    const page = await openSpaPage("combobox-trees");
    expect((await page.act("click", "Place")).failure).toBeNull();
    for (const name of ["Europe", "Norway", "Bergen"]) expect((await page.act("click", name)).failure).toBeNull();
    await expectSaved(page, { place: ["europe", "norway", "bergen"] });
  });
});

describe("Mantine", () => {
  test("a list without a search field", async () => {
    const page = await openSpaPage("combobox-mantine");
    await choose(page, "Country", "Norway");
    await expectSaved(page, { country: "Norway" });
  });

  test("an option beyond the limit of what is shown, by searching", async () => {
    const page = await openSpaPage("combobox-mantine");
    await choose(page, "Time zone", "Zone 150");
    await expectSaved(page, { zone: "Zone 150" });
  });

  test("exactly the named options in a list that allows several", async () => {
    const page = await openSpaPage("combobox-mantine");
    await choose(page, "Topics", "Art", "Design");
    await expectSaved(page, { topics: ["Art", "Design"] });
  });

  test("a suggestion of an autocomplete field, or a text of one's own", async () => {
    const page = await openSpaPage("combobox-mantine");
    await choose(page, "Street", "Mill Lane");
    await expectSaved(page, { street: "Mill Lane" });
    expect((await page.act("fill", { role: "combobox", name: "Street" }, { text: "My Road 5" })).failure).toBeNull();
    expect(await page.state()).toMatchObject({ street: "My Road 5" });
  });

  test("tags that are typed one by one", async () => {
    const page = await openSpaPage("combobox-mantine");
    for (const tag of ["urgent", "home"]) {
      const field = page.find({ role: "combobox", name: "Tags" });
      await page.perform([{ action: "fill", input: { ref: field.ref, label: "Tags", text: tag, submit: true } }]);
    }
    await expectSaved(page, { tags: ["urgent", "home"] });
  });
});

describe("MUI", () => {
  test("an option of an autocomplete field", async () => {
    const page = await openSpaPage("combobox-mui");
    await choose(page, "Film", "Metropolis");
    await expectSaved(page, { film: "Metropolis" });
  });

  test("exactly the named options of an autocomplete field with several", async () => {
    const page = await openSpaPage("combobox-mui");
    await choose(page, "Watched", "Alien", "Vertigo");
    await expectSaved(page, { watched: ["Alien", "Vertigo"] });
  });

  test("an option of a select, which opens over the whole page", async () => {
    const page = await openSpaPage("combobox-mui");
    await choose(page, "Size", "Medium");
    await expectSaved(page, { size: "m" });
  });

  test("exactly the named options of a select with several, which stays open", async () => {
    const page = await openSpaPage("combobox-mui");
    await choose(page, "Colours", "Green", "Blue");
    await expectSaved(page, { colours: ["Green", "Blue"] });
  });
});

describe("Select2", () => {
  test("one option", async () => {
    const page = await openSpaPage("combobox-select2");
    await choose(page, "Country", "Norway");
    await expectSaved(page, { country: "no" });
  });

  test("exactly the named options in a list that allows several", async () => {
    const page = await openSpaPage("combobox-select2");
    expect((await page.act("select", "Topics", { options: ["Art", "Cooking"] })).failure).toBeNull();
    await expectSaved(page, { topics: ["Art", "Cooking"] });
  });

  test("an option that only a search on the server finds", async () => {
    const page = await openSpaPage("combobox-select2", { respond });
    await choose(page, "City", "Bergen");
    await expectSaved(page, { city: "Bergen" });
  });
});

describe("Downshift with virtual options", () => {
  test("by searching", async () => {
    const page = await openSpaPage("combobox-downshift");
    await choose(page, "Birthplace", "City 4321");
    await expectSaved(page, { birthplace: "City 4321" });
  });

  test("by scrolling, where there is nothing to search in", async () => {
    const page = await openSpaPage("combobox-downshift");
    await choose(page, "Home", "City 123");
    await expectSaved(page, { home: "City 123" });
  });
});
