import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walk } from "../../../src/browser/observation/observation.ts";
import { type ActionPage, type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;
beforeAll(async () => {
  world = await startActionWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** What the only field holds, as the next observation shows it. */
function readValue(page: ActionPage): string | null {
  const fields = [...walk(page.observation.root)].filter(({ node }) => node.field !== null && node.value !== null);
  expect(fields).toHaveLength(1);
  return fields[0]?.node.value ?? null;
}

/** Keeps its text in a model of its own and renders it anew after each input, as ProseMirror and Lexical do. */
const MODEL_EDITOR = `<div id="editor" contenteditable role="textbox" aria-multiline="true" aria-label="Body"><p>Old text</p></div>
  <script>
    let model = "Old text";
    const render = () => {
      editor.replaceChildren(...model.split("\\n").map((line) => Object.assign(document.createElement("p"), { innerHTML: "<span>" + line + "</span>" })));
      document.title = model;
      getSelection().selectAllChildren(editor); getSelection().collapseToEnd();
    };
    editor.addEventListener("beforeinput", (event) => {
      event.preventDefault();
      const all = getSelection().toString().replace(/\\s/g, "") === model.replace(/\\s/g, "");
      if (event.inputType.startsWith("delete")) model = all ? "" : model.slice(0, -1);
      else model = (all ? "" : model) + (event.data ?? event.dataTransfer?.getData("text") ?? "\\n");
      render();
    });
  </script>`;

/** Reads the changes of its content back into a model, as CodeMirror 6 and ProseMirror do. */
const WATCHED_EDITOR = `<div class="cm-editor"><div class="cm-gutters" aria-hidden="true">1</div>
  <div id="content" class="cm-content" contenteditable role="textbox" aria-label="Code"><div class="cm-line">let a = 1;</div></div></div>
  <script>
    new MutationObserver(() => {
      const lines = content.innerText.split("\\n").filter((line, index, all) => line !== "" || index < all.length - 1);
      document.title = lines.join("|");
    }).observe(content, { childList: true, characterData: true, subtree: true });
  </script>`;

/** Draws its lines and takes input through a tiny text area, as CodeMirror 5, Ace and Monaco do. */
const DRAWN_EDITOR = `<div class="code" id="code" style="position:relative;width:400px;height:100px;border:1px solid">
    <div style="overflow:hidden;position:absolute;width:3px;height:0px;top:4px;left:4px">
      <textarea id="sink" autocapitalize="off" spellcheck="false" style="position:absolute;width:1000px;height:1em;outline:none" aria-label="Code"></textarea></div>
    <div id="lines" onmousedown="event.preventDefault(); sink.focus()"><pre>old line</pre></div></div>
  <script>
    let text = "old line", isAll = false;
    const draw = () => { lines.innerHTML = text.split("\\n").map((line) => "<pre>" + line + "</pre>").join(""); document.title = text; };
    sink.addEventListener("keydown", (event) => {
      if (event.key === "a" && event.ctrlKey) { isAll = true; event.preventDefault(); }
      else if (event.key === "Delete" || event.key === "Backspace") { text = isAll ? "" : text.slice(0, -1); isAll = false; draw(); }
    });
    sink.addEventListener("input", () => { text = (isAll ? "" : text) + sink.value; isAll = false; sink.value = ""; draw(); });
  </script>`;

describe("fills an editor that", () => {
  test("keeps its own model", async () => {
    const page = await world.open(MODEL_EDITOR);
    expect((await page.act("fill", "Body", { text: "New text" })).failure).toBeNull();
    expect(page.observation.title).toBe("New text");
    expect(readValue(page)).toBe("New text");
  });

  test("watches its own content", async () => {
    const page = await world.open(WATCHED_EDITOR);
    expect((await page.act("fill", "Code", { text: "let b = 2;\nlet c = 3;" })).failure).toBeNull();
    expect(page.observation.title.replace(/\|+/g, "|")).toBe("let b = 2;|let c = 3;");
    expect(readValue(page)).toBe("let b = 2;\nlet c = 3;");
  });

  test("draws its lines and takes input elsewhere, once", async () => {
    const page = await world.open(DRAWN_EDITOR);
    expect((await page.act("fill", "Code", { text: "first\nsecond" })).failure).toBeNull();
    expect(page.observation.title).toBe("first second");
    expect(page.text()).toContain("second");
    expect(page.text()).not.toContain("old line");
  });

  test("has only a placeholder", async () => {
    const page = await world.open(
      `<style>.empty::before { content: attr(data-placeholder); color: gray }</style>
       <div id="editor" contenteditable oninput="document.title = this.innerText"><p class="empty" data-placeholder="Write a reply"><br></p></div>`,
    );
    const label = [...walk(page.observation.root)].find(({ node }) => node.label !== null)?.node;
    expect(label).toMatchObject({ role: "textbox", label: "Write a reply", value: "" });
    const [report] = await page.perform([
      { action: "fill", input: { ref: label?.ref, label: "Write a reply", text: "Thanks" } },
    ]);
    expect(report?.failure).toBeNull();
    expect(page.observation.title).toBe("Thanks");
  });

  test("is a document of its own in a frame", async () => {
    world.site.pages.set(
      "/editor",
      `<body contenteditable aria-label="Article" oninput="parent.document.title = this.innerText"><p>Old</p></body>`,
    );
    const page = await world.open(`<p>Story</p><iframe src="/editor" title="Rich text"></iframe>`);
    expect((await page.act("fill", "Article", { text: "New story" })).failure).toBeNull();
    expect(page.observation.title).toBe("New story");
    expect(readValue(page)).toBe("New story");
  });
});

describe("keeps the lines of a text in an editor that", () => {
  const LETTER = "Dear Ann,\n\nfirst line\nsecond line\n\nBob";

  test("the browser itself provides, with space between paragraphs", async () => {
    const page = await world.open(
      `<div role="textbox" aria-label="Body" contenteditable oninput="document.title = this.innerHTML"><p>Old <b>text</b></p></div>`,
    );
    expect(await page.act("fill", "Body", { text: LETTER })).toMatchObject({ failure: null, data: null });
    expect(page.observation.title).toBe("<p>Dear Ann,</p><p>first line<br>second line</p><p>Bob</p>");
  });

  test("has no space between lines", async () => {
    const page = await world.open(
      `<div role="textbox" aria-label="Body" contenteditable oninput="document.title = this.innerHTML">Old</div>`,
    );
    expect(await page.act("fill", "Body", { text: LETTER })).toMatchObject({ failure: null, data: null });
    expect(page.observation.title).toBe(
      "Dear Ann,<div><br></div><div>first line</div><div>second line</div><div><br></div><div>Bob</div>",
    );
  });

  test("sends its text with Enter, without sending it", async () => {
    const page = await world.open(
      `<div id="box" role="textbox" aria-label="Message" contenteditable
         onkeydown="if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); document.title = 'sent'; box.innerText = '' }"><p><br></p></div>`,
    );
    expect((await page.act("fill", "Message", { text: "one\n\ntwo" })).failure).toBeNull();
    expect(page.observation.title).not.toBe("sent");
    expect(readValue(page)).toBe("one\ntwo");
  });

  test("refuses pasted text", async () => {
    const page = await world.open(
      `<div role="textbox" aria-label="Body" contenteditable onpaste="event.preventDefault()"
         onkeyup="document.title = this.innerHTML"><p>Old</p></div>`,
    );
    expect(await page.act("fill", "Body", { text: LETTER })).toMatchObject({ failure: null, data: null });
    expect(page.observation.title).toBe("<p>Dear Ann,</p><p>first line<br>second line</p><p>Bob</p>");
  });

  test("changes quotes, and says so", async () => {
    const page = await world.open(
      `<div id="editor" role="textbox" aria-multiline="true" aria-label="Body" contenteditable
         oninput="if (/&quot;/.test(editor.innerText)) editor.textContent = editor.innerText.replace(/&quot;(.*?)&quot;/, '“$1”')"></div>`,
    );
    const report = await page.act("fill", "Body", { text: 'He said "yes".' });
    expect(report).toMatchObject({ failure: null, data: { text: expect.stringContaining("“yes”") } });
  });

  test("loses lines, by saying which", async () => {
    const page = await world.open(
      `<div id="editor" role="textbox" aria-multiline="true" aria-label="Body" contenteditable
         oninput="if (editor.innerText.includes('\\n')) editor.textContent = editor.innerText.split('\\n')[0]"></div>`,
    );
    const report = await page.act("fill", "Body", { text: "one\ntwo" });
    expect(report.failure).toMatchObject({ kind: "no_effect", message: expect.stringContaining('"two", is missing') });
  });
});

describe("edits a part of", () => {
  const area = (text: string) =>
    `<label>Notes <textarea oninput="document.title = this.value.replaceAll('\\n', '|')">${text}</textarea></label>`;

  test.each<[string, string, Record<string, unknown>, string]>([
    ["replaces", "red green blue", { replace: "green", text: "yellow" }, "red yellow blue"],
    ["deletes", "red green blue", { replace: " green", text: "" }, "red blue"],
    ["inserts lines", "red\nblue", { after: "red", text: "\ngreen" }, "red|green|blue"],
    ["appends a word", "red", { append: true, text: "blue" }, "red blue"],
    ["appends a line", "red\nblue", { append: true, text: "green" }, "red|blue|green"],
    ["replaces the second", "red red red", { replace: "red", nth: 2, text: "blue" }, "red blue red"],
    ["replaces all", "red red red", { replace: "red", all: true, text: "blue" }, "blue blue blue"],
    ["finds a text with other spaces", "red green\nblue", { replace: "green blue", text: "pink" }, "red pink"],
  ])("a text area: %s", async (_name, before, change, after) => {
    const page = await world.open(area(before));
    expect((await page.act("edit", "Notes", change)).failure).toBeNull();
    expect(page.observation.title).toBe(after);
    await page.act("press", "Notes", { key: "Control+z" });
    if (change["all"] !== true) expect(page.find("Notes").value).toBe(before);
  });

  test("a field without a selection", async () => {
    const page = await world.open(
      `<label>Mail <input type="email" value="ann@old.example"></label><label>Year <input type="number" value="1925"></label>`,
    );
    expect((await page.act("edit", "Mail", { replace: "old", text: "new" })).failure).toBeNull();
    expect((await page.act("edit", "Year", { replace: "19", text: "20" })).failure).toBeNull();
    expect([page.find("Mail").value, page.find("Year").value]).toEqual(["ann@new.example", "2025"]);
  });

  test("a formatted text, which stays formatted", async () => {
    const page = await world.open(
      `<div role="textbox" aria-label="Body" contenteditable oninput="document.title = this.innerHTML"
         ><p>Come <b>early</b> on Monday.</p><ul><li>One</li><li>Two</li></ul></div>`,
    );
    expect((await page.act("edit", "Body", { replace: "Monday", text: "Friday" })).failure).toBeNull();
    expect((await page.act("edit", "Body", { replace: "**early**", text: "late" })).failure).toBeNull();
    expect((await page.act("edit", "Body", { after: "One", text: "\n- One and a half" })).failure).toBeNull();
    expect(page.observation.title).toBe(
      "<p>Come <b>late</b> on Friday.</p><ul><li>One</li><li>One and a half</li><li>Two</li></ul>",
    );
    const { data } = await page.act("read", "Body");
    expect(data).toMatchObject({
      text: "Come **late** on Friday.\n\n- One\n- One and a half\n- Two",
    });
  });

  test("a text without its placeholder", async () => {
    const page = await world.open(
      `<div role="textbox" aria-label="Body" aria-multiline="true" contenteditable oninput="document.title = this.lastChild.textContent"
         ><span contenteditable="false" style="pointer-events:none;position:absolute;opacity:.3">Write here</span><p><br></p></div>`,
    );
    expect((await page.act("read", "Body")).data).toMatchObject({ text: "" });
    expect((await page.act("edit", "Body", { append: true, text: "Hello" })).failure).toBeNull();
    expect(page.observation.title).toBe("Hello");
  });

  test("a text only where it is clear which part", async () => {
    const page = await world.open(area("red red"));
    expect((await page.act("edit", "Notes", { replace: "red", text: "x" })).failure).toMatchObject({
      kind: "invalid_input",
      message: expect.stringContaining("2 times"),
    });
    expect((await page.act("edit", "Notes", { replace: "green", text: "x" })).failure?.kind).toBe("not_found");
    expect((await page.act("edit", "Notes", { replace: "red", after: "red", text: "x" })).failure?.kind).toBe(
      "invalid_input",
    );
    expect((await page.act("edit", "Notes", { text: "x" })).failure?.kind).toBe("invalid_input");
    expect(page.find("Notes").value).toBe("red red");
  });

  test("a text whose editor changes more than that, by saying what", async () => {
    const page = await world.open(
      `<div id="editor" role="textbox" aria-label="Body" contenteditable oninput="for (const bold of editor.querySelectorAll('b')) bold.replaceWith(bold.textContent)"
         ><p>Come <b>early</b> on Monday.</p></div>`,
    );
    const report = await page.act("edit", "Body", { replace: "Monday", text: "Friday" });
    expect(report.failure).toMatchObject({
      kind: "no_effect",
      message: expect.stringContaining("was bold and is plain"),
    });
  });

  test("no secret", async () => {
    const page = await world.open(`<label>Password <input type="password" value="correct horse"></label>`);
    const report = await page.act("edit", "Password", { replace: "horse", text: "battery" });
    expect(report.failure?.kind).toBe("invalid_input");
    expect(JSON.stringify(report)).not.toMatch(/horse|battery/);
  });
});

describe("chooses in", () => {
  const CHOOSE = "document.title = this.textContent; chosen.textContent = this.textContent; menu.remove()";
  const option = (role: string) => (name: string) => `<div ${role} onclick="${CHOOSE}">${name}</div>`;

  test("a list that opens on mouse down, somewhere else in the document", async () => {
    const page = await world.open(
      `<p id="l">Country</p><div id="chosen" role="combobox" aria-labelledby="l" aria-expanded="false" tabindex="0"
         onmousedown="document.body.insertAdjacentHTML('beforeend', menuHtml.innerHTML)">Sweden</div>
       <template id="menuHtml"><div id="menu" role="listbox">${["Norway", "Sweden"].map(option("role=option")).join("")}</div></template>`,
    );
    expect(page.find("Country").value).toBe("Sweden");
    expect((await page.act("select", "Country", { options: ["Norway"] })).failure).toBeNull();
    expect(page.observation.title).toBe("Norway");
    expect(page.find("Country").value).toBe("Norway");
  });

  test("a list without any roles", async () => {
    const page = await world.open(
      `<div class="label">Country</div><div id="chosen" class="select" style="cursor:pointer;width:200px"
         onclick="document.getElementById('menu') ?? document.body.insertAdjacentHTML('beforeend', menuHtml.innerHTML)">Choose one</div>
       <p>We deliver to Norway and Sweden.</p><button>Norway travel tips</button>
       <template id="menuHtml"><div id="menu">${["Norway", "Sweden"].map(option("class=item style=cursor:pointer")).join("")}</div></template>`,
    );
    expect((await page.act("select", "Choose one", { options: ["Norway"] })).failure).toBeNull();
    expect(page.observation.title).toBe("Norway");
    expect(page.text()).not.toContain("Choose one");
  });

  test("a combobox that only lists what is typed", async () => {
    const page = await world.open(
      `<div role="combobox" aria-expanded="false" aria-label="City"><input id="q" autocomplete="off" aria-label="City"
         onkeyup="cities.innerHTML = this.value.length < 2 ? '' : ['Oslo', 'Osaka'].filter((name) => name.startsWith(this.value)).map((name) => '<li role=option>' + name + '</li>').join('')"></div>
       <ul id="cities" role="listbox" onclick="q.value = event.target.textContent; document.title = q.value; this.innerHTML = ''"></ul>`,
    );
    expect((await page.act("select", "City", { options: ["Osaka"] })).failure).toBeNull();
    expect(page.observation.title).toBe("Osaka");
  });

  test("the suggestions of the browser itself", async () => {
    const page = await world.open(
      `<label>City <input list="cities" onchange="document.title = this.value"></label>
       <datalist id="cities"><option value="OSL">Oslo</option><option>Osaka</option></datalist>`,
    );
    expect((await page.act("select", "City", { options: ["Osaka"] })).failure).toBeNull();
    expect(page.find("City").value).toBe("Osaka");
    expect((await page.act("select", "City", { options: ["Oslo"] })).failure).toBeNull();
    expect(page.find("City").value).toBe("OSL");
    expect((await page.act("select", "City", { options: ["Bergen"] })).failure).toMatchObject({
      kind: "not_found",
      message: expect.stringContaining('"Oslo", "Osaka"'),
    });
  });
});

test("opens a command palette with its shortcut and runs a command", async () => {
  const page = await world.open(
    `<h1>Notes</h1><div id="palette" role="dialog" aria-label="Commands" hidden><input id="q" role="combobox" aria-expanded="true" aria-controls="list" aria-label="Command">
       <ul id="list" role="listbox"></ul></div>
     <script>
       const COMMANDS = ["New note", "Delete note", "Dark mode"];
       const show = () => { list.innerHTML = COMMANDS.filter((name) => name.toLowerCase().includes(q.value.toLowerCase())).map((name, index) => '<li role="option" aria-selected="' + (index === 0) + '">' + name + "</li>").join(""); };
       document.addEventListener("keydown", (event) => {
         if (event.key === "k" && event.ctrlKey) { event.preventDefault(); palette.hidden = false; show(); q.focus(); }
         if (event.key === "Enter" && !palette.hidden) { document.title = list.firstChild.textContent; palette.hidden = true; }
       });
       q.addEventListener("input", show);
     </script>`,
  );
  expect((await page.act("press", null, { key: "Control+K" })).failure).toBeNull();
  expect(page.text()).toContain("Delete note");
  const filled = await page.act("fill", "Command", { text: "dark" });
  expect(filled.failure).toBeNull();
  expect(filled.removed.join()).toContain("New note");
  expect((await page.act("press", null, { key: "Enter" })).failure).toBeNull();
  expect(page.observation.title).toBe("Dark mode");
});
