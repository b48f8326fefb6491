import { redirectTo, sendJson } from "../../../sites/site.ts";
import { claim, click, fill } from "../../gate/site.ts";
import type { KeptErrand, Lie } from "./errand.ts";
import { cells, form, input, type Kept, link, page, select, type Transport, table, valuesOf } from "./site.ts";

const PROFILE: Kept = { id: "me", name: "Lena Falk", city: "Ulm", news: "" };
const setProfile: Lie = (store, { name = "", city = "", news = "" }) => store.change("me", { name, city, news });

/** A form that comes with what is stored, by every kind of transport. */
function profileBy(transport: Exclude<Transport, "optimistic">): KeptErrand {
  const submit = {
    redirect: "",
    page: "",
    fetch: `onSubmit(async (sent) => { await send("PUT", "/api/profile", sent); say("Your profile was saved."); });`,
    "whole state": `onSubmit(async (sent) => {
      const state = await fetch("/state").then((response) => response.json());
      await send("PUT", "/state", { ...state, profile: { ...state.profile, ...sent } });
      say("Your profile was saved.");
    });`,
  }[transport];
  return {
    name: `a profile by ${transport}`,
    learned: { name: "Kai Orlo", city: "Trier" },
    asked: { name: "Mia Foss", city: "Bremen" },
    prompt: ({ name, city }) => `Change my name to ${name} and my city to ${city}, and save it.`,
    steps: ({ name, city }) => `steps:
  - fill: { target: Name, value: "${name}" }
  - fill: { target: City, value: "${city}" }
  - check: Newsletter
  - click: { role: button, name: Save profile }`,
    lines: ({ name, city }) => [
      fill('textbox "Name"', name ?? ""),
      fill('textbox "City"', city ?? ""),
      (turn) => ({
        name: "check",
        input: { ref: turn.ref('checkbox "Newsletter"'), label: "Newsletter", checked: true },
      }),
      click('button "Save profile"', `Change the name to ${name} and the city to ${city}`),
      claim("Your profile was saved."),
    ],
    before: [PROFILE],
    routes(store, keep) {
      let said = "";
      const now = () => store.records.find(({ id }) => id === "me") ?? PROFILE;
      const show = () => {
        const { name = "", city = "", news = "" } = now();
        const box = `<label><input type="checkbox" name="news" value="on" ${news === "" ? "" : "checked"}> Newsletter</label>`;
        const fields = input("Name", "name", name) + input("City", "city", city) + box;
        const body = page("Profile", `<p>${said}</p>${form("/profile", fields, "Save profile")}`, submit);
        said = "";
        return body;
      };
      return {
        "GET /": show,
        "POST /profile": (request) => {
          keep(valuesOf(request));
          said = "Your profile was saved.";
          return transport === "redirect" ? redirectTo("/") : show();
        },
        "PUT /api/profile": (request) => {
          keep(valuesOf(request));
          return sendJson({ ok: true });
        },
        "GET /state": () => sendJson({ version: 7, theme: { dark: true }, profile: now() }),
        "PUT /state": ({ body }) => {
          const { profile } = JSON.parse(body) as { profile: Record<string, string> };
          keep(profile);
          return sendJson({ ok: true });
        },
      };
    },
    keep: setProfile,
    wanted: ({ name = "", city = "" }) => [{ name, city, news: "on" }],
    lies: {
      "nothing is kept": () => {},
      "the name is cut off": (store, sent) => setProfile(store, { ...sent, name: (sent["name"] ?? "").slice(0, 5) }),
      "the city is not kept": (store, sent) => setProfile(store, { ...sent, city: "Ulm" }),
      "the box is not kept": (store, sent) => setProfile(store, { ...sent, news: "" }),
    },
  };
}

const MEMBERS: readonly Kept[] = ["Ada Brandt", "Bo Hansen", "Cleo Marsh", "Dario Pohl"].map((name, index) => ({
  id: `m-${index + 1}`,
  name,
  role: index === 0 ? "owner" : "reader",
}));
const withoutId = ({ id: _id, ...rest }: Kept): Kept => rest;

/** A list with a form for one more. */
function memberBy(transport: "redirect" | "fetch" | "optimistic"): KeptErrand {
  const names = ["name", "role"];
  const script = {
    redirect: "",
    fetch: `onSubmit(async (sent) => { await send("POST", "/api/members", sent); location.reload(); });`,
    optimistic: `onSubmit((sent, form) => {
      const row = document.querySelector("tbody").insertRow();
      for (const text of [sent.name, sent.role]) row.insertCell().textContent = text;
      form.reset();
      say(sent.name + " was added.");
      send("POST", "/api/members", sent);
    });`,
  }[transport];
  const add: Lie = (store, { name = "", role = "" }) => void store.add({ name, role }, "m-");
  return {
    name: `a new member by ${transport}`,
    learned: { name: "Kai Orlo", role: "Editor" },
    asked: { name: "Mia Foss", role: "Editor" },
    prompt: ({ name, role }) => `Add ${name} as a member with the role ${role}.`,
    steps: ({ name, role }) => `steps:
  - fill: { target: Name, value: "${name}" }
  - select: { target: Role, value: "${role}" }
  - click: { role: button, name: Add member }`,
    lines: ({ name, role }) => [
      fill('textbox "Name"', name ?? ""),
      (turn) => turn.select('combobox "Role"', role ?? ""),
      click('button "Add member"', `Add ${name} as ${role}`),
      claim(name ?? ""),
    ],
    before: MEMBERS,
    routes: (store, keep) => ({
      "GET /": () => {
        const rows = store.records.map((record) => cells(record, names));
        const fields = input("Name", "name") + select("Role", "role", ["Reader", "Editor"], "Reader");
        return page("Members", table(["Name", "Role"], rows) + form("/members", fields, "Add member"), script);
      },
      "POST /members": (request) => {
        keep(valuesOf(request));
        return redirectTo("/");
      },
      "POST /api/members": (request) => {
        keep(valuesOf(request));
        return sendJson({ ok: true }, 201);
      },
    }),
    keep: add,
    wanted: ({ name = "", role = "" }) => [...MEMBERS.map(withoutId), { name, role: role.toLowerCase() }],
    lies: {
      "nothing is kept": () => {},
      "another role is kept": (store, sent) => add(store, { ...sent, role: "reader" }),
      "it is kept twice": (store, sent) => {
        add(store, sent);
        add(store, sent);
      },
    },
  };
}

/** A row that goes away. */
function removalBy(transport: "redirect" | "fetch" | "optimistic"): KeptErrand {
  const script =
    transport === "redirect"
      ? ""
      : `for (const button of document.querySelectorAll("button")) button.onclick = async (event) => {
        event.preventDefault();
        const row = button.closest("tr");
        ${transport === "optimistic" ? "row.remove();" : ""}
        await send("DELETE", "/api/members/" + row.id, {});
        ${transport === "fetch" ? "location.reload();" : ""}
      };`;
  return {
    name: `a removal by ${transport}`,
    learned: { name: "Bo Hansen" },
    asked: { name: "Cleo Marsh" },
    prompt: ({ name }) => `Remove the member ${name}.`,
    steps: ({ name }) => `steps:
  - click: { role: button, name: Remove, within: { row: "${name}" } }`,
    lines: ({ name = "" }) => [
      (turn) => {
        const row = turn.page.split("\n").find((line) => line.includes(name) && line.includes("Remove")) ?? "";
        const at = turn.page.indexOf(name);
        const ref = /(e\d+) button "Remove"/.exec(row === "" ? turn.page.slice(at) : row)?.[1];
        return { name: "click", input: { ref, label: "Remove", commit: `Remove the member ${name}` } };
      },
      () => ({ name: "done", input: { answer: `${name} was removed.`, proofs: [{ text: "Members" }] } }),
    ],
    before: MEMBERS,
    routes: (store, keep) => ({
      "GET /": () => {
        const rows = store.records.map(
          (record) =>
            `<tr id="${record["id"]}">${cells(record, ["name", "role"])
              .map((text) => `<td>${text}</td>`)
              .join("")}
             <td><form method="post" action="/members/${record["id"]}/remove"><button>Remove</button></form></td></tr>`,
        );
        const head = "<thead><tr><th>Name</th><th>Role</th><th></th></tr></thead>";
        return page("Members", `<table>${head}<tbody>${rows.join("")}</tbody></table>`, script);
      },
      "POST /members/*": ({ path }) => {
        keep({ id: path.split("/")[2] ?? "" });
        return redirectTo("/");
      },
      "DELETE /api/members/*": ({ path }) => {
        keep({ id: path.split("/")[3] ?? "" });
        return sendJson({ ok: true });
      },
    }),
    keep: (store, { id = "" }) => store.remove(id),
    wanted: ({ name }) => MEMBERS.filter((member) => member["name"] !== name).map(withoutId),
    lies: {
      "it is still there": () => {},
      "another one is gone": (store, { id }) => store.remove(id === "m-4" ? "m-2" : "m-4"),
    },
  };
}

const REQUESTS: readonly Kept[] = ["Ida Brun", "Jon Dahl", "Kim Ek"].map((name, index) => ({
  id: `r-${index + 1}`,
  name,
  state: "pending",
}));

/** Two decisions one after the other, of which the pending list only shows that they were made. */
const DECISIONS: KeptErrand = {
  name: "two decisions",
  learned: { yes: "Kim Ek", no: "Ida Brun" },
  asked: { yes: "Ida Brun", no: "Jon Dahl" },
  prompt: ({ yes, no }) => `Approve the request of ${yes} and reject the request of ${no}.`,
  steps: ({ yes, no }) => `steps:
  - click: { role: button, name: Approve, within: { row: "${yes}" } }
  - click: { role: button, name: Reject, within: { row: "${no}" } }`,
  lines: ({ yes = "", no = "" }) => [
    (turn) => decide(turn.page, yes, "Approve"),
    (turn) => decide(turn.page, no, "Reject"),
    () => ({ name: "done", input: { answer: `${yes} was approved, ${no} rejected.`, proofs: [{ text: "Requests" }] } }),
  ],
  before: REQUESTS,
  routes: (store, keep) => ({
    "GET /": () => {
      const rows = store.records
        .filter(({ state }) => state === "pending")
        .map(({ id = "", name = "" }) => [
          name,
          ...["Approve", "Reject"].map((word) => form(`/requests/${id}/${word.toLowerCase()}`, "", word)),
        ]);
      return page("Requests", table(["Name", "", ""], rows) + link("/decided", "Decided"));
    },
    "GET /decided": () => {
      const rows = store.records
        .filter(({ state }) => state !== "pending")
        .map((record) => cells(record, ["name", "state"]));
      return page("Decided", table(["Name", "Decision"], rows) + link("/", "Requests"));
    },
    "POST /requests/*": ({ path }) => {
      const [, , id = "", word] = path.split("/");
      keep({ id, state: word === "approve" ? "Approved" : "Rejected" });
      return redirectTo("/");
    },
  }),
  keep: (store, { id = "", state = "" }) => store.change(id, { state }),
  wanted: ({ yes, no }) =>
    REQUESTS.map(({ name = "" }) => ({
      name,
      state: name === yes ? "Approved" : name === no ? "Rejected" : "pending",
    })),
  lies: {
    "the first is dropped": (store, { id = "", state = "" }) => {
      if (state === "Rejected") store.change(id, { state });
    },
    "the second is dropped": (store, { id = "", state = "" }) => {
      if (state === "Approved") store.change(id, { state });
    },
    "both are approved": (store, { id = "" }) => store.change(id, { state: "Approved" }),
  },
};

function decide(shown: string, name: string, word: string) {
  const ref = new RegExp(`(e\\d+) button "${word}"`).exec(shown.slice(shown.indexOf(name)))?.[1];
  return { name: "click", input: { ref, label: word, commit: `${word} the request of ${name}` } };
}

export const CHANGES: readonly KeptErrand[] = [
  profileBy("redirect"),
  profileBy("page"),
  profileBy("fetch"),
  profileBy("whole state"),
  memberBy("redirect"),
  memberBy("fetch"),
  memberBy("optimistic"),
  removalBy("redirect"),
  removalBy("fetch"),
  removalBy("optimistic"),
  DECISIONS,
];
