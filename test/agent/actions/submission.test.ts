import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
  world.site.pages.set("/sent", "<h1>Thank you</h1>");
});

beforeEach(() => {
  world.site.arrivals.length = 0;
});

afterAll(() => world[Symbol.asyncDispose]());

const FIELDS = `<label>Name <input name="name" required></label><label>Town <input name="town"></label>`;
const posts = () => world.site.arrivals.filter(({ method }) => method === "POST");

describe("a form that fails the browser's validation", () => {
  test("fails the click and names the field with the browser's message", async () => {
    const page = await world.open(`<form method="post" action="/sent">${FIELDS}<button>Send</button></form>`);
    const { failure } = await page.act("click", "Send");
    expect(failure).toMatchObject({ kind: "no_effect" });
    expect(failure?.message).toContain('"Name"');
    expect(failure?.message).toContain("fill out this field");
    expect(posts()).toEqual([]);
    await page.act("fill", "Name", { text: "Ann" });
    expect((await page.act("click", "Send")).failure).toBeNull();
    expect(posts()).toHaveLength(1);
  });

  test("fails Enter", async () => {
    const page = await world.open(`<form method="post" action="/sent">${FIELDS}<button>Send</button></form>`);
    const report = await page.act("press", "Town", { key: "Enter" });
    expect(report.failure).toMatchObject({ kind: "no_effect", message: expect.stringContaining('"Name"') });
    expect(posts()).toEqual([]);
  });

  test("fails in a shadow root too", async () => {
    const page = await world.open(
      `<div id="host"></div><script>host.attachShadow({ mode: "open" }).innerHTML =
        '<form method="post" action="/sent">${FIELDS}<button>Send</button></form>'</script>`,
    );
    expect((await page.act("click", "Send")).failure).toMatchObject({ kind: "no_effect" });
  });
});

describe("a submitted form", () => {
  test("succeeds without the browser's validation", async () => {
    const page = await world.open(
      `<form method="post" action="/sent" novalidate>${FIELDS}<button>Send</button></form>`,
    );
    expect((await page.act("click", "Send")).failure).toBeNull();
    expect(posts()).toHaveLength(1);
  });

  test("succeeds with a script that validates and then clears it", async () => {
    const page = await world.open(
      `<form>${FIELDS}<button>Send</button></form><p role="status"></p><script>
        const form = document.querySelector("form");
        form.addEventListener("submit", async (event) => {
          event.preventDefault();
          const body = new URLSearchParams(new FormData(form));
          form.reset();
          form.checkValidity();
          await fetch("/sent", { method: "POST", body });
          document.querySelector("[role=status]").textContent = "Sent";
        });
      </script>`,
    );
    await page.act("fill", "Name", { text: "Ann" });
    expect((await page.act("click", "Send")).failure).toBeNull();
    expect(posts()).toMatchObject([{ body: "name=Ann&town=" }]);
  });

  test("is not confused with a button that submits nothing", async () => {
    const page = await world.open(
      `<form method="post" action="/sent">${FIELDS}
        <button type="button" onclick="document.title = 'previewed'">Preview</button><button>Send</button></form>`,
    );
    expect((await page.act("click", "Preview")).failure).toBeNull();
    expect(page.observation.title).toBe("previewed");
  });
});
