import { call } from "../../../_harness/model-script.ts";
import { redirectTo } from "../../../sites/site.ts";
import { claim, click, fill, form, input, keep, ok, page, type Situation, view } from "../site.ts";

/** A profile whose name can be changed, by any method. */
const profile = (method: string) => () => {
  let name = "Jo";
  return {
    "GET /": () =>
      page(
        "Profile",
        `<p>Name: ${name}</p>${input("New name", "name")}<button id="save">Save</button>`,
        `on("#save", async () => { const data = await send("/api/profile/7", { name: document.querySelector("input").value }, { method: "${method}" }); if (data) location.reload(); });`,
      ),
    [`${method} /api/profile/7`]: ({ body }: { body: string }) => {
      name = JSON.parse(body).name;
      return ok();
    },
  };
};

/** A list from which something can be deleted. */
const trees =
  (word: string, kind: "button" | "link" = "button") =>
  () => {
    const tag = kind === "link" ? 'a href=""' : "button";
    let names = ["Larch", "Elm"];
    return {
      "GET /": () =>
        page(
          "Trees",
          `<ul>${names.map((name) => `<li>${name} <${tag} data-name="${name}">${word} ${name}</${tag.split(" ")[0]}></li>`).join("")}</ul>`,
          `for (const each of document.querySelectorAll("li > *")) each.addEventListener("click", async (event) => { event.preventDefault(); await send("/api/trees/" + each.dataset.name, null, { method: "DELETE" }); location.reload(); });`,
        ),
      "DELETE /api/trees/Larch": () => {
        names = names.filter((name) => name !== "Larch");
        return ok();
      },
    };
  };

/** A note that is kept. */
function notes(saves: "typing" | "button") {
  return () => {
    let note = "";
    const take = (body: string) => {
      note = JSON.parse(body).text;
      return ok();
    };
    const script =
      saves === "typing"
        ? 'document.querySelector("textarea").addEventListener("input", (event) => send("/api/notes/5", { text: event.target.value }));'
        : "";
    return {
      "GET /": () => page("Note", `<label>Note <textarea name="text">${note}</textarea></label>`, script),
      "POST /api/notes/5": ({ body }: { body: string }) => take(body),
    };
  };
}

/** Changes that were asked for. */
export const ASKED: readonly Situation[] = [
  {
    name: "a form of two pages that a model declares",
    prompt: "Register Jo for the walk, with a vegetarian meal.",
    routes: () => ({
      "GET /": view("Walk, page 1", form("/walk/1", input("Name", "name"), "Next")),
      "POST /walk/1": () => redirectTo("/meal"),
      "GET /meal": view("Walk, page 2", form("/walk/2", input("Meal", "meal"), "Register")),
      "POST /walk/2": () => redirectTo("/done"),
      "GET /done": view("Walk", "<p>Jo is registered, meal: vegetarian.</p>"),
    }),
    lines: [
      fill('textbox "Name"', "Jo", null),
      click('button "Next"', "Continue with the name Jo"),
      fill('textbox "Meal"', "vegetarian", null),
      click('button "Register"', "Register Jo for the walk with a vegetarian meal"),
      claim("Jo is registered, meal: vegetarian."),
    ],
    sent: ["POST /walk/1", "POST /walk/2"],
    end: "verified",
  },
  {
    name: "a note that saves itself while it is typed, with steps",
    prompt: 'Type "Water the ferns" into Note. Check that Note is "Water the ferns".',
    routes: notes("typing"),
    flows: ["POST /api/notes/5"],
    sent: [],
    end: "verified",
  },
  {
    name: "a note that saves itself while it is typed, with a model",
    prompt: "Write the note Water the ferns.",
    routes: notes("typing"),
    lines: [
      fill('textbox "Note"', "Water the ferns", null),
      () => call("done", { answer: "The note was written.", proofs: [{ field: "Note", value: "Water the ferns" }] }),
    ],
    flows: ["POST /api/notes/5"],
    sent: [],
    end: "verified",
  },
  {
    name: "a file that was asked for",
    prompt:
      'Upload a file named notes.txt with the text "hello" to Attachment. Click Send. Check that the page says "notes.txt".',
    routes: () => ({
      "GET /": view(
        "Files",
        form(
          "/files",
          '<label>Attachment <input type="file" name="file"></label>',
          "Send",
          'enctype="multipart/form-data"',
        ),
      ),
      "POST /files": () => redirectTo("/files"),
      "GET /files": view("Files", "<ul><li>notes.txt</li></ul>"),
    }),
    sent: ["POST /files"],
    end: "verified",
  },
  ...(["PUT", "PATCH", "POST"] as const).map(
    (method): Situation => ({
      name: `a change by ${method}`,
      prompt: 'Type Kim into New name. Click Save. Check that the page says "Name: Kim".',
      routes: profile(method),
      sent: [`${method} /api/profile/7`],
      end: "verified",
    }),
  ),
  {
    name: "a change by PATCH, with a model",
    prompt: "Change my name to Kim.",
    routes: profile("PATCH"),
    lines: [
      fill('textbox "New name"', "Kim", null),
      click('button "Save"', "Change the name to Kim"),
      claim("Name: Kim"),
    ],
    sent: ["PATCH /api/profile/7"],
    end: "verified",
  },
  {
    name: "a deletion with steps",
    prompt: "Click Delete Larch. Check that the page does not say Larch.",
    routes: trees("Delete"),
    sent: ["DELETE /api/trees/Larch"],
    end: "verified",
  },
  {
    name: "a deletion with steps, by a link to nowhere",
    prompt: "Click Delete Larch. Check that the page does not say Larch.",
    routes: trees("Delete", "link"),
    sent: ["DELETE /api/trees/Larch"],
    end: "verified",
  },
  {
    name: "a deletion with a model",
    prompt: "Delete the tree Larch.",
    routes: trees("Delete"),
    lines: [click('button "Delete Larch"', "Delete the tree Larch"), claim("Elm", "Larch was deleted.")],
    sent: ["DELETE /api/trees/Larch"],
    end: "verified",
  },
  {
    name: "a deletion in German",
    prompt: "Lösche den Baum Larch.",
    routes: trees("Entfernen:"),
    lines: [click('button "Entfernen: Larch"', "Den Baum Larch löschen"), claim("Elm", "Larch wurde gelöscht.")],
    sent: ["DELETE /api/trees/Larch"],
    end: "verified",
  },
  {
    name: "a value that is edited in its place",
    prompt: "Rename the tree Larch to Oak.",
    routes: () => {
      let name = "Larch";
      return {
        "GET /": () =>
          page(
            "Trees",
            `<ul><li>Tree: ${name}</li></ul>${input("Name", "name", name)}`,
            'document.querySelector("input").addEventListener("change", async (event) => { if (await send("/api/trees/3", { name: event.target.value }, { method: "PATCH" })) location.reload(); });',
          ),
        "PATCH /api/trees/3": ({ body }) => {
          name = JSON.parse(body).name;
          return ok();
        },
      };
    },
    lines: [fill('textbox "Name"', "Oak", "Rename the tree Larch to Oak", { submit: true }), claim("Tree: Oak")],
    sent: ["PATCH /api/trees/3"],
    end: "verified",
  },
  {
    name: "a message in Japanese",
    prompt: "kim@example.com に「こんにちは」と送信してください。",
    routes: () => ({
      "GET /": view("新規メッセージ", form("/messages", `${input("宛先", "to")}${input("本文", "text")}`, "送信")),
      "POST /messages": () => redirectTo("/sent"),
      "GET /sent": view("送信済み", "<p>kim@example.com: こんにちは</p>"),
    }),
    lines: [
      fill('textbox "宛先"', "kim@example.com", null),
      fill('textbox "本文"', "こんにちは", null),
      click('button "送信"', "kim@example.com に「こんにちは」を送信する"),
      claim("kim@example.com: こんにちは"),
    ],
    sent: ["POST /messages"],
    end: "verified",
  },
  {
    name: "a link that unsubscribes, which was asked for",
    prompt: "Unsubscribe me from the newsletter.",
    routes: () => ({
      "GET /": view("Mail", '<a href="/unsubscribe/5">Unsubscribe</a>'),
      "GET /unsubscribe/5": view("Newsletter", "<p>You will get no more mail.</p>"),
    }),
    lines: [click('link "Unsubscribe"', "Unsubscribe from the newsletter"), claim("You will get no more mail.")],
    acting: ["/unsubscribe/5"],
    sent: ["GET /unsubscribe/5"],
    end: "verified",
  },
  {
    name: "a link that moves something to the trash, which was asked for",
    prompt: "Move the draft Larch to the trash.",
    routes: () => {
      let names = ["Larch", "Elm"];
      return {
        "GET /": () =>
          page(
            "Drafts",
            names.map((name) => `<p>${name} <a href="/post?post=12&action=trash">Trash ${name}</a></p>`).join(""),
          ),
        "GET /post": () => {
          names = ["Elm"];
          return redirectTo("/");
        },
      };
    },
    lines: [
      click('link "Trash Larch"', null),
      click('link "Trash Larch"', "Move the draft Larch to the trash"),
      claim("Elm", "Larch is in the trash."),
    ],
    acting: ["/post?post=12&action=trash"],
    sent: ["GET /post?post=12&action=trash"],
    end: "verified",
  },
  {
    name: "a comment with steps",
    prompt: 'Type "Nice kettle" into Comment. Click Post. Check that the page says "Nice kettle".',
    routes: () => {
      let kept = "";
      return {
        "GET /": () =>
          page("Kettle", `<ul><li>${kept}</li></ul>${form("/comments", input("Comment", "text"), "Post")}`),
        "POST /comments": keep("/", (body) => {
          kept = new URLSearchParams(body).get("text") ?? "";
        }),
      };
    },
    sent: ["POST /comments"],
    end: "verified",
  },
];
