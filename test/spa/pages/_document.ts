import { root, save } from "./_page.ts";

/** What the editor "Body" starts with. The editor "Notes" starts empty. */
export const DOCUMENT = `<h2>Plan</h2><p>The <strong>first</strong> draft is due on Monday. See <a href="https://example.com/">the notes</a>.</p><ul><li>Buy paper</li><li>Print <em>twice</em></li></ul><p>Thanks, Ann</p>`;

/** The same for editors of code: longer than any viewport, so only some lines are in the page. */
export const PROGRAM = Array.from({ length: 400 }, (_, index) => `const value${index + 1} = ${index + 1};`).join("\n");

/** Two boxes for editors, by their name, and a button that sends what `read` returns. */
export function layOut(read: () => unknown, height = "auto"): { body: HTMLElement; notes: HTMLElement } {
  const [body, notes] = ["body", "notes"].map((name) => {
    const box = document.createElement("div");
    box.id = name;
    box.style.cssText = `width: 600px; height: ${height}; border: 1px solid gray; margin: 8px`;
    return root().appendChild(box);
  });
  const button = root().appendChild(document.createElement("button"));
  button.textContent = "Save";
  button.addEventListener("click", () => void save(read()));
  if (body === undefined || notes === undefined) throw new Error("unreachable");
  return { body, notes };
}
