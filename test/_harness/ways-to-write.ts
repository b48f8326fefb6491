/** Each sends one POST, or one message, to the path with its name. */
export const WAYS_TO_WRITE: Record<string, string> = {
  fetch: "fetch('/fetch', { method: 'POST', body: 'x' })",
  xhr: "const xhr = new XMLHttpRequest(); xhr.open('PUT', '/xhr'); xhr.send('x')",
  beacon: "navigator.sendBeacon('/beacon', 'x')",
  keepalive: "fetch('/keepalive', { method: 'POST', body: 'x', keepalive: true })",
  form: "document.forms[0].submit()",
  tab: "document.forms[1].submit()",
  ping: "document.links[0].click()",
  frame: "document.querySelector('iframe').contentWindow.fetch('/frame', { method: 'POST' })",
  worker: "new Worker('/worker.js')",
  "service-worker": "navigator.serviceWorker.register('/service-worker.js')",
  websocket:
    "const socket = new WebSocket('ws://' + location.host + '/websocket'); socket.onopen = () => socket.send(1)",
  "worker-websocket": "new Worker('/worker-websocket.js')",
  "leaving-beacon": "onpagehide = () => navigator.sendBeacon('/leaving-beacon', 'x'); location.href = '/empty'",
  "leaving-fetch": `onpagehide = () => fetch('/leaving-fetch', { method: 'POST', body: 'x', keepalive: true });
    location.href = '/empty'`,
};

const PAGE = `<title>Ways</title><form method="post" action="/form"></form>
  <form method="post" action="/tab" target="_blank"></form> <a href="/empty" ping="/ping">ping</a> <iframe></iframe>
  ${Object.entries(WAYS_TO_WRITE).map(([name, script]) => `<button onclick="${script.replaceAll('"', "&quot;")}">${name}</button>`)}`;

/** "/" has a button for each way. */
export const PAGES_THAT_WRITE: Record<string, string> = {
  "/": PAGE,
  "/worker.js": "fetch('/worker', { method: 'POST' })",
  "/worker-websocket.js": `const socket = new WebSocket("ws://" + location.host + "/worker-websocket");
    socket.onopen = () => socket.send("x");`,
  "/service-worker.js": `oninstall = () => skipWaiting();
    onactivate = (event) => event.waitUntil(fetch('/service-worker', { method: 'POST' }));`,
};
