import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "./_harness/action-page.ts";

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

describe("a form that the browser holds back", () => {
  test("is no success of the click, and the field is named with the browser's words", async () => {
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

  test("is no success of Enter", async () => {
    const page = await world.open(`<form method="post" action="/sent">${FIELDS}<button>Send</button></form>`);
    const report = await page.act("press", "Town", { key: "Enter" });
    expect(report.failure).toMatchObject({ kind: "no_effect", message: expect.stringContaining('"Name"') });
    expect(posts()).toEqual([]);
  });

  test("is no success in a shadow root either", async () => {
    const page = await world.open(
      `<div id="host"></div><script>host.attachShadow({ mode: "open" }).innerHTML =
        '<form method="post" action="/sent">${FIELDS}<button>Send</button></form>'</script>`,
    );
    expect((await page.act("click", "Send")).failure).toMatchObject({ kind: "no_effect" });
  });
});

describe("a form that is sent", () => {
  test("without the browser's checks is sent", async () => {
    const page = await world.open(
      `<form method="post" action="/sent" novalidate>${FIELDS}<button>Send</button></form>`,
    );
    expect((await page.act("click", "Send")).failure).toBeNull();
    expect(posts()).toHaveLength(1);
  });

  test("by a script that checks and empties it afterwards is sent", async () => {
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

  test("is not confused with a button that sends nothing", async () => {
    const page = await world.open(
      `<form method="post" action="/sent">${FIELDS}
        <button type="button" onclick="document.title = 'previewed'">Preview</button><button>Send</button></form>`,
    );
    expect((await page.act("click", "Preview")).failure).toBeNull();
    expect(page.observation.title).toBe("previewed");
  });
});
