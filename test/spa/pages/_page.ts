/** What the page shows, for the test: `state()` of the harness. In the document, because tests share no scripts with it. */
export function show(state: unknown): void {
  const holder = document.getElementById("state") ?? document.createElement("script");
  holder.id = "state";
  holder.setAttribute("type", "application/json");
  holder.textContent = JSON.stringify(state);
  document.head.append(holder);
}

/** Sends something to the server, as saving does: `record()` of the harness. */
export async function save(what: unknown): Promise<Response> {
  return fetch("/record", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(what),
  });
}

/** The element that a page renders into. */
export function root(): HTMLElement {
  const element = document.getElementById("root");
  if (element === null) throw new Error("The page has no root element.");
  return element;
}
