import { Html, html } from "../../src/lib/html.ts";

const STYLE = new Html(`
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1f2933; background: #f5f7fa; }
  main { max-width: 46rem; margin: 1.5rem auto; padding: 1.5rem; background: #fff; border: 1px solid #d9e2ec; border-radius: 6px; }
  h1 { margin-top: 0; font-size: 1.5rem; }
  label { display: block; margin: .6rem 0; }
  input, select, textarea, button { font: inherit; padding: .3rem .5rem; }
  button { background: #1f5fa8; color: #fff; border: 0; border-radius: 4px; cursor: pointer; }
  table { border-collapse: collapse; } th, td { padding: .3rem .7rem; border-bottom: 1px solid #d9e2ec; text-align: left; }
  iframe { width: 100%; border: 1px solid #bcccdc; }
  .card { border: 1px solid #d9e2ec; border-radius: 6px; padding: 1rem; margin: .8rem 0; }
  .error { color: #b02a37; } .hint { color: #627d98; font-size: .9rem; }
`);

/** The plain layout for the pages of all sites, without external resources. */
export function layOut(title: string, body: Html, head: Html | false = false): Html {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" href="data:,">
  <style>${STYLE}</style>
  ${head}
</head>
<body>
<main>
${body}
</main>
</body>
</html>`;
}

/** The front page of a site: its name and links. */
export function layOutIndex(title: string, links: Readonly<Record<string, string>>): Html {
  const items = Object.entries(links).map(([path, text]) => html`<li><a href="${path}">${text}</a></li>`);
  return layOut(title, html`<h1>${title}</h1><ul>${items}</ul>`);
}
