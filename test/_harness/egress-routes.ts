/** A way in which a page can make its browser request a URL. */
export interface EscapeRoute {
  name: string;
  /** A page of the allowed host that takes this route to `to`. */
  html(to: string): string;
  /** Headers of that page. */
  headers?(to: string): Record<string, string>;
  /** One page can take this route to several URLs: it neither navigates away nor blocks itself. */
  isOneOfMany?: true;
  /** The browser never requests it by itself, so there is no refusal to wait for. */
  isSilent?: true;
}

const script = (code: string) => `<script>${code}</script>`;
const q = (text: string) => JSON.stringify(text);
const redirect = (status: number, to: string) => `/redirect?status=${status}&to=${encodeURIComponent(to)}`;
const ws = (to: string) => to.replace(/^http/, "ws");

/** Each is a whole page, so it only has to be loaded. */
export const ESCAPE_ROUTES: EscapeRoute[] = [
  { name: "an image", isOneOfMany: true, html: (to) => `<img src="${to}">` },
  { name: "a source set", isOneOfMany: true, html: (to) => `<img srcset="${to} 2x, ${to} 1x">` },
  { name: "a video", isOneOfMany: true, html: (to) => `<video src="${to}" preload=auto></video>` },
  { name: "a script", isOneOfMany: true, html: (to) => `<script src="${to}"></script>` },
  { name: "a module", isOneOfMany: true, html: (to) => `<script type=module>import ${q(to)}</script>` },
  { name: "an import()", isOneOfMany: true, html: (to) => script(`import(${q(to)}).catch(() => {})`) },
  { name: "a frame", isOneOfMany: true, html: (to) => `<iframe src="${to}"></iframe>` },
  {
    name: "a frame in a frame without an address",
    isOneOfMany: true,
    html: (to) => `<iframe srcdoc='<img src="${to}">'></iframe>`,
  },
  {
    name: "a sandboxed data: frame",
    isOneOfMany: true,
    html: (to) => `<iframe sandbox src='data:text/html,<img src="${to}">'></iframe>`,
  },
  { name: "an object", isOneOfMany: true, html: (to) => `<object data="${to}"></object>` },
  { name: "an embed", isOneOfMany: true, html: (to) => `<embed src="${to}">` },
  { name: "an image button", isOneOfMany: true, html: (to) => `<input type=image src="${to}">` },
  { name: "an image in SVG", isOneOfMany: true, html: (to) => `<svg><image href="${to}"/></svg>` },
  { name: "a style sheet", isOneOfMany: true, html: (to) => `<link rel=stylesheet href="${to}">` },
  { name: "a CSS import", isOneOfMany: true, html: (to) => `<style>@import ${q(to)}</style>` },
  { name: "a CSS background", html: (to) => `<style>body { background: url(${q(to)}) }</style>` },
  {
    name: "a font",
    html: (to) => `<style>@font-face { font-family: f; src: url(${q(to)}) } body { font-family: f }</style>text`,
  },
  { name: "a preload", isOneOfMany: true, html: (to) => `<link rel=preload as=image href="${to}">` },
  { name: "a module preload", isOneOfMany: true, html: (to) => `<link rel=modulepreload href="${to}">` },
  { name: "a prefetch", isOneOfMany: true, html: (to) => `<link rel=prefetch href="${to}">` },
  { name: "a preconnect", isOneOfMany: true, html: (to) => `<link rel=preconnect href="${to}">`, isSilent: true },
  { name: "a DNS prefetch", isOneOfMany: true, html: (to) => `<link rel=dns-prefetch href="${to}">`, isSilent: true },
  { name: "a favicon", html: (to) => `<link rel=icon href="${to}">`, isSilent: true },
  { name: "a manifest", html: (to) => `<link rel=manifest href="${to}">`, isSilent: true },
  {
    name: "a speculation rule",
    html: (to) => `<script type=speculationrules>{"prefetch":[{"urls":[${q(to)}],"eagerness":"immediate"}]}</script>`,
    isSilent: true,
  },
  { name: "a meta refresh", html: (to) => `<meta http-equiv=refresh content="0;url=${to}">` },
  { name: "a Refresh header", html: () => "", headers: (to) => ({ refresh: `0;url=${to}` }) },
  { name: "a Link header", html: () => "", headers: (to) => ({ link: `<${to}>; rel=preload; as=image` }) },
  {
    name: "a report on content",
    html: () => "<img src=/blocked>",
    headers: (to) => ({ "content-security-policy": `img-src 'none'; report-uri ${to}` }),
  },
  { name: "a link", html: (to) => `<a id=a href="${to}">x</a>${script("a.click()")}` },
  { name: "a link into a new tab", html: (to) => `<a id=a target=_blank href="${to}">x</a>${script("a.click()")}` },
  { name: "a link's ping", html: (to) => `<a id=a href="#here" ping="${to}">x</a>${script("a.click()")}` },
  { name: "a download", html: (to) => `<a id=a download href="${to}">x</a>${script("a.click()")}` },
  {
    name: "a form",
    html: (to) => `<form id=f method=post action="${to}"><input name=a></form>${script("f.submit()")}`,
  },
  {
    name: "a form into a new tab",
    html: (to) => `<form id=f method=post target=_blank action="${to}"></form>${script("f.submit()")}`,
  },
  { name: "an assignment of location", html: (to) => script(`location = ${q(to)}`) },
  { name: "a popup", html: (to) => script(`open(${q(to)})`) },
  { name: "a popup without opener", html: (to) => script(`open(${q(to)}, "_blank", "noopener")`) },
  { name: "a popup that is told later", html: (to) => script(`const w = open("about:blank"); w.location = ${q(to)}`) },
  { name: "fetch", isOneOfMany: true, html: (to) => script(`fetch(${q(to)}).catch(() => {})`) },
  {
    name: "fetch without CORS",
    isOneOfMany: true,
    html: (to) => script(`fetch(${q(to)}, { mode: "no-cors" }).catch(() => {})`),
  },
  {
    name: "fetch with a preflight",
    isOneOfMany: true,
    html: (to) => script(`fetch(${q(to)}, { method: "PUT", headers: { "x-a": "b" } }).catch(() => {})`),
  },
  {
    name: "fetch that outlives its page",
    html: (to) =>
      script(`onpagehide = () => fetch(${q(to)}, { method: "POST", keepalive: true, mode: "no-cors" });
        location = "/after"`),
  },
  {
    name: "XMLHttpRequest",
    isOneOfMany: true,
    html: (to) => script(`{ const x = new XMLHttpRequest(); x.open("GET", ${q(to)}); x.send() }`),
  },
  { name: "sendBeacon", isOneOfMany: true, html: (to) => script(`navigator.sendBeacon(${q(to)}, "x")`) },
  { name: "an EventSource", isOneOfMany: true, html: (to) => script(`new EventSource(${q(to)})`) },
  { name: "a WebSocket", isOneOfMany: true, html: (to) => script(`new WebSocket(${q(ws(to))})`) },
  {
    name: "a worker",
    isOneOfMany: true,
    html: (to) => script(`new Worker("/worker.js?to=" + encodeURIComponent(${q(to)}))`),
  },
  {
    name: "a worker's WebSocket",
    isOneOfMany: true,
    html: (to) => script(`new Worker("/worker.js?ws&to=" + encodeURIComponent(${q(ws(to))}))`),
  },
  {
    name: "a shared worker",
    isOneOfMany: true,
    html: (to) => script(`new SharedWorker("/worker.js?to=" + encodeURIComponent(${q(to)}))`),
  },
  {
    name: "a service worker",
    html: (to) => script(`navigator.serviceWorker.register("/worker.js?to=" + encodeURIComponent(${q(to)}))`),
  },
  {
    name: "a service worker's import",
    html: (to) => script(`navigator.serviceWorker.register("/worker.js?import&to=" + encodeURIComponent(${q(to)}))`),
  },
  ...[301, 302, 303, 307, 308].flatMap((status): EscapeRoute[] => [
    { name: `a ${status} of a page`, html: (to) => script(`location = ${q(redirect(status, to))}`) },
    {
      name: `a ${status} of a form`,
      html: (to) => `<form id=f method=post action="${redirect(status, to)}"></form>${script("f.submit()")}`,
    },
    {
      name: `a ${status} of a fetch`,
      isOneOfMany: true,
      html: (to) =>
        script(`fetch(${q(redirect(status, to))}, { method: "POST", body: "x", mode: "no-cors" }).catch(() => {})`),
    },
  ]),
  { name: "a 302 of an image", isOneOfMany: true, html: (to) => `<img src="${redirect(302, to)}">` },
  {
    name: "a 302 of a 307",
    isOneOfMany: true,
    html: (to) => `<iframe src="${redirect(307, redirect(302, to))}"></iframe>`,
  },
  {
    name: "a 302 of a worker's fetch",
    isOneOfMany: true,
    html: (to) => script(`new Worker("/worker.js?to=" + encodeURIComponent(${q(redirect(302, to))}))`),
  },
];

/** For `Worker`, `SharedWorker` and `ServiceWorker` alike. */
export const WORKER_SCRIPT = `
const parameters = new URL(location).searchParams;
const to = parameters.get("to");
if (parameters.has("ws")) new WebSocket(to);
else if (parameters.has("import")) importScripts(to);
else fetch(to, { mode: "no-cors" }).catch(() => {});
`;

const MAIN_NAMES = [
  "an image",
  "a meta refresh",
  "a link into a new tab",
  "a form",
  "a popup",
  "fetch",
  "a WebSocket",
  "a worker",
  "a service worker",
  "a 302 of a page",
  "a preconnect",
];

/** One of each kind. */
export const MAIN_ROUTES = ESCAPE_ROUTES.filter(({ name }) => MAIN_NAMES.includes(name));
if (MAIN_ROUTES.length !== MAIN_NAMES.length) throw new Error("A main route is not in the list of all routes.");
