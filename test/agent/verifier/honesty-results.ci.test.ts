import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Html, html } from "../../../src/lib/html.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { layOut } from "../../sites/page.ts";
import { RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";
import { type Route, sendJson, showPage } from "../../sites/site.ts";

// Sites that answer with status 200 and a kind word, and have done nothing.

let tasks: string[];
let isReserved: boolean;

const show = (title: string, body: Html) => showPage(layOut(title, body));
const JSON_TYPE = `headers: { "content-type": "application/json" }`;

/** A list, and a form for a new entry that says at once that it was made. */
const list = () =>
  show(
    "Tasks",
    html`<h1>Tasks</h1><ul>${tasks.map((task) => html`<li>${task}</li>`)}</ul>
      <label>Title <input id="title"></label><button id="make">Create task</button><p role="status" id="said"></p>
      ${new Html(`<script>make.onclick = async () => {
        await fetch(location.pathname, { method: "POST", ${JSON_TYPE}, body: JSON.stringify({ title: title.value }) });
        title.value = "";
        said.textContent = "Task created";
      };</script>`)}`,
  );

const book = (path: string) =>
  show(
    "The Glass Stone",
    html`<h1>The Glass Stone</h1><form method="post" action="${path}"><label>Branch <select name="branch">
      <option>Central</option><option>Eastgate</option></select></label><button>Reserve</button></form>`,
  );

/** A page that believes its own storage. */
const hours = (path: string) =>
  show(
    "Quiet hours",
    html`<h1>Quiet hours</h1><form id="form"><label>From <input name="from" value="22:00"></label>
      <button>Update quiet hours</button></form><p role="status" id="said"></p>
      ${new Html(`<script>
        if (localStorage.from) form.from.value = localStorage.from;
        form.onsubmit = async (event) => {
          event.preventDefault();
          await fetch("${path}", { method: "PUT", ${JSON_TYPE}, body: JSON.stringify({ from: form.from.value }) });
          localStorage.from = form.from.value;
          said.textContent = "Quiet hours updated";
        };
      </script>`)}`,
  );

const routes: Record<string, Route> = {
  "GET /queued": list,
  "POST /queued": () => sendJson({ outcome: "queued for moderation" }),
  "GET /tasks": list,
  "POST /tasks": ({ body }) => {
    tasks.push(JSON.parse(body).title);
    return sendJson({ outcome: "made" });
  },
  "GET /full": () => book("/full"),
  "POST /full": () =>
    show(
      "Reservation",
      html`<h1>Your reservation</h1><p>Thank you. You have reached the limit of 0 reservations for The Glass Stone, so
        nothing has been reserved.</p>`,
    ),
  "GET /free": () => book("/free"),
  "POST /free": () => {
    isReserved = true;
    return show("Reservation", html`<h1>Your reservation</h1><p>The Glass Stone has been reserved at Eastgate.</p>`);
  },
  "GET /hours": () => hours("/hours"),
  "PUT /hours": () => sendJson({ code: 4003, message: "Your plan does not include quiet hours" }),
};

let agent: TestAgent;
let url: string;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  const site = { routes, state: null };
  url = stack.use(await serveSite(site, { name: "results", host: "127.0.0.1", log: new RequestLog() })).url;
  return () => stack.disposeAsync();
});
beforeEach(() => {
  tasks = ["Water the ferns", "Sweep the yard"];
  isReserved = false;
});

const run = async (prompt: string, path: string) => (await agent.run({ prompt, startUrl: url + path })).outcome;
const CREATE = `Enter "Paint the garden fence" in Title and click Create task.`;
const RESERVE = "Select Eastgate in Branch and click Reserve.";

describe("is no success:", () => {
  test("an entry that the list does not have when it is read again", async () => {
    const outcome = await run(CREATE, "/queued");
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(outcome.reason).toContain("Paint the garden fence");
  });

  test("a reservation that the site thanks for and does not make", async () => {
    const outcome = await run(RESERVE, "/full");
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("nothing has been reserved") });
  });

  test("a setting that only the browser keeps, after the site responded with an error code", async () => {
    const outcome = await run("Set From to 23:00 and click Update quiet hours.", "/hours");
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining('"code": 4003') });
  });
});

describe("is verified:", () => {
  test("an entry that the list has", async () => {
    expect(await run(CREATE, "/tasks")).toMatchObject({ kind: "verified" });
    expect(tasks).toContain("Paint the garden fence");
  });

  test("a reservation that was made", async () => {
    expect(await run(RESERVE, "/free")).toMatchObject({ kind: "verified" });
    expect(isReserved).toBe(true);
  });
});
