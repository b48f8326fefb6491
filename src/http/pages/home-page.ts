import { html } from "../../lib/html.ts";
import { layout } from "./layout.ts";
import type { Page } from "./page-response.ts";
import { codeBlock } from "./text.ts";

const DEFAULT_URL = "http://127.0.0.1:8787";

/** What an operator sees first: it runs, and this is how to send the first errand. */
export function homePage(address: string = DEFAULT_URL): Page {
  const body = html`
<main class="home" id="content">
<h1>Errand is running</h1>
<p class="lead">Send a prompt. It is carried out in a real browser, signed in as the user who connected, and comes back as a result that was checked.</p>
<p class="open"><a class="button primary" href="/console">Open the console</a></p>
<h2 class="instead">Or from the command line</h2>
<ol class="steps">
${STEPS.map(
  ({ title, text, command }) => html`<li>
<h3>${title}</h3>
<p>${text}</p>
${codeBlock(command(address))}
</li>`,
)}
</ol>
<nav class="next" aria-label="Read on">
<a href="/docs"><strong>API reference</strong><span>Every endpoint, with examples</span></a>
<a href="/openapi.json"><strong>OpenAPI</strong><span>The same, for your tools</span></a>
<a href="/healthz"><strong>Health</strong><span>For monitors and load balancers</span></a>
</nav>
</main>`;
  return { html: layout({ title: "Running", body, wide: true }) };
}

const STEPS = [
  {
    title: "Register an application",
    text: "It prints the application’s id.",
    command: () => `bin/errand app create --name "My app" --type public \\
  --redirect-uri http://127.0.0.1:3000/callback \\
  --home-url https://shop.example`,
  },
  {
    title: "Connect a user",
    text: "It prints an access token. Your users get theirs through OAuth, in the browser.",
    command: () => `export APPLICATION_ID=…   # from step 1
bin/errand connect --application "$APPLICATION_ID" --user ann@example.com`,
  },
  {
    title: "Send an errand",
    text: "It answers at once. Read the execution to get the result.",
    command: (address: string) => `export ACCESS_TOKEN=…   # from step 2
curl "${address}/v1/applications/$APPLICATION_ID/executions" \\
  -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{ "prompt": "When does my newest order arrive?" }'`,
  },
];
