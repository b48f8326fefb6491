import { beforeEach, describe, expect, test } from "vitest";
import { Html, html } from "../../../src/lib/html.ts";
import { useDoubtfulRunsOn } from "../../_harness/doubtful-runs.ts";
import { layOut } from "../../sites/page.ts";
import { type Route, sendJson, showPage } from "../../sites/site.ts";

// Applications that keep what was done in the browser: some send it later, some send it at once, some have nobody to send it to.

let tasks: string[];

const app = (code: string) =>
  showPage(
    layOut(
      "Tasks",
      html`<h1>Tasks</h1><ul id="list"></ul><label>New task <input id="title"></label><button id="add">Add</button>
        <button id="star" aria-pressed="false">Star the list</button><p role="status" id="said"></p>
        ${new Html(`<script>
          const own = () => JSON.parse(localStorage.tasks ?? "[]");
          const show = (tasks) => { list.replaceChildren(...tasks.map((task) => Object.assign(document.createElement("li"), { textContent: task }))); };
          ${code}
        </script>`)}`,
    ),
  );
const KEEP = `localStorage.tasks = JSON.stringify([...own(), title.value]); title.value = "";`;
const STAR = `const starred = () => star.setAttribute("aria-pressed", String(localStorage.starred === "yes"));
  star.onclick = () => { localStorage.starred = "yes"; starred(); }; starred();`;
const LOAD = `const load = async () => show([...(await (await fetch("/api/tasks")).json()), ...own()]); load();`;

const routes: Record<string, Route> = {
  "GET /api/tasks": () => sendJson(tasks),
  "POST /api/tasks": ({ body }) => {
    tasks.push(JSON.parse(body).title);
    return sendJson({ id: tasks.length }, 201);
  },
  "POST /api/presence": () => sendJson({}),
  "GET /alone": () => app(`show(own()); add.onclick = () => { ${KEEP} show(own()); }; ${STAR}`),
  "GET /later": () => app(`${LOAD} add.onclick = () => { ${KEEP} load(); }; ${STAR}`),
  "GET /present": () =>
    app(
      `${LOAD} add.onclick = async () => { ${KEEP} await fetch("/api/presence", { method: "POST", body: "{}" }); load(); };`,
    ),
  "GET /shop": () =>
    showPage(
      layOut(
        "Shop",
        html`<h1>Kettle</h1><button id="put">Add to cart</button><p id="count"></p>
          ${new Html(`<script>
            const show = () => { count.textContent = (localStorage.cart ?? 0) + " in your cart"; };
            put.onclick = () => { localStorage.cart = Number(localStorage.cart ?? 0) + 1; show(); };
            fetch("/api/tasks").then(show);
          </script>`)}`,
      ),
    ),
  "GET /queue": () =>
    app(`show(own()); add.onclick = () => { localStorage.outbox = title.value; ${KEEP} show(own()); };`),
  "GET /database": () =>
    app(`let db; const opening = indexedDB.open("tasks", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("tasks", { autoIncrement: true });
      opening.onsuccess = () => { db = opening.result; load(); };
      const load = async () => {
        const known = await (await fetch("/api/tasks")).json();
        const all = db.transaction("tasks").objectStore("tasks").getAll();
        all.onsuccess = () => show([...known, ...all.result]);
      };
      add.onclick = () => {
        const change = db.transaction("tasks", "readwrite");
        change.objectStore("tasks").add(title.value);
        change.oncomplete = () => { title.value = ""; load(); };
      };`),
  "GET /both": () =>
    app(`${LOAD.replace(", ...own()", "")} add.onclick = async () => {
        await fetch("/api/tasks", { method: "POST", body: JSON.stringify({ title: title.value }) });
        ${KEEP} load();
      };`),
};

const run = useDoubtfulRunsOn("storage", { routes, state: null });
beforeEach(() => {
  tasks = ["Water the ferns"];
});

/** A run that claims what a page shows, before a judge that believes everything. */
async function add(path: string) {
  const { outcome } = await run({
    prompt: "Add the task Sweep the yard.",
    path,
    deeds: [{ fill: "New task", text: "Sweep the yard" }, { click: "Add" }],
    texts: [{ path, text: "Sweep the yard" }],
  });
  return outcome;
}

describe("is no success, because the server never got it:", () => {
  test.each([
    ["a task that only local storage has", "/later"],
    ["a task that only a database of the browser has", "/database"],
    ["a task beside which something else was sent", "/present"],
    ["a task that waits to be sent", "/queue"],
  ])("%s", async (_what, path) => {
    const outcome = await add(path);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(tasks).toEqual(["Water the ferns"]);
  });

  test("a button that only local storage remembers", async () => {
    const { outcome } = await run({
      prompt: "Star the list.",
      path: "/later",
      deeds: [{ click: "Star the list" }],
      texts: [{ path: "/later", text: "Tasks" }],
    });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(outcome.reason).toContain("only with the storage of this one");
  });

  test("the same without a model", async () => {
    const prompt = 'Enter "Sweep the yard" in New task and click Add. Check that it says "Sweep the yard".';
    const { outcome } = await run({ prompt, path: "/later", judge: null });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
  });
});

describe("is verified:", () => {
  test("a task of an application without a server, and the result says where it is", async () => {
    const outcome = await add("/alone");
    expect(outcome, JSON.stringify(outcome)).toMatchObject({
      kind: "verified",
      reason: expect.stringContaining("only in the storage of this browser"),
      result: { evidence: { verifier: { reason: expect.stringContaining("only in the storage of this browser") } } },
    });
  });

  test("a cart in the storage of a shop whose products are on a server", async () => {
    const { outcome } = await run({
      prompt: "Add the kettle to the cart.",
      path: "/shop",
      deeds: [{ click: "Add to cart" }],
      texts: [{ path: "/shop", text: "1 in your cart" }],
    });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({
      kind: "verified",
      reason: expect.stringContaining("only in the storage of this browser"),
    });
  });

  test("a task that the server has as well, without a word about storage", async () => {
    const outcome = await add("/both");
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
    expect(outcome.reason).not.toContain("storage");
    expect(tasks).toContain("Sweep the yard");
  });
});
