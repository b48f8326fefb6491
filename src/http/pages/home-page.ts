import { html } from "../../lib/html.ts";
import { COMMAND } from "../../lib/installation.ts";
import { layout, PROMISES } from "./layout.ts";
import type { Page } from "./page-response.ts";
import { codeBlock } from "./text.ts";

/** The first page: what this is and why it may be trusted, for its users; and how to send an errand, for its operator. */
export function homePage(publicUrl: string): Page {
  const body = html`
<main class="home" id="content">
<h1>Errand is running</h1>
<p class="lead">Errand does tasks on websites for people: an app sends a prompt, a real browser carries it out, signed in as the person who connected, and an independent check compares the result with the site before anybody relies on it.</p>
<p class="open"><a class="button primary" href="/console">Open the console</a></p>
<section class="trust" aria-labelledby="trust-title">
<h2 id="trust-title">If an app acts for you through Errand</h2>
<ul>${PROMISES.map((promise) => html`<li>${promise}</li>`)}</ul>
<p><a href="/console/connections">See your connected apps</a></p>
</section>
<h2 class="instead">If you run this installation</h2>
<ol class="steps">
${STEPS.map(
  ({ title, text, command }) => html`<li>
<h3>${title}</h3>
<p>${text}</p>
${codeBlock(command(publicUrl))}
</li>`,
)}
</ol>
<nav class="next" aria-label="More">
<a href="/docs"><strong>API reference</strong><span>Every endpoint, with examples</span></a>
<a href="/openapi.json"><strong>OpenAPI</strong><span>For your tools</span></a>
<a href="/healthz"><strong>Health</strong><span>For monitors and load balancers</span></a>
</nav>
</main>`;
  return { html: layout({ title: "Running", body, wide: true }) };
}

const STEPS = [
  {
    title: "Register an application",
    text: "This prints the application’s id.",
    command: () => `${COMMAND} app create --name "My app" --type public \\
  --redirect-uri http://127.0.0.1:3000/callback \\
  --home-url https://shop.example`,
  },
  {
    title: "Connect a user",
    text: "This prints an access token. Your users get theirs through OAuth, in the browser.",
    command: () => `export APPLICATION_ID=…   # from step 1
${COMMAND} connect --application "$APPLICATION_ID" --user ann@example.com`,
  },
  {
    title: "Send an errand",
    text: "It responds immediately. Read the execution to get the result.",
    command: (publicUrl: string) => `export ACCESS_TOKEN=…   # from step 2
curl "${publicUrl}/v1/applications/$APPLICATION_ID/executions" \\
  -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{ "prompt": "When does my newest order arrive?" }'`,
  },
];
