let shown: unknown = null;

/** What the page shows, for the test: `state()` of the harness. */
export function show(state: unknown): void {
  shown = state;
}

/** Not in the document, where it would be observed. */
const socket = new WebSocket(`ws://${location.host}/state`);
socket.onmessage = () => socket.send(JSON.stringify(shown));

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
