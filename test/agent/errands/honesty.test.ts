import { describe, expect, test } from "vitest";
import { useErrands } from "../../_harness/errands.ts";
import { MEMBER } from "../../sites/login.ts";

const errands = useErrands();

describe("is no success", () => {
  test("a page that still waits for confirmation", async () => {
    const { widgets } = errands.sites;
    const { outcome } = await errands.run({
      prompt: "Click Delete the guest book.",
      startUrl: `${widgets.url}/modals`,
    });
    expect(outcome).toMatchObject({ kind: "failed" });
    expect(outcome.kind === "failed" && outcome.reason).toContain("Delete the guest book?");
    expect(widgets.state.choices).toEqual([]);
  });

  test("Enter in a form that the browser does not submit", async () => {
    const { outcome } = await errands.run({
      prompt: "Type Robin Example into Your name and press Enter.",
      startUrl: `${errands.sites.frames.url}/same-origin`,
    });
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("Phone number") });
  });

  test("a link to a page that does not exist", async () => {
    const { outcome } = await errands.run({
      prompt: "Click Sketch book.",
      startUrl: `${errands.sites.facts.url}/products`,
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified", reason: expect.stringContaining("404") });
  });

  test("a setting that was typed and not saved", async () => {
    const { lying } = errands.sites;
    const { outcome } = await errands.run({
      prompt: "Change the display name to Rowan.",
      startUrl: `${lying.url}/honest`,
    });
    expect(outcome.kind === "verified").toBe(lying.state.displayNames.honest === "Rowan");
    expect(outcome.reason).toContain("and click Save");
  });

  test("a box that was ticked and not saved", async () => {
    const { login } = errands.sites;
    const { outcome } = await errands.run({
      prompt: `Sign in as ${MEMBER.email} with password "${MEMBER.password}". Then turn on the newsletter.`,
      startUrl: `${login.url}/members`,
    });
    expect(login.state.newsletter).toBe(false);
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("and click Save") });
  });

  test("a list without a requested column", async () => {
    const { outcome } = await errands.run({
      prompt: "List the name and weight of all plants.",
      startUrl: errands.sites.paged.url,
    });
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining('no column "weight"') });
  });

  test("a list without a requested column, even where the schema makes it optional", async () => {
    const properties = { name: { type: "string" }, weight: { type: "string" } };
    const { outcome } = await errands.run({
      prompt: "List the name and weight of all plants.",
      startUrl: errands.sites.paged.url,
      outputSchema: { type: "array", items: { type: "object", properties, required: ["name"] } },
    });
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining('no column "weight"') });
  });
});
