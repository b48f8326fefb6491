import { type Html, html } from "../../lib/html.ts";

interface Layout {
  title: string;
  /** On a wide page it includes its own `main` with the id "content". */
  body: Html;
  /** A page to read, with links to the others. Otherwise a single card in the middle. */
  wide?: boolean;
}

/** The HTML document around a page's content. */
export function layout({ title, body, wide = false }: Layout): Html {
  return htmlDocument({
    title,
    viewport: "width=device-width, initial-scale=1",
    body: wide ? wideBody(body) : cardBody(body),
  });
}

interface LiveLayout {
  title: string;
  /** Includes its own `main`. */
  body: Html;
  /** The URL of a module. */
  script: string;
}

/** For the live page: as high as the screen minus the on-screen keyboard, and driven by a script. */
export function liveLayout({ title, body, script }: LiveLayout): Html {
  return htmlDocument({
    title,
    viewport: "width=device-width, initial-scale=1, interactive-widget=resizes-content",
    head: html`<script type="module" src="${script}"></script>`,
    body: html`<body class="page-live">
${body}
</body>`,
  });
}

export const ICON_LINK = html`<link rel="icon" href="/assets/errand.svg" type="image/svg+xml">`;

function htmlDocument({ title, viewport, head, body }: { title: string; viewport: string; head?: Html; body: Html }) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="${viewport}">
<meta name="color-scheme" content="light dark">
<title>${title} · Errand</title>
${ICON_LINK}
<link rel="stylesheet" href="/assets/errand.css">
${head}
</head>
${body}
</html>
`;
}

function cardBody(body: Html): Html {
  return html`<body class="page-card">
<main class="card">
${body}
</main>
</body>`;
}

function wideBody(body: Html): Html {
  return html`<body class="page-wide">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="/">${mark()}<span>Errand</span></a>
<nav aria-label="Site"><a href="/console">Console</a><a href="/docs">API reference</a><a href="/openapi.json">OpenAPI</a></nav>
</header>
${body}
</body>`;
}

/** An "e" drawn as a path that leaves and comes back. */
const PATH = "M9.5 16.5h12.7a6.5 6.5 0 1 0-2.2 4.6";

/** Hidden from screen readers: the name is always beside it. */
export function mark(): Html {
  return html`<svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false"
    ><rect class="mark-ground" width="32" height="32" rx="9"/><path class="mark-path" d="${PATH}" fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

/** The head of a card. */
export function brand(): Html {
  return html`<p class="brand">${mark()}<span>Errand</span></p>`;
}

/** For people who come from an app and have never heard of Errand. Every sentence must stay true. */
export const PROMISES: readonly string[] = [
  "You sign in to a site yourself, in a browser that opens here. Your password is passed on to the site and is not stored, unless you agree to that afterwards on a page of its own. The sign-in is stored, encrypted, until you disconnect.",
  "An app reaches only the sites that its consent page names. It never sees your password or your sign-in.",
  "You see every errand with all its steps and everything it changed, and you can stop or disconnect an app at any time.",
];

export function aboutErrand(): Html {
  return html`<details class="about">
<summary>What is Errand, and can I trust it?</summary>
<p>Errand does tasks on websites for you, in a real browser, when an app that you connected asks for it. A second check, which knows nothing of the first, compares each result with the site before the app gets it.</p>
<ul>${PROMISES.map((promise) => html`<li>${promise}</li>`)}</ul>
<p>It runs on a server of the people who gave you this link. You have to trust them as you trust any service that acts for you.</p>
</details>`;
}

/** The favicon. The stylesheet does not apply to it, so it has its own colors. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b6b5b"/><path d="${PATH}" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
