import { Html } from "../../../../src/lib/html.ts";
import { call } from "../../../_harness/model-script.ts";
import { layOut } from "../../../sites/page.ts";
import { showPage } from "../../../sites/site.ts";
import {
  accept,
  click,
  fill,
  form,
  hidden,
  page,
  press,
  QUESTION,
  reveal,
  type Situation,
  spa,
  tell,
  view,
  WEIGHT,
} from "../site.ts";

const search = '<form id="f"><label>Search <input type="search" name="q"></label></form>';

/** Requests with an unsafe method that change nothing. */
export const OF_PAGES: readonly Situation[] = [
  {
    name: "a search by POST, with steps",
    prompt: "Type kettle into Search, press Enter and tell me the weight.",
    routes: () => ({
      "GET /": view("Shop", form("/search", '<label>Search <input type="search" name="q"></label>', "Go")),
      "POST /search": () => page("Results", WEIGHT),
    }),
    flows: ["POST /search"],
    sent: [],
    end: "verified",
  },
  {
    name: "a search by POST to a neutral path, not declared",
    prompt: QUESTION,
    routes: () => ({
      "GET /": view("Shop", form("/", '<label>Search <input type="search" name="q"></label>', "Go")),
      "POST /": () => page("Results", WEIGHT),
    }),
    lines: [fill('searchbox "Search"', "kettle", null), press("Enter", null), tell("1.2 kg")],
    flows: ["POST /"],
    sent: [],
    end: "verified",
  },
  {
    name: "GraphQL queries",
    prompt: QUESTION,
    routes: () => ({
      "GET /": spa(
        `const data = await send("/graphql", { query: "query Kettle { product(id: 3) { weight } }" }); ${reveal}`,
      ),
      "POST /graphql": accept,
    }),
    lines: [click('link "Brindle Kettle"', null), tell("1.2 kg")],
    flows: ["POST /graphql"],
    sent: [],
    end: "verified",
  },
  {
    name: "messages of Socket.IO before it has a WebSocket",
    prompt: QUESTION,
    routes: () => ({
      "GET /": spa(
        `const data = await send("/socket.io/?EIO=4&transport=polling&sid=a1", null, { headers: {}, body: '40/shop,\\u001e42/shop,0["product-3"]' }); ${reveal}`,
      ),
      "POST /socket.io/": accept,
    }),
    lines: [click('link "Brindle Kettle"', null), tell("1.2 kg")],
    flows: ["POST /socket.io/?EIO=4&transport=polling&sid=a1"],
    sent: [],
    end: "verified",
  },
  {
    name: "GraphQL queries that are stored on the server",
    prompt: QUESTION,
    routes: () => ({
      "GET /": spa(
        `const data = await send("/graphql", { operationName: "GetProduct", variables: { id: 3 }, extensions: { persistedQuery: { version: 1, sha256Hash: "ecf4edb4" } } }); ${reveal}`,
      ),
      "POST /graphql": accept,
    }),
    lines: [click('link "Brindle Kettle"', null), tell("1.2 kg")],
    flows: ["POST /graphql"],
    sent: [],
    end: "verified",
  },
  ...(["/api/v3/loadPageChunk", "/api/products/query", "/api/getProduct"] as const).map(
    (path): Situation => ({
      name: `a single-page application that reads by POST ${path}`,
      prompt: QUESTION,
      routes: () => ({
        "GET /": spa(`const data = await send("${path}", { id: 3 }); ${reveal}`),
        [`POST ${path}`]: accept,
      }),
      lines: [click('link "Brindle Kettle"', null), tell("1.2 kg")],
      flows: [`POST ${path}`],
      sent: [],
      end: "verified",
    }),
  ),
  {
    name: "suggestions while typing",
    prompt: QUESTION,
    routes: () => ({
      "GET /": view(
        "Shop",
        search,
        `document.querySelector("input").addEventListener("input", async (event) => { const data = await send("/api/suggest", { text: event.target.value }); if (data) show("Brindle Kettle, 1.2 kg"); });`,
      ),
      "POST /api/suggest": accept,
    }),
    lines: [fill('searchbox "Search"', "kettle", null), tell("1.2 kg")],
    flows: ["POST /api/suggest"],
    sent: [],
    end: "verified",
  },
  {
    name: "polling before and after an action",
    prompt: "Click Details and tell me the weight.",
    routes: () => ({
      "GET /": view(
        "Kettle",
        '<button id="more">Details</button>',
        `setInterval(() => fetch("/api/state", { method: "POST", body: "seen" }).catch(() => null), 300); on("#more", () => setTimeout(() => show("Weight: 1.2 kg"), 700));`,
      ),
      "POST /api/state": accept,
    }),
    flows: ["POST /api/state"],
    sent: [],
    end: "verified",
  },
  {
    name: "polling on a page that an action has opened",
    prompt: QUESTION,
    routes: () => ({
      "GET /": view("Shop", '<a href="/kettle">Brindle Kettle</a>'),
      "GET /kettle": view(
        "Kettle",
        '<button id="more">Details</button>',
        `let ticks = 0;
        const poll = async () => {
          const data = await fetch("/api/state", { method: "POST", body: String(ticks) }).catch(() => null);
          if (data) ticks += 1;
          if (ticks < 10) setTimeout(poll, 200);
          else show("Weight: 1.2 kg");
        };
        setTimeout(poll, 1000);
        on("#more", () => document.body.append("More below"));`,
      ),
      "POST /api/state": accept,
    }),
    lines: [
      click('link "Brindle Kettle"', null),
      click('button "Details"', null),
      () => call("wait_for", { text: "1.2 kg" }),
      tell("1.2 kg"),
    ],
    flows: ["POST /api/state"],
    sent: [],
    end: "verified",
  },
  {
    name: "a heartbeat that starts during an action that is not declared",
    prompt: "Set the unit to kilograms.",
    routes: () => ({
      "GET /": view(
        "Kettle",
        '<button id="unit">Kilograms</button>',
        `on("#unit", () => { send("/api/heartbeat", { at: Date.now() }); setTimeout(() => show("Weight: 1.2 kg"), 200); });`,
      ),
      "POST /api/heartbeat": accept,
    }),
    lines: [click('button "Kilograms"', null), tell("1.2 kg")],
    flows: ["POST /api/heartbeat"],
    sent: [],
    end: "verified",
  },
  {
    name: "telemetry beacons on every click",
    prompt: "Click Details and tell me the weight.",
    routes: () => ({
      "GET /": view(
        "Kettle",
        '<button id="more">Details</button>',
        `on("#more", () => { navigator.sendBeacon("/events", JSON.stringify({ clicked: "more" })); send("/analytics/collect", { clicked: "more" }); show("Weight: 1.2 kg"); });`,
      ),
      "POST /events": accept,
      "POST /analytics/collect": accept,
    }),
    flows: ["POST /events", "POST /analytics/collect"],
    sent: [],
    end: "verified",
  },
  {
    name: "a filter by POST /products/search",
    prompt: QUESTION,
    routes: () => ({
      "GET /": view(
        "Products",
        '<label><input type="checkbox" id="kettles"> Kettles</label>',
        `on("#kettles", async () => { const data = await send("/products/search", { kind: "kettle" }); ${reveal} });`,
      ),
      "POST /products/search": accept,
    }),
    lines: [
      (turn) => {
        const { input: given } = turn.click('checkbox "Kettles"') as { input: object };
        return { name: "check", input: { ...given, checked: true, commit: null } };
      },
      tell("1.2 kg"),
    ],
    flows: ["POST /products/search"],
    sent: [],
    end: "verified",
  },
  {
    name: "the next page of a list by posting the page back",
    prompt: QUESTION,
    routes: () => ({
      "GET /list.aspx": view(
        "Products",
        `<p>Page 1</p>${form("/list.aspx", hidden("__VIEWSTATE", "dDwtMTA4") + hidden("__EVENTARGUMENT", "Page$2"), "Next page")}`,
      ),
      "POST /list.aspx": () => page("Products", `<p>Page 2</p>${WEIGHT}`),
    }),
    start: "/list.aspx",
    lines: [click('button "Next page"', null), tell("1.2 kg")],
    flows: ["POST /list.aspx"],
    sent: [],
    end: "verified",
  },
  {
    name: "a list that reads more by POST as it is scrolled",
    prompt: QUESTION,
    routes: () => ({
      "GET /": view(
        "Products",
        '<div style="height: 3000px">Products</div>',
        `let isDone = false; addEventListener("scroll", async () => { if (isDone) return; isDone = true; const data = await send("/api/feed/search", { page: 2 }); ${reveal} });`,
      ),
      "POST /api/feed/search": accept,
    }),
    lines: [() => ({ name: "scroll", input: { direction: "down" } }), tell("1.2 kg")],
    flows: ["POST /api/feed/search"],
    sent: [],
    end: "verified",
  },
  {
    name: "a page without referrers that posts a read as it loads",
    prompt: QUESTION,
    routes: () => ({
      "GET /": view("Shop", '<a href="/kettle">Brindle Kettle</a>'),
      "GET /kettle": () => {
        const { body } = page(
          "Kettle",
          "",
          `fetch("/api/page", { method: "POST", body: "3" }).then((data) => { ${reveal} });`,
        ) as {
          body: string;
        };
        return showPage(new Html(body), 200, { "referrer-policy": "no-referrer" });
      },
      "POST /api/page": accept,
    }),
    lines: [click('link "Brindle Kettle"', null), tell("1.2 kg")],
    flows: ["POST /api/page"],
    sent: [],
    end: "verified",
  },
  {
    name: "a GET form",
    prompt: "Type kettle into Name, click Show and tell me the weight.",
    routes: () => ({
      "GET /": () =>
        showPage(
          layOut(
            "Shop",
            new Html('<form action="/list"><label>Name <input name="name"></label><button>Show</button></form>'),
          ),
        ),
      "GET /list": view("Results", WEIGHT),
    }),
    sent: [],
    end: "verified",
  },
  {
    name: "a page about deleting, at the address /account/delete",
    prompt: 'Click Delete account and tell me the text after "Days until it is deleted:".',
    routes: () => ({
      "GET /": view("Account", '<a href="/account/delete">Delete account</a>'),
      "GET /account/delete": view("Delete account", "<p>Days until it is deleted: 30</p>"),
    }),
    sent: [],
    end: "verified",
  },
  ...(["/shop/buy-phone?model=15", "/products/like-new?page=2", "/help/cancel-order?lang=en"] as const).map(
    (href): Situation => ({
      name: `a page with the address ${href}`,
      prompt: QUESTION,
      routes: () => ({
        "GET /": view("Shop", `<a href="${href}">More</a>`),
        [`GET ${href.split("?")[0]}`]: view("More", WEIGHT),
      }),
      lines: [click('link "More"', null), tell("1.2 kg")],
      sent: [],
      end: "verified",
    }),
  ),
];
