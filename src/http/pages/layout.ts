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

/** The favicon. The stylesheet does not apply to it, so it has its own colors. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b6b5b"/><path d="${PATH}" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
