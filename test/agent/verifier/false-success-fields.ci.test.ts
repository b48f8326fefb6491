import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Html, html, Html as Raw } from "../../../src/lib/html.ts";
import { startTestAgent, type TestAgent, type TestRun } from "../../_harness/agent.ts";
import { casesOfTier } from "../../_harness/tier.ts";
import { layOut } from "../../sites/page.ts";
import { RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";
import { redirectTo, type Site, sendJson, showPage } from "../../sites/site.ts";

// Fields of one label, and boxes that save by themselves: the server keeps what it likes and always says that it did.

interface State {
  quantities: Record<string, string>;
  roles: Record<string, string>;
  towns: { billing: string; shipping: string };
  boxes: Record<string, boolean>;
  /** What the server accepts and does not keep. */
  lost: readonly string[];
  /** Where the server puts the town of the shipping address. */
  shippingTo: "billing" | "shipping";
}

const START = (): State => ({
  quantities: { "Blue mug": "1", "Red mug": "2", "Tea towel": "3" },
  roles: { "Ann Lee": "Owner", "Bo Marsh": "Editor", "Cy Hill": "Viewer" },
  towns: { billing: "Leeds", shipping: "Hull" },
  boxes: { editor: false, dark: false, colourful: false, news: false },
  lost: [],
  shippingTo: "shipping",
});

const state = START();
const site: Site<State> = {
  state,
  routes: {
    "GET /basket": () => showPage(layOut("Basket", basket())),
    "POST /basket": ({ body }) => {
      const { item, quantity } = JSON.parse(body);
      if (!state.lost.includes(item)) state.quantities[item] = quantity;
      return sendJson({ basket: 1 });
    },
    "GET /members": () => showPage(layOut("Members", members())),
    "POST /members": ({ body }) => {
      const { name, role } = JSON.parse(body);
      if (!state.lost.includes(name)) state.roles[name] = role;
      return sendJson({ done: 1 });
    },
    "GET /addresses": () => showPage(layOut("Addresses", addresses())),
    "POST /billing": ({ field }) => {
      state.towns.billing = field("town");
      return redirectTo("/addresses?saved=1");
    },
    "POST /shipping": ({ field }) => {
      state.towns[state.shippingTo] = field("town");
      return redirectTo("/addresses?saved=1");
    },
    "GET /labs": () => showPage(layOut("Labs", labs())),
    "POST /labs": ({ body }) => {
      const { name, value } = JSON.parse(body);
      if (!state.lost.includes(name)) state.boxes[name] = value;
      return sendJson({});
    },
    "GET /stock": () => showPage(layOut("Stock", STOCK)),
    "POST /stock/search": ({ body }) => sendJson(JSON.parse(body).isInStock ? ["Red mug"] : ["Red mug", "Blue mug"]),
  },
};

const script = (text: string) => new Raw(`<script>${text}</script>`);
const SEND = `const send = (path, data) => fetch(path, { method: "POST", body: JSON.stringify(data) });
const said = (text) => { document.querySelector("[role=status]").textContent = text; };`;

function basket(): Html {
  const rows = Object.entries(state.quantities).map(
    ([
      item,
      quantity,
    ]) => html`<tr><td>${item}</td><td><input type="number" aria-label="Quantity" value="${quantity}"></td>
      <td><button data-item="${item}">Update</button></td></tr>`,
  );
  return html`<h1>Basket</h1><table><tr><th>Item</th><th>Quantity</th><th></th></tr>${rows}</table><p role="status"></p>
  ${script(`${SEND} for (const button of document.querySelectorAll("button")) button.onclick = async () => {
    await send("/basket", { item: button.dataset.item, quantity: button.closest("tr").querySelector("input").value });
    said("Basket updated");
  };`)}`;
}

function members(): Html {
  const options = (role: string) =>
    ["Owner", "Editor", "Viewer"].map((each) => html`<option ${each === role && new Raw("selected")}>${each}</option>`);
  const rows = Object.entries(state.roles).map(
    ([name, role]) => html`<tr><td>${name}</td><td><select aria-label="Role">${options(role)}</select></td>
      <td><button data-name="${name}">Update</button></td></tr>`,
  );
  return html`<h1>Members</h1><table><tr><th>Name</th><th>Role</th><th></th></tr>${rows}</table><p role="status"></p>
  ${script(`${SEND} for (const button of document.querySelectorAll("button")) button.onclick = async () => {
    await send("/members", { name: button.dataset.name, role: button.closest("tr").querySelector("select").value });
  };`)}`;
}

function addresses(): Html {
  const section = (title: string, path: string, town: string) => html`<section><h2>${title}</h2>
    <form method="post" action="/${path}"><label>Town <input name="town" value="${town}"></label><button>Save</button></form></section>`;
  return html`<h1>Addresses</h1>${section("Billing address", "billing", state.towns.billing)}
    ${section("Shipping address", "shipping", state.towns.shipping)}`;
}

function labs(): Html {
  const checked = (name: string) => state.boxes[name] === true && new Raw("checked");
  return html`<h1>Labs</h1>
  <p><label><input type="checkbox" data-name="editor" ${checked("editor")}> Try the new editor</label></p>
  <p><label><input type="checkbox" data-name="dark" ${checked("dark")}> Dark mode</label></p>
  <p>Theme: <label><input type="radio" name="theme" checked> Plain</label>
    <label><input type="radio" name="theme" data-name="colourful" ${checked("colourful")}> Colourful</label></p>
  <p><span id="news">Product news</span>
    <button role="switch" aria-labelledby="news" aria-checked="${String(state.boxes["news"])}">&nbsp;&nbsp;&nbsp;</button></p>
  <p role="status"></p>
  ${script(`${SEND} for (const box of document.querySelectorAll("input")) box.onchange = async () => {
    await send("/labs", { name: box.dataset.name, value: box.checked });
    said("Saved");
  };
  document.querySelector("[role=switch]").onclick = async ({ currentTarget: button }) => {
    const value = button.ariaChecked !== "true";
    button.ariaChecked = String(value);
    await send("/labs", { name: "news", value });
    said("Saved");
  };`)}`;
}

const STOCK = html`<h1>Stock</h1><p><label><input type="checkbox"> In stock only</label></p><ul></ul>
${script(`${SEND} const box = document.querySelector("input");
const show = async () => {
  const found = await (await send("/stock/search", { isInStock: box.checked })).json();
  document.querySelector("ul").innerHTML = found.map((name) => "<li>" + name + "</li>").join("");
};
box.onchange = show; show();`)}`;

let agent: TestAgent;
let url: string;
beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  url = stack.use(await serveSite(site, { name: "fields", host: "127.0.0.1", log: new RequestLog() })).url;
  return () => stack.disposeAsync();
});
beforeEach(() => void Object.assign(state, START()));

const run = (path: string, prompt: string): Promise<TestRun> => agent.run({ prompt, startUrl: url + path });

const quantityOf = (item: string, quantity: string) =>
  `Type ${quantity} into Quantity in the row of ${item} and click Update in the row of ${item}.`;
const TOWN = "Type Bath into Town in the Shipping address section and click Save in the Shipping address section.";
const ROLE = "Select Viewer in Role in the row of Bo Marsh and click Update in the row of Bo Marsh.";

interface Lost {
  what: string;
  path: string;
  prompt: string;
  lost?: readonly string[];
  shippingTo?: "billing";
}

const LOST: Lost[] = [
  {
    what: "a quantity was lost that another row has",
    path: "/basket",
    prompt: quantityOf("Blue mug", "2"),
    lost: ["Blue mug"],
  },
  { what: "a role was lost that another row has", path: "/members", prompt: ROLE, lost: ["Bo Marsh"] },
  {
    what: "the first of two rows was lost",
    path: "/basket",
    prompt: `${quantityOf("Red mug", "7")} ${quantityOf("Tea towel", "5")}`,
    lost: ["Red mug"],
  },
  { what: "a town was saved in another section", path: "/addresses", prompt: TOWN, shippingTo: "billing" },
  {
    what: "one of two sections was never sent",
    path: "/addresses",
    prompt: `Type York into Town in the Billing address section. ${TOWN}`,
  },
  { what: "a check box was not kept", path: "/labs", prompt: 'Tick "Try the new editor".', lost: ["editor"] },
  {
    what: "a check box was not kept although the page says so",
    path: "/labs",
    prompt: 'Tick "Try the new editor" and check that the page says "Saved".',
    lost: ["editor"],
  },
  { what: "a radio button was not kept", path: "/labs", prompt: "Choose Colourful.", lost: ["colourful"] },
  { what: "a switch was not kept", path: "/labs", prompt: "Turn on Product news.", lost: ["news"] },
];

describe("is no success", () => {
  test.each(casesOfTier(LOST, { ci: 6 }))(
    "when $what",
    async ({ path, prompt, lost = [], shippingTo = "shipping" }) => {
      Object.assign(state, { lost, shippingTo });
      const { outcome } = await run(path, prompt);
      expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
    },
  );
});

describe("is verified", () => {
  test.each([
    ["/basket", quantityOf("Blue mug", "2")],
    ["/basket", `${quantityOf("Red mug", "7")} ${quantityOf("Tea towel", "5")}`],
    ["/members", ROLE],
    ["/addresses", TOWN],
    ["/labs", 'Tick "Try the new editor".'],
    ["/labs", "Choose Colourful."],
    ["/labs", "Turn on Product news."],
    ["/labs", "Turn on Product news and turn off Product news."],
    ["/stock", "Tick In stock only."],
  ])("what was kept: %s %s", async (path, prompt) => {
    const { outcome } = await run(path, prompt);
    expect(outcome, outcome.kind === "failed" ? outcome.reason : "").toMatchObject({ kind: "verified" });
  });
});
