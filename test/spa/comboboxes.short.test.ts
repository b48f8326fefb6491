import { expect, test } from "vitest";
import { openSpaPage } from "./_harness.ts";

test("react-select: one option of a list", async () => {
  const page = await openSpaPage("combobox-react-select");
  expect((await page.act("select", "Country", { options: ["Norway"] })).failure).toBeNull();
  expect(await page.state()).toMatchObject({ country: "no" });
  await page.act("click", "Save");
  expect(page.record()).toEqual([{ country: "no", topics: [] }]);
});
