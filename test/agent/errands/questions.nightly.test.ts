import { beforeAll, describe, expect, test } from "vitest";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { startLoopbackServer } from "../../_harness/browser.ts";
import { resultOf } from "../../_harness/errands.ts";

const table = (...rows: string[][]) =>
  `<table>${rows.map((row, at) => `<tr>${row.map((cell) => (at === 0 ? `<th>${cell}</th>` : `<td>${cell}</td>`)).join("")}</tr>`).join("")}</table>`;
const pair = (label: string, value: string) => `<div class=pair><span>${label}</span><span>${value}</span></div>`;
const page = (title: string, content: string) => `<!doctype html><meta charset=utf-8><title>${title}</title>
  <style>.pair{display:flex;gap:20px}</style>
  <nav><a href="/issues">Issues</a> <a href="/staff">Directory</a> <a href="/app">App</a> <a href="/settings">Settings</a></nav>
  <main><h1>${title}</h1>${content}</main>`;

/** Elements without any role: what is in the URL behind "#" is shown. */
const APP = `<!doctype html><meta charset=utf-8><title>Harbor</title><style>.pair{display:flex;gap:20px}</style><div id=app></div><script>
  const pair = (label, value) => "<div class=pair><span>" + label + "</span><span>" + value + "</span></div>";
  const boats = [["Northwind", 24, "In repair"], ["Marlin", 12, "Available"], ["Osprey", 8, "Unavailable"]];
  const show = () => {
    app.innerHTML = "<div id=go>Boats</div>" + (location.hash === "#/boats"
      ? boats.map(([name, size, status]) => "<div><div class=title>" + name + "</div>" + pair("Capacity", size) + pair("Status", status) + "</div>").join("")
      : "<div>" + pair("Plan", "Pro") + pair("Trial ends", "30 June 2026") + "</div>");
    go.onclick = () => { location.hash = "#/boats"; };
  };
  onhashchange = show;
  show();
</script>`;

const PAGES: Readonly<Record<string, string>> = {
  "/app": APP,
  "/issues": page(
    "Issues",
    table(
      ["#", "Subject", "Status", "Owner", "Cost"],
      ["12", "Fire", "Open", "Lee Marsh", "€14.95<sup>2</sup>"],
      ["13", "Flood", "Closed", "Ana Torres", "€30.00"],
      ["14", "Frost", "Open", "Kim Lund", "€9.00"],
    ),
  ),
  "/staff": page(
    "Directory",
    table(["Name", "Role"], ["Lee Marsh", "Support lead"], ["Kim Lund", "Engineer"], ["Kim Park", "Designer"]),
  ),
  "/settings": page(
    "Settings",
    `<div role=tablist><button role=tab id=t1 aria-selected=true>General</button><button role=tab id=t2 aria-selected=false>Billing</button></div>
     <div role=tabpanel aria-labelledby=t1 id=p1>${pair("Two-factor", "Disabled")}${pair("Workspace", "Acme")}</div>
     <div role=tabpanel aria-labelledby=t2 id=p2 hidden>${pair("Current plan", "Business")}${pair("Renews on", "1 May 2027")}</div>
     <script>t2.onclick = () => { p1.hidden = true; p2.hidden = false; t1.ariaSelected = "false"; t2.ariaSelected = "true"; };</script>`,
  ),
};

describe("questions as people ask them", () => {
  let agent: TestAgent;
  let url: string;
  beforeAll(async () => {
    agent = await startTestAgent();
    const server = await startLoopbackServer((request, response) => {
      const content = PAGES[(request.url ?? "/").split("?")[0] ?? ""];
      response.writeHead(content === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
      response.end(content ?? "");
    });
    url = server.url;
    return async () => {
      await server[Symbol.asyncDispose]();
      await agent[Symbol.asyncDispose]();
    };
  });

  test.each([
    ["/staff", "Open Issues. How many open tickets are there?", "2"],
    ["/issues", "What is the status of ticket 13?", "Closed"],
    ["/issues", "Who owns ticket 12?", "Lee Marsh"],
    ["/issues", "What's ticket 12's cost?", "€14.95"],
    ["/issues", "Click Directory and tell me Lee Marsh's role.", "Support lead"],
    ["/staff", "Go to Settings > Billing and tell me the current plan.", "Business"],
    ["/settings", "Under Billing, when does it renew?", "1 May 2027"],
    ["/settings", "Is two-factor enabled?", "No: Disabled"],
    ["/app", "When does the trial end?", "30 June 2026"],
    ["/app", "Click Boats. Which boat has the highest capacity?", "Northwind, Capacity: 24"],
    ["/app#/boats", "Is the Marlin available?", "Yes: Available"],
    ["/app#/boats", "What is the Osprey's capacity?", "8"],
  ])("on %s: %s", async (path, prompt, answer) => {
    expect(resultOf(await agent.run({ prompt, startUrl: url + path })).final_text).toBe(answer);
  });

  test.each([
    ["/issues", "How many invoices are there?", "LIST_NOT_FOUND"],
    ["/issues", "How many bugs are there?", "LIST_NOT_FOUND"],
    ["/issues", "Who assigned ticket 12?", "ANSWER_NOT_FOUND"],
    ["/staff", "What is Kim's role?", "AMBIGUOUS"],
    ["/settings", "Is single sign-on enabled?", "ANSWER_NOT_FOUND"],
    ["/app", "When does the contract end?", "ANSWER_NOT_FOUND"],
    ["/app#/boats", "Is the Kestrel available?", "ANSWER_NOT_FOUND"],
    ["/app#/boats", "How many customers are there?", "LIST_NOT_FOUND"],
  ])("what the page does not say is refused, on %s: %s", async (path, prompt, code) => {
    const { outcome } = await agent.run({ prompt, startUrl: url + path });
    expect(outcome).toMatchObject({ kind: "failed", code });
  });
});
