import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import type { AuthLinkParts } from "./authorization-link.tsx";

/** A prompt that works on any site; with a start only where the application names none. */
function exampleErrand(application: ConsoleApplication): { prompt: string; start_url?: string } {
  const prompt = "Tell me the title of the page.";
  if (application.home_url !== null) return { prompt };
  const host = application.allowed_hosts.find((pattern) => !pattern.startsWith("*."));
  const fallback = host === undefined ? "https://example.com/" : `https://${host}/`;
  return { prompt, start_url: application.sign_in_url ?? fallback };
}

/** From the authorization link to the result, in a terminal. */
export function curlSample(application: ConsoleApplication, parts: AuthLinkParts, link: string): string {
  const isConfidential = application.type === "confidential";
  const executions = `${parts.publicUrl}/v1/applications/${application.id}/executions`;
  return `# 1. Authorize: open this address in a browser and agree.
#    You come back with ?code=… in the address.
#    ${link}
export CODE=…
${isConfidential ? "export CLIENT_SECRET=…\n" : ""}
# 2. Exchange the code for the connection's token: once, within five minutes.
${command(`curl ${quote(`${parts.publicUrl}/v1/oauth/token`)}`, [
  isConfidential ? `-u ${application.id}:"$CLIENT_SECRET"` : `-d client_id=${application.id}`,
  "-d grant_type=authorization_code",
  '--data-urlencode "code=$CODE"',
  `--data-urlencode ${quote(`redirect_uri=${parts.redirectUri}`)}`,
  ...(parts.pkce === null ? [] : [`-d code_verifier=${parts.pkce.verifier}`]),
])}
export ACCESS_TOKEN=…

# 3. Create an execution: answers at once. The key makes a retry safe.
${command(`curl ${quote(executions)}`, [
  '-H "Authorization: Bearer $ACCESS_TOKEN"',
  "-H 'Content-Type: application/json'",
  "-H 'Idempotency-Key: first-errand'",
  `-d ${quote(JSON.stringify(exampleErrand(application)))}`,
])}
export EXECUTION_ID=…

# 4. Poll: answers as soon as it has ended, or after 30 seconds.
${command(`curl "${executions}/$EXECUTION_ID?wait=30"`, ['-H "Authorization: Bearer $ACCESS_TOKEN"'])}
`;
}

function command(start: string, options: string[]): string {
  return [start, ...options].join(" \\\n  ");
}

/** As one word of a shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same as a module: nothing but fetch, and any OAuth library can take the place of its first half. */
export function typescriptSample(application: ConsoleApplication, parts: AuthLinkParts): string {
  const isConfidential = application.type === "confidential";
  const { prompt, start_url } = exampleErrand(application);
  const errand = start_url === undefined ? "{ prompt }" : `{ prompt, start_url: ${JSON.stringify(start_url)} }`;
  return `const ERRAND = ${JSON.stringify(parts.publicUrl)};
const CLIENT_ID = ${JSON.stringify(application.id)};
${isConfidential ? 'const CLIENT_SECRET = process.env.ERRAND_CLIENT_SECRET ?? "";\n' : ""}const REDIRECT_URI = ${JSON.stringify(parts.redirectUri)};

/** 1. Authorize: where to send a person. Keep state and verifier in their session until they come back. */
async function beginConnecting() {
  const state = randomText();
  const verifier = randomText();
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const parameters = new URLSearchParams({
    response_type: "code",
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    state,
    code_challenge: Buffer.from(digest).toString("base64url"),
    code_challenge_method: "S256",
  });
  return { link: \`\${ERRAND}/v1/oauth/authorize?\${parameters}\`, state, verifier };
}

/** 2. They came back: the code becomes their token. It does not expire, so keep it like a password. */
async function finishConnecting(cameBackTo: string, begun: { state: string; verifier: string }) {
  const answer = new URL(cameBackTo).searchParams;
  if (answer.get("state") !== begun.state) throw new Error("This answer belongs to somebody else's request.");
  const code = answer.get("code");
  if (code === null) throw new Error(answer.get("error_description") ?? "They did not agree.");
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: begun.verifier,
${isConfidential ? "" : "    client_id: CLIENT_ID,\n"}  });
${isConfidential ? `  const authorization = \`Basic \${Buffer.from(\`\${CLIENT_ID}:\${CLIENT_SECRET}\`).toString("base64")}\`;\n` : ""}  const token = await call("/v1/oauth/token", { method: "POST", body${isConfidential ? ", headers: { authorization }" : ""} });
  return String(token.access_token);
}

/** 3. Create, and 4. poll until it has ended. With the same key a retry finds the same execution. */
async function runErrand(accessToken: string, prompt = ${JSON.stringify(prompt)}, key = crypto.randomUUID()) {
  const path = \`/v1/applications/\${CLIENT_ID}/executions\`;
  const authorization = \`Bearer \${accessToken}\`;
  let { execution } = await call(path, {
    method: "POST",
    body: JSON.stringify(${errand}),
    headers: { authorization, "content-type": "application/json", "idempotency-key": key },
  });
  while (execution.terminal === null) {
    ({ execution } = await call(\`\${path}/\${execution.id}?wait=30\`, { headers: { authorization } }));
  }
  return execution; // execution.terminal.status is "verified", or says why not
}

async function call(path: string, init: RequestInit) {
  const response = await fetch(ERRAND + path, init);
  const answer = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

function randomText() {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}
`;
}
