import { call, done, type Line } from "../../../_harness/model-script.ts";
import {
  accept,
  claim,
  click,
  fill,
  giveUp,
  input,
  ok,
  page,
  QUESTION,
  type Situation,
  tell,
  WEIGHT,
} from "../site.ts";

const waitFor =
  (text: string): Line =>
  () =>
    call("wait_for", { text });

/** A list whose page numbers are remembered by the site a moment after they are clicked. */
const list = (method: string, path: string) => () => {
  let name = "Larch";
  const numbers = [2, 3, 4, 5, 6, 7, 8].map((number) => `<button class="page">${number}</button>`).join("");
  return {
    "GET /": () =>
      page(
        "Trees",
        `<p>Tree: ${name}</p>${WEIGHT}${numbers}${input("New name", "name")}<button id="save">Save</button>`,
        `for (const each of document.querySelectorAll(".page")) each.addEventListener("click", () => {
          setTimeout(() => { send("${path}", { page: each.textContent }, { method: "${method}" }); show("Remembered " + each.textContent); }, 1300);
        });
        on("#save", async () => { if (await send("/api/trees/3", { name: document.querySelector("input").value }, { method: "PATCH" })) location.reload(); });`,
      ),
    [`${method} ${path}`]: accept,
    "PATCH /api/trees/3": ({ body }: { body: string }) => {
      name = JSON.parse(body).name;
      return ok();
    },
  };
};

const turnTo = (number: number): Line[] => [click(`button "${number}"`, null), waitFor(`Remembered ${number}`)];

/** A supplier that is saved by a button of any name. */
const supplier =
  (button: string, method = "POST") =>
  () => {
    let name = "";
    return {
      "GET /": () =>
        page(
          "Suppliers",
          `${WEIGHT}<p>Last: ${name}</p>${input("Name", "name")}<button id="save">${button}</button>`,
          `on("#save", async () => { if (await send("/items/suppliers", { name: document.querySelector("input").value }, { method: "${method}" })) location.reload(); });`,
        ),
      [`${method} /items/suppliers`]: ({ body }: { body: string }) => {
        name = JSON.parse(body).name;
        return ok();
      },
    };
  };

/** What pages send a moment after the action, and saves whose buttons are named like a search. */
export const DELAYED: readonly Situation[] = [
  {
    name: "a save by the icon check, in a question",
    prompt: QUESTION,
    routes: supplier("check"),
    lines: [fill('textbox "Name"', "Fjord Trading", null), click('button "check"', null), tell("1.2 kg")],
    sent: [],
    end: "verified",
  },
  {
    name: "a save by the icon check that is not declared",
    prompt: "Create the supplier Fjord Trading.",
    routes: supplier("check"),
    lines: [fill('textbox "Name"', "Fjord Trading", null), click('button "check"', null), giveUp],
    sent: [],
    end: "failed",
  },
  {
    name: "a save by the icon check that is declared",
    prompt: "Create the supplier Fjord Trading.",
    routes: supplier("check"),
    lines: [
      fill('textbox "Name"', "Fjord Trading", null),
      click('button "check"', "Create the supplier Fjord Trading"),
      claim("Last: Fjord Trading"),
    ],
    sent: ["POST /items/suppliers"],
    end: "verified",
  },
  {
    name: "a change by PATCH under the name of a search",
    prompt: QUESTION,
    routes: supplier("Find", "PATCH"),
    lines: [fill('textbox "Name"', "Fjord Trading", null), click('button "Find"', null), tell("1.2 kg")],
    sent: [],
    end: "verified",
  },
  {
    name: "a view that is remembered after each click, in a question",
    prompt: QUESTION,
    routes: list("POST", "/presets"),
    lines: [...[2, 3, 4, 5, 6, 7, 8].flatMap(turnTo), tell("1.2 kg")],
    sent: [],
    end: "verified",
  },
  {
    name: "a view that is remembered while the page is scrolled, in a question",
    prompt: QUESTION,
    routes: list("PATCH", "/presets/1"),
    lines: [
      click('button "2"', null),
      () => ({ name: "scroll", input: { direction: "down" } }),
      waitFor("Remembered 2"),
      tell("1.2 kg"),
    ],
    sent: [],
    end: "verified",
  },
  {
    name: "a view that is remembered besides a change",
    prompt: "Rename the tree Larch to Oak.",
    routes: list("PATCH", "/presets/1"),
    lines: [
      ...turnTo(2),
      fill('textbox "New name"', "Oak", null),
      click('button "Save"', "Rename the tree Larch to Oak"),
      claim("Tree: Oak"),
    ],
    sent: ["PATCH /api/trees/3"],
    end: "verified",
  },
  {
    name: "a text that is saved a moment after it was typed",
    prompt: "Write the note Water the ferns.",
    routes: () => {
      let note = "";
      return {
        "GET /": () =>
          page(
            "Note",
            `<label>Note <textarea name="text">${note}</textarea></label><button id="more">Statistics</button>`,
            `on("#more", () => setTimeout(async () => { if (await send("/api/notes/5", { text: document.querySelector("textarea").value }, { method: "PATCH" })) show("Kept"); }, 1300));`,
          ),
        "PATCH /api/notes/5": ({ body }: { body: string }) => {
          note = JSON.parse(body).text;
          return ok();
        },
      };
    },
    lines: [
      fill('textbox "Note"', "Water the ferns", null),
      click('button "Statistics"', null),
      waitFor("Kept"),
      () => done("The note was written.", { proofs: [{ field: "Note", value: "Water the ferns" }] }),
    ],
    flows: ["PATCH /api/notes/5"],
    sent: [],
    end: "verified",
  },
];
