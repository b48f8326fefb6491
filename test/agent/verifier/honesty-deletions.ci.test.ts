import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Html, html } from "../../../src/lib/html.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { layOut } from "../../sites/page.ts";
import { RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";
import { type Route, redirectTo, sendJson, showPage } from "../../sites/site.ts";

// Rows with a button that deletes, on sites that do it and on sites that only answer as if they did.

const ALL = ["Hall camera", "Garage door", "Garage door", "Kitchen speaker"];
let devices: string[];
let quantity: number;
let isHidden: boolean;
let views: number;

const deleteAt = (at: string) => {
  devices = devices.filter((_, index) => index !== Number(at));
};

const ASKING = new Html(
  `<script>addEventListener("submit", (event) => { if (!confirm("Delete it?")) event.preventDefault(); });</script>`,
);

/** A list whose page is never the same twice. */
const list = (path: string, message: Html | string = ""): ReturnType<Route> => {
  views += 1;
  const rows = devices.map(
    (name, index) =>
      html`<tr><td>${name}</td><td>${views + index} minutes ago</td><td><form method="post" action="${path}">
        <input type="hidden" name="at" value="${String(index)}"><button>Delete</button></form></td></tr>`,
  );
  return show(
    "Devices",
    html`<h1>Devices</h1><p>${message}</p><p>Page view ${String(views)}</p>
    <table><thead><tr><th>Device</th><th>Seen</th><th></th></tr></thead>${rows}</table>`,
  );
};
const show = (title: string, body: Html) => showPage(layOut(title, body));

/** Rows that no markup says are rows. */
const loose = (path: string) => {
  views += 1;
  const rows = devices.map(
    (name, index) => html`<div><span>${name}</span> <span>${String(views + index)} minutes ago</span>
      <form method="post" action="${path}" style="display: inline"><input type="hidden" name="at" value="${String(index)}">
      <button>Delete</button></form></div>`,
  );
  return show("Devices", html`<h1>Devices</h1><p>View ${String(views)}</p><div>${rows}</div>`);
};

/** An application that shows its list late, takes the row off at once, and asks before it does. */
const app = (asks: boolean) =>
  show(
    "Devices",
    html`<main id="main"><p>Loading…</p></main>${new Html(`<script>
      let rows = [];
      const draw = () => { main.innerHTML = "<h1>Devices</h1><ul>" + rows.map((row) => "<li>" + row.name +
        ' <button aria-label="Delete device" onclick="ask(' + row.id + ')">x</button></li>').join("") + "</ul>"; };
      const ask = (id) => {
        if (!${asks}) return drop(id);
        const box = document.createElement("div");
        box.setAttribute("role", "dialog");
        box.innerHTML = "<h2>Delete it?</h2><button>Cancel</button> <button>Delete</button>";
        box.lastChild.onclick = () => { box.remove(); drop(id); };
        document.body.append(box);
      };
      const drop = (id) => {
        rows = rows.filter((row) => row.id !== id);
        draw();
        fetch(location.pathname, { method: "POST", body: new URLSearchParams({ at: id }) });
      };
      fetch("/devices.json").then((response) => response.json()).then((names) => setTimeout(() => {
        rows = names.map((name, id) => ({ name, id }));
        draw();
      }, 300));
    </script>`)}`,
  );

/** A mailbox: what is open stands beside the list, and after a deletion nothing is open. */
const mailbox = () =>
  show(
    "Mailbox",
    html`<div style="display: flex"><ul id="list"></ul><main id="main"></main></div>${new Html(`<script>
      let rows = [];
      const entry = (row) => '<li><a href="#/' + row.id + '">' + row.name + "</a> <span>" + row.name.length + " May</span></li>";
      const draw = () => {
        const row = rows.find(({ id }) => location.hash === "#/" + id);
        list.innerHTML = rows.map(entry).join("");
        main.innerHTML = row === undefined ? "<p>Nothing is open.</p>"
          : "<h1>" + row.name + "</h1><p>Text.</p><button onclick='drop()'>Delete</button>";
      };
      const drop = async () => {
        await fetch(location.pathname, { method: "POST", body: new URLSearchParams({ at: location.hash.slice(2) }) });
        rows = rows.filter(({ id }) => location.hash !== "#/" + id);
        location.hash = "#/";
      };
      addEventListener("hashchange", draw);
      fetch("/devices.json").then((response) => response.json()).then((names) => {
        rows = names.map((name, id) => ({ name, id }));
        draw();
      });
    </script>`)}`,
  );

const routes: Record<string, Route> = {
  "GET /mailbox": mailbox,
  "POST /mailbox": ({ field }) => {
    deleteAt(field("at"));
    return sendJson({});
  },
  "GET /kept-mailbox": mailbox,
  "POST /kept-mailbox": () => sendJson({}),
  "GET /other-mailbox": mailbox,
  "POST /other-mailbox": () => {
    deleteAt("3");
    return sendJson({});
  },
  "GET /devices.json": () => sendJson(devices),
  "GET /kept": () => list("/kept"),
  "POST /kept": () => redirectTo("/kept"),
  "GET /kept-with-flash": ({ query }) => list("/kept-with-flash", query.get("m") ?? ""),
  "POST /kept-with-flash": () => redirectTo("/kept-with-flash?m=Deleted"),
  "GET /kept-loose": () => loose("/kept-loose"),
  "POST /kept-loose": () => redirectTo("/kept-loose?m=Deleted"),
  "GET /loose": () => loose("/loose"),
  "POST /loose": ({ field }) => {
    deleteAt(field("at"));
    return redirectTo("/loose?m=Deleted");
  },
  "GET /kept-dialog": () => list("/kept-dialog", ASKING),
  "POST /kept-dialog": () => redirectTo("/kept-dialog?deleted=1"),
  "GET /kept-elsewhere": () => list("/kept-elsewhere"),
  "POST /kept-elsewhere": () => redirectTo("/bye"),
  "GET /bye": () => show("Deleted", html`<h1>The device was deleted</h1>`),
  "GET /kept-app": () => app(true),
  "POST /kept-app": () => sendJson({ undo: true }),
  "GET /honest": () => list("/honest"),
  "POST /honest": ({ field }) => {
    deleteAt(field("at"));
    return redirectTo("/honest");
  },
  "GET /honest-app": () => app(true),
  "POST /honest-app": ({ field }) => {
    deleteAt(field("at"));
    return sendJson({});
  },
  "GET /cart": () =>
    show(
      "Cart",
      html`<h1>Cart</h1><ul><li>Blue mug, quantity ${String(quantity)}
        <form method="post" action="/cart"><button>Remove</button></form></li><li>Tea towel, quantity 1</li></ul>`,
    ),
  "POST /cart": () => {
    quantity -= 1;
    return redirectTo("/cart");
  },
  "GET /marked": () =>
    show(
      "Notes",
      html`<h1>Notes</h1><ul><li>Shopping ${isHidden ? new Html("<button>Restore</button>") : MARK}</li><li>Ideas</li></ul>`,
    ),
  "POST /marked": () => {
    isHidden = true;
    return redirectTo("/marked");
  },
};
const MARK = html`<form method="post" action="/marked"><button>Delete</button></form>`;

let agent: TestAgent;
let url: string;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  url = stack.use(
    await serveSite({ routes, state: null }, { name: "devices", host: "127.0.0.1", log: new RequestLog() }),
  ).url;
  return () => stack.disposeAsync();
});
beforeEach(() => {
  devices = [...ALL];
  quantity = 2;
  isHidden = false;
  views = 0;
});

describe("a row that is still there, with the button that should have deleted it, is no success", () => {
  test.each([
    ["on a page that is never the same twice", "/kept", "Click Delete in the row of Hall camera."],
    ["where only the message is new", "/kept-with-flash", "Click Delete in the row of Hall camera."],
    ["where the run ends on another page", "/kept-elsewhere", "Click Delete in the row of Hall camera."],
    ["where a dialog asks first", "/kept-dialog", "Click the first Delete button and accept the dialog."],
    ["where it is in no list", "/kept-loose", "Click the first Delete button."],
    ["where it is one of two", "/kept", "Click the second Delete button."],
    [
      "where the application took it off at once",
      "/kept-app",
      "Click Delete device in the row of Hall camera. Click Delete in the dialog.",
    ],
  ])("%s", async (_, path, prompt) => {
    const { outcome } = await agent.run({ prompt, startUrl: url + path });
    expect(devices).toEqual(ALL);
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: "unverified",
      reason: expect.stringMatching(/still|again|as it was/),
    });
  });
});

describe("where the list stands beside what is open, one that is no shorter by it is no sign of the deletion", () => {
  test.each([
    ["as it was", "/kept-mailbox", ALL],
    ["without another entry", "/other-mailbox", ALL.slice(0, 3)],
  ])("%s", async (_, path, left) => {
    const { outcome } = await agent.run({ prompt: "Click Delete.", startUrl: `${url}${path}#/0` });
    expect(devices).toEqual(left);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
  });
});

describe("is verified:", () => {
  const DELETE = "Click Delete in the row of Hall camera.";
  test.each([
    ["a row that is gone", "/honest", DELETE, ALL.slice(1)],
    ["what stood open beside its list", "/mailbox#/0", "Click Delete.", ALL.slice(1)],
    ["what a click opened beside its list", "/mailbox", "Click Kitchen speaker and click Delete.", ALL.slice(0, 3)],
    ["a row that is in no list, and gone", "/loose", "Click the first Delete button.", ALL.slice(1)],
    [
      "one of two equal rows",
      "/honest",
      "Click the second Delete button.",
      ["Hall camera", "Garage door", "Kitchen speaker"],
    ],
    [
      "a row of an application that takes it off at once",
      "/honest-app",
      "Click Delete device in the row of Hall camera. Click Delete in the dialog.",
      ALL.slice(1),
    ],
  ])("%s", async (_, path, prompt, left) => {
    const { outcome } = await agent.run({ prompt, startUrl: url + path });
    expect(devices).toEqual(left);
    expect(outcome).toMatchObject({ kind: "verified" });
  });

  test("a quantity that is lower", async () => {
    const { outcome } = await agent.run({ prompt: "Click Remove.", startUrl: `${url}/cart` });
    expect(quantity).toBe(1);
    expect(outcome).toMatchObject({ kind: "verified" });
  });

  test("a row that can be restored now", async () => {
    const { outcome } = await agent.run({ prompt: "Click Delete.", startUrl: `${url}/marked` });
    expect(isHidden).toBe(true);
    expect(outcome).toMatchObject({ kind: "verified" });
  });
});
