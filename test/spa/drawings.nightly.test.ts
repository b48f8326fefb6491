import { expect, test } from "vitest";
import { walk } from "../../src/browser/observation/observation.ts";
import { openSpaPage } from "./_harness.ts";

test("d3: the nodes of a drawing are opened, moved and wired", async () => {
  const page = await openSpaPage("drawing-editor");
  await page.act("click", "debug 1", { double: true });
  expect(page.observation.title).toBe("Editing debug 1");
  expect((await page.act("drag", "debug 1", { by_x: 50, by_y: 100 })).failure).toBeNull();
  expect(await page.state()).toMatchObject({ steps: [{ name: "inject", x: 60 }, { name: "debug 1" }] });
  const port = [...walk(page.observation.root)].find(({ node }) => /port/.test(node.name))?.node;
  const onto = { to_ref: page.find("debug 1").ref, to_label: "debug 1" };
  const wire = await page.act("drag", null, { ref: port?.ref, label: port?.name, ...onto });
  expect(wire.failure).toBeNull();
  expect(await page.state()).toMatchObject({ wires: ["inject to debug 1"] });
});
