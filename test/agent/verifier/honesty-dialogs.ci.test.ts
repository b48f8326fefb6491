import { beforeEach, describe, expect, test } from "vitest";
import { Html, html } from "../../../src/lib/html.ts";
import { useDoubtfulRunsOn } from "../../_harness/doubtful-runs.ts";
import type { Deed } from "../../_harness/storyteller.ts";
import { layOut } from "../../sites/page.ts";
import { type Route, sendJson, showPage } from "../../sites/site.ts";

// What was changed in a dialog or behind a tab is closed when the page is loaded again, and a notice says that it was saved.

let limit: string;
let rules: string[];
/** Whether the server keeps what it says it has kept. */
let keeps: boolean;

const RULES = () => new Html(`<ul>${rules.map((rule) => `<li>${rule}</li>`).join("")}</ul>`);

const settings = (more: Html) =>
  showPage(
    layOut(
      "Transfers",
      html`<h1>Transfers</h1>${RULES()}<p role="status" id="said"></p><div id="state" hidden><p>Error:</p><p>None</p></div>${more}
        ${new Html(`<script>
          window.saving = async (path, value, done) => {
            await fetch(path, { method: "PATCH", body: value });
            done.close?.();
            said.textContent = "Successfully saved settings.";
            state.hidden = false;
          };
        </script>`)}`,
    ),
  );

const DIALOG = () =>
  html`<button id="open">Settings</button><dialog id="dialog"><label>Speed limit <input id="limit" value="${limit}"></label>
    <button id="save">Save settings</button></dialog>
    ${new Html(`<script>
      document.querySelector("#open").onclick = () => dialog.showModal();
      document.querySelector("#save").onclick = () => window.saving("/api/limit", document.querySelector("#limit").value, dialog);
    </script>`)}`;

const TABS = () =>
  html`<a href="#general">General</a> <a href="#speed" id="speed-tab">Speed</a>
    <section id="panel" hidden><label>Speed limit <input id="limit" value="${limit}"></label>
    <button id="save">Save settings</button></section>
    ${new Html(`<script>
      document.querySelector("#speed-tab").onclick = () => { panel.hidden = false; };
      document.querySelector("#save").onclick = () => window.saving("/api/limit", document.querySelector("#limit").value, {});
    </script>`)}`;

const NEW_RULE = () =>
  html`<button id="fresh">New rule</button><dialog id="dialog"><label>Name <input id="name"></label>
    <label>Priority <select id="priority"><option>Normal</option><option>High</option></select></label>
    <button id="keep">Save</button></dialog>
    ${new Html(`<script>
      fresh.onclick = () => dialog.showModal();
      keep.onclick = async () => {
        await window.saving("/api/rules", document.querySelector("#name").value + ", " + priority.value, dialog);
        location.reload();
      };
    </script>`)}`;

const routes: Record<string, Route> = {
  "PATCH /api/limit": ({ body }) => {
    if (keeps) limit = body;
    return sendJson({});
  },
  "PATCH /api/rules": ({ body }) => {
    rules.push(body);
    return sendJson({});
  },
  "GET /dialog": () => settings(DIALOG()),
  "GET /tabs": () => settings(TABS()),
  "GET /rules": () => settings(NEW_RULE()),
};

const run = useDoubtfulRunsOn("dialogs", { routes, state: null });
beforeEach(() => {
  limit = "100";
  rules = [];
  keeps = true;
});

/** A run that claims what the site's notice says, before a judge that believes everything. */
async function claim(path: string, prompt: string, deeds: Deed[], text = "Successfully saved settings.") {
  const { outcome } = await run({ prompt, path, deeds, texts: [{ path, text }] });
  return outcome;
}

const PROMPT = "Set the speed limit to 30 in the settings.";
const WAYS: [string, string, Deed[]][] = [
  ["in a dialog", "/dialog", [{ click: "Settings" }, { fill: "Speed limit", text: "30" }, { click: "Save settings" }]],
  [
    "behind a tab that is a link",
    "/tabs",
    [{ click: "Speed" }, { fill: "Speed limit", text: "30" }, { click: "Save settings" }],
  ],
];

describe.each(WAYS)("a setting %s", (_where, path, deeds) => {
  test("is not verified if the server says that it has kept it, and has not", async () => {
    keeps = false;
    const outcome = await claim(path, PROMPT, deeds);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(outcome.reason).toContain('holds "100"');
  });

  test("is verified if the server has kept it, although the page says Error: None", async () => {
    const outcome = await claim(path, PROMPT, deeds);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
    expect(limit).toBe("30");
  });
});

test("a form for something new, which starts again with its default, is verified by what it made", async () => {
  const deeds = [
    { click: "New rule" },
    { fill: "Name", text: "Archive" },
    { select: "Priority", option: "High" },
    { click: "Save" },
  ];
  const outcome = await claim("/rules", 'Make a rule called "Archive" with high priority.', deeds, "Archive, High");
  expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  expect(rules).toEqual(["Archive, High"]);
});
