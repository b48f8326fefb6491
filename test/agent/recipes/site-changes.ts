import type { SiteChange } from "../../_harness/changed-site.ts";
import { type FormErrand, fillForms } from "../../_harness/form-model.ts";
import type { Line } from "../../_harness/model-script.ts";
import { createFramesSite } from "../../sites/frames.ts";
import { createLyingSite } from "../../sites/lying.ts";
import type { Site } from "../../sites/site.ts";
import { createWizardSite } from "../../sites/wizard/wizard.ts";
import type { End } from "./shop-change.ts";

/** An errand on a test site: how it is learned, what is asked for next, and how the site may change until then. */
export interface SiteErrand {
  readonly name: string;
  /** Where it starts. */
  readonly path: string;
  readonly create: () => Site<unknown>;
  readonly learned: string;
  readonly asked: string;
  readonly model: (prompt: string) => Line;
  /** Whether the site's own record has just what was asked for; null when it has nothing new. */
  readonly isDone: (state: unknown) => boolean | null;
  readonly changes: readonly (readonly [name: string, change: SiteChange, ends: readonly [End, End]])[];
}

const REPLAYED = ["replayed", "replayed"] as const;
const HEALED = ["failed", "healed"] as const;
const FAILED = ["failed", "failed"] as const;
const NO_CHANGE: SiteChange = {};

const rename = (from: string, to: string): SiteChange => ({ html: (html) => html.replaceAll(from, to) });
/** A request goes to another form of the site. */
const instead = (method: string, from: string, to: string): SiteChange => ({
  send: (request) => (request.method === method && request.path === from ? { url: to } : {}),
});

function read(prompt: string, pattern: RegExp): string {
  return pattern.exec(prompt)?.[1] ?? "";
}

const NAMED: FormErrand["end"] = /Saved!/;

function setName(prompt: string): Line {
  const name = read(prompt, /to (.+)\.$/);
  const errand: FormErrand = {
    entries: [{ field: /display name|nickname/i, value: name }],
    onward: [{ name: /^(?:save|store)/i, commit: `Set the display name to ${name}.` }],
    end: NAMED,
    claim: () => ({ answer: `The display name is ${name}.`, proofs: [{ text: "Your display name has been saved." }] }),
  };
  return fillForms(errand);
}

const SETTINGS: SiteErrand = {
  name: "a setting",
  path: "/honest",
  create: createLyingSite,
  learned: "Change my display name to Robin Example.",
  asked: "Change my display name to Jo Doe.",
  model: setName,
  isDone: (state) => {
    const { honest } = (state as ReturnType<typeof createLyingSite>["state"]).displayNames;
    return honest === "Old name" ? null : honest === "Jo Doe";
  },
  changes: [
    ["nothing", NO_CHANGE, REPLAYED],
    ["the field is renamed", rename("Display name <input", "Nickname <input"), HEALED],
    ["the button is renamed", rename("<button>Save<", "<button>Store<"), HEALED],
    ["the site forgets it", instead("POST", "/honest", "/forgetful"), FAILED],
    ["the site cuts it off", { ...instead("POST", "/honest", "/truncating") }, FAILED],
    ["the site fails and says that it is saved", instead("POST", "/honest", "/error-page"), FAILED],
    [
      "the page only claims to save it",
      rename(
        "</form>",
        `</form><script>document.querySelector("form").onsubmit = (event) => { event.preventDefault(); document.querySelector("h1").textContent = "Saved!"; };</script>`,
      ),
      FAILED,
    ],
    [
      "a second field of the same name",
      rename('<form method="post"', '<form><label>Display name <input></label></form><form method="post"'),
      FAILED,
    ],
  ],
};

function apply(prompt: string): Line {
  const name = read(prompt, /name (.+?), e-mail/);
  const errand: FormErrand = {
    entries: [
      { field: /name/i, value: name },
      { field: /e-?mail/i, value: read(prompt, /e-mail address (\S+),/) },
      { field: /^(?:site|where)/i, value: read(prompt, /site (.+?), start/) },
      { field: /start|begin/i, value: read(prompt, /start date (\S+),/) },
      { field: /grow|plans/i, value: read(prompt, /growing (.+?), small/) },
    ],
    choices: [/^Small/, /garden rules/],
    onward: [
      { name: /^(?:start the|begin)/i, commit: "Start the application." },
      { name: /^(?:continue|next)/i },
      { name: /^(?:submit|send)/i, commit: `Submit the application of ${name}.` },
    ],
    end: /AP-\d{4}-\d{4}/,
    claim: ([number]) => ({
      answer: `The reference number is ${number}.`,
      facts: [{ about: "reference number", value: number, quote: number }],
    }),
  };
  return fillForms(errand);
}

const applicationFor = (name: string, email: string, site: string, date: string, plans: string) =>
  `Apply for a plot: name ${name}, e-mail address ${email}, site ${site}, start date ${date}, growing ${plans}, small. I agree to the garden rules. Tell me the reference number.`;

const WIZARD: SiteErrand = {
  name: "an application",
  path: "/",
  create: createWizardSite,
  learned: applicationFor("Robin Example", "robin@example.com", "Mill Hill", "2026-05-02", "beans on sticks"),
  asked: applicationFor("Jo Doe", "jo@example.org", "Riverside", "2026-06-14", "peas with mint"),
  model: apply,
  isDone: isApplied,
  changes: [
    ["nothing", NO_CHANGE, REPLAYED],
    ["the name is renamed", rename("Full name", "Your name"), HEALED],
    ["the next button is renamed", rename("Continue", "Next"), HEALED],
    ["the last button is renamed", rename("Submit application", "Send it"), HEALED],
    ["the reference has another label", rename("Your reference number is", "We filed this as"), HEALED],
    [
      "the sites are in another order",
      {
        html: (html) =>
          html.replace("<option >Riverside</option>", "").replace("</select>", "<option>Riverside</option></select>"),
      },
      REPLAYED,
    ],
    [
      "a step refuses what was entered",
      { send: ({ path, body }) => (path === "/steps/3" ? { body: body.replace("2026", "2025") } : {}) },
      FAILED,
    ],
    [
      "500 for the last step",
      {
        respond: ({ method, path }) =>
          method === "POST" && path === "/submit" ? { status: 500, body: "<h1>Server error</h1>" } : null,
      },
      FAILED,
    ],
    [
      "the last step leads back to the first",
      {
        respond: ({ method, path }) =>
          method === "POST" && path === "/submit" ? { status: 303, location: "/steps/1" } : null,
      },
      FAILED,
    ],
  ],
};

function isApplied(state: unknown): boolean | null {
  const { submissions } = state as { submissions: { application: Record<string, string> }[] };
  if (submissions.length === 0) return null;
  const [{ application } = { application: {} }] = submissions;
  return (
    submissions.length === 1 &&
    application["name"] === "Jo Doe" &&
    application["email"] === "jo@example.org" &&
    application["site"] === "Riverside" &&
    application["start"] === "2026-06-14" &&
    application["plans"] === "peas with mint" &&
    (application["size"] ?? "").startsWith("Small")
  );
}

function askForCallback(prompt: string): Line {
  const name = read(prompt, /name (.+?), phone/);
  const phone = read(prompt, /phone number (.+?)\.$/);
  return fillForms({
    entries: [
      { field: /name/i, value: name },
      { field: /phone/i, value: phone },
    ],
    onward: [{ name: /^(?:request|call)/i, commit: `Ask for a callback of ${name} at ${phone}.` }],
    end: /Thank you, [^\n]*/,
    claim: ([text]) => ({ answer: "They will call.", proofs: [{ text }] }),
  });
}

const CALLBACK: SiteErrand = {
  name: "a callback",
  path: "/same-origin",
  create: () => createFramesSite("http://127.0.0.1:9"),
  learned: "Ask for a callback: name Robin Example, phone number 0664 1234.",
  asked: "Ask for a callback: name Jo Doe, phone number 0676 9876.",
  model: askForCallback,
  isDone: (state) => {
    const { callbacks } = state as { callbacks: { name: string; phone: string }[] };
    if (callbacks.length === 0) return null;
    return callbacks.length === 1 && callbacks[0]?.name === "Jo Doe" && callbacks[0].phone === "0676 9876";
  },
  changes: [
    ["nothing", NO_CHANGE, REPLAYED],
    ["the button is renamed", rename("Request a callback", "Call me"), HEALED],
    ["the form is in a frame of a frame", instead("GET", "/same-origin", "/nested"), REPLAYED],
  ],
};

export const SITE_ERRANDS: readonly SiteErrand[] = [SETTINGS, WIZARD, CALLBACK];
