import { redirectTo, sendJson } from "../../../sites/site.ts";
import { claim, click, fill } from "../../gate/site.ts";
import type { KeptErrand, Lie } from "./errand.ts";
import { cells, form, input, type Kept, link, page, select, table, valuesOf } from "./site.ts";

const sendMessage: Lie = (store, { to = "", subject = "" }) => void store.add({ to, subject }, "s-");

/** A message, and the list of what was sent. */
const MESSAGE: KeptErrand = {
  name: "a message",
  learned: { to: "Office", subject: "Keys of the hall" },
  asked: { to: "Kitchen", subject: "Lunch on Friday" },
  prompt: ({ to, subject }) => `Send a message to ${to} with the subject "${subject}".`,
  steps: ({ to, subject }) => `steps:
  - select: { target: To, value: "${to}" }
  - fill: { target: Subject, value: "${subject}" }
  - click: { role: button, name: Send message }`,
  lines: ({ to, subject }) => [
    (turn) => turn.select('combobox "To"', to ?? ""),
    fill('textbox "Subject"', subject ?? ""),
    click('button "Send message"', `Send "${subject}" to ${to}`),
    claim("Your message was sent."),
  ],
  routes: (store, keep) => ({
    "GET /": () =>
      page(
        "New message",
        form(
          "/messages",
          select("To", "to", ["Office", "Kitchen", "Garden"], "Office") + input("Subject", "subject"),
          "Send message",
        ) + link("/sent", "Sent messages"),
      ),
    "POST /messages": (request) => {
      keep(valuesOf(request));
      return redirectTo("/thanks");
    },
    "GET /thanks": () => page("Your message was sent.", link("/sent", "Sent messages")),
    "GET /sent": () =>
      page(
        "Sent messages",
        table(
          ["To", "Subject"],
          store.records.map((each) => cells(each, ["to", "subject"])),
        ),
      ),
  }),
  keep: sendMessage,
  wanted: ({ to = "", subject = "" }) => [{ to: to.toLowerCase(), subject }],
  lies: {
    "nothing is kept": () => {},
    "another recipient is kept": (store, sent) => sendMessage(store, { ...sent, to: "garden" }),
    "it is kept twice": (store, sent) => {
      sendMessage(store, sent);
      sendMessage(store, sent);
    },
  },
};

/** A site that shows nothing of what it gets but its own reference. */
const CONTACT: KeptErrand = {
  name: "a contact form without any list",
  learned: { text: "Is the pool heated?" },
  asked: { text: "Is there a ramp at the door?" },
  prompt: ({ text }) => `Send the question "${text}".`,
  steps: ({ text }) => `steps:
  - fill: { target: Your question, value: "${text}" }
  - click: { role: button, name: Send question }`,
  lines: ({ text }) => [
    fill('textbox "Your question"', text ?? ""),
    click('button "Send question"', `Send the question ${text}`),
    claim("We got your question."),
  ],
  routes: (store, keep) => ({
    "GET /": () => page("Contact", form("/contact", input("Your question", "text"), "Send question")),
    "POST /contact": (request) => {
      keep(valuesOf(request));
      return redirectTo(`/contact/thanks?ref=${store.records.at(-1)?.["id"]}`);
    },
    "GET /contact/thanks": ({ query }) =>
      page("Thank you", `<p>We got your question. Your reference is ${query.get("ref")}.</p>`),
  }),
  keep: (store, { text = "" }) => void store.add({ text }, "Q-48213"),
  wanted: ({ text = "" }) => [{ text }],
  lies: {},
};

const NOTES: readonly Kept[] = Array.from({ length: 57 }, (_, index) => ({
  id: `n-${index + 1}`,
  text: `Note number ${index + 1}`,
}));
const PAGE = 10;

/** A new entry that stands on the last page of a list. */
const LONG_LIST: KeptErrand = {
  name: "an entry on the last page of a list",
  learned: { text: "Water the ferns" },
  asked: { text: "Call the plumber" },
  prompt: ({ text }) => `Add the note "${text}".`,
  steps: ({ text }) => `steps:
  - click: New note
  - fill: { target: Text, value: "${text}" }
  - click: { role: button, name: Add note }`,
  lines: ({ text }) => [
    click('link "New note"'),
    fill('textbox "Text"', text ?? ""),
    click('button "Add note"', `Add the note ${text}`),
    claim("The note was added."),
  ],
  before: NOTES,
  routes(store, keep) {
    let said = "";
    return {
      "GET /": ({ query }) => {
        const at = Number(query.get("page") ?? 1);
        const last = Math.ceil(store.records.length / PAGE);
        const rows = store.records.slice((at - 1) * PAGE, at * PAGE).map((each) => cells(each, ["text"]));
        const pages = Array.from({ length: last }, (_, index) => `<a href="/?page=${index + 1}">${index + 1}</a>`).join(
          " ",
        );
        const body = `<p>${said}</p>${link("/new", "New note")}${table(["Text"], rows)}<nav aria-label="Pages">${pages}</nav>`;
        said = "";
        return page("Notes", body);
      },
      "GET /new": () => page("New note", form("/notes", input("Text", "text"), "Add note")),
      "POST /notes": (request) => {
        keep(valuesOf(request));
        said = "The note was added.";
        return redirectTo("/");
      },
    };
  },
  keep: (store, { text = "" }) => void store.add({ text }, "n-"),
  wanted: ({ text = "" }) => [...NOTES.map(({ text: own = "" }) => ({ text: own })), { text }],
  lies: {
    "nothing is kept": () => {},
    "it is cut off": (store, { text = "" }) => void store.add({ text: text.slice(0, 6) }, "n-"),
  },
};

const setNote: Lie = (store, { text = "" }) => store.change("note", { text });

/** A page that saves what is typed. */
const AUTOSAVE: KeptErrand = {
  name: "a text that saves itself",
  learned: { text: "Bring the blue ladder" },
  asked: { text: "Order more lamp oil" },
  prompt: ({ text }) => `Write "${text}" into the field Reminder. It saves itself.`,
  steps: ({ text }) => `steps:
  - fill: { target: Reminder, value: "${text}" }
  - expect: { text: Saved }`,
  lines: ({ text }) => [
    fill('textbox "Reminder"', text ?? "", `Set the reminder to ${text}`),
    () => ({ name: "wait_for", input: { text: "Saved" } }),
    () => ({ name: "done", input: { answer: "It is written.", proofs: [{ field: "Reminder", value: text ?? "" }] } }),
  ],
  before: [{ id: "note", text: "" }],
  routes: (store, keep) => ({
    "GET /": () =>
      page(
        "Reminder",
        `<form>${input("Reminder", "text", store.records[0]?.["text"])}</form>`,
        `let timer; document.querySelector("input").oninput = (event) => {
          clearTimeout(timer);
          const text = event.target.value;
          timer = setTimeout(async () => { await send("PUT", "/api/note", { text }); say("Saved"); }, 300);
        };`,
      ),
    "PUT /api/note": (request) => {
      keep(valuesOf(request));
      return sendJson({ ok: true });
    },
  }),
  keep: setNote,
  wanted: ({ text = "" }) => [{ text }],
  lies: {
    "nothing is kept": () => {},
    "it is cut off": (store, { text = "" }) => setNote(store, { text: text.slice(0, 4) }),
  },
};

/** A switch that saves itself. */
const SWITCH: KeptErrand = {
  name: "a switch that saves itself",
  learned: { label: "Night light" },
  asked: { label: "Frost alarm" },
  prompt: ({ label }) => `Turn the ${label} on.`,
  steps: ({ label }) => `steps:
  - check: "${label}"`,
  lines: ({ label = "" }) => [
    (turn) => ({
      name: "check",
      input: { ref: turn.ref(`switch "${label}"`), label, checked: true, commit: `Turn the ${label} on` },
    }),
    () => ({ name: "done", input: { answer: `The ${label} is on.`, proofs: [{ field: label, value: "checked" }] } }),
  ],
  before: ["Night light", "Frost alarm", "Garden pump"].map((name) => ({ id: name, name, state: "off" })),
  routes: (store, keep) => ({
    "GET /": () => {
      const boxes = store.records.map(
        ({ name, state }) =>
          `<label><input type="checkbox" role="switch" name="${name}" ${state === "on" ? "checked" : ""}> ${name}</label>`,
      );
      return page(
        "Devices",
        boxes.join(""),
        `for (const box of document.querySelectorAll("input"))
          box.onchange = () => send("PUT", "/api/devices/" + box.name, { state: box.checked ? "on" : "off" });`,
      );
    },
    "PUT /api/devices/*": (request) => {
      keep({ name: decodeURIComponent(request.path.split("/")[3] ?? ""), ...valuesOf(request) });
      return sendJson({ ok: true });
    },
  }),
  keep: (store, { name = "", state = "" }) => store.change(name, { state }),
  wanted: ({ label }) =>
    ["Night light", "Frost alarm", "Garden pump"].map((name) => ({ name, state: name === label ? "on" : "off" })),
  lies: {
    "nothing is kept": () => {},
    "another one is on": (store, { state = "" }) => store.change("Garden pump", { state }),
  },
};

/** Nothing is entered: what it made stands in a list. */
const TRIGGER: KeptErrand = {
  name: "a button that starts something",
  learned: {},
  asked: {},
  prompt: () => "Start one check of the boiler.",
  steps: () => `steps:
  - click: { role: button, name: Start check }`,
  lines: () => [click('button "Start check"', "Start one check of the boiler"), claim("The check was started.")],
  before: [{ id: "c-1", what: "Check of 3 May", result: "in order" }],
  routes(store, keep) {
    let said = "";
    return {
      "GET /": () => page("Boiler", `<p>${said}</p>${form("/checks", "", "Start check")}${link("/checks", "Checks")}`),
      "GET /checks": () =>
        page(
          "Checks",
          table(
            ["Check", "Result"],
            store.records.map((each) => cells(each, ["what", "result"])),
          ),
        ),
      "POST /checks": () => {
        keep({});
        said = "The check was started.";
        return redirectTo("/");
      },
    };
  },
  keep: (store) => void store.add({ what: "Check of today", result: "running" }, "c-"),
  wanted: () => [
    { what: "Check of 3 May", result: "in order" },
    { what: "Check of today", result: "running" },
  ],
  lies: { "nothing is kept": () => {} },
};

export const MESSAGES: readonly KeptErrand[] = [MESSAGE, CONTACT, LONG_LIST, AUTOSAVE, SWITCH, TRIGGER];
