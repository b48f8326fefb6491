import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import type { AuthLinkParts } from "./authorization-link.tsx";

/** An errand that works on any site. It has a start URL only if the application has no home page. */
function exampleErrand(application: ConsoleApplication): { prompt: string; start_url?: string } {
  const prompt = "Tell me the title of the page.";
  if (application.home_url !== null) return { prompt };
  const host = application.allowed_hosts.find((pattern) => !pattern.startsWith("*."));
  const fallback = host === undefined ? "https://example.com/" : `https://${host}/`;
  return { prompt, start_url: application.sign_in_url ?? fallback };
}

/** The whole flow in a terminal. */
export function curlSample(application: ConsoleApplication, parts: AuthLinkParts, link: string): string {
  const isConfidential = application.type === "confidential";
  const executions = `${parts.publicUrl}/v1/applications/${application.id}/executions`;
  return `# 1. Authorize: open this URL in a browser and agree.
#    You are redirected to a URL with ?code=…
#    ${link}
export CODE=…
${isConfidential ? "export CLIENT_SECRET=…\n" : ""}
# 2. Exchange the code for the connection's token. It works once, for five minutes.
${command(`curl ${quote(`${parts.publicUrl}/v1/oauth/token`)}`, [
  isConfidential ? `-u ${application.id}:"$CLIENT_SECRET"` : `-d client_id=${application.id}`,
  "-d grant_type=authorization_code",
  '--data-urlencode "code=$CODE"',
  `--data-urlencode ${quote(`redirect_uri=${parts.redirectUri}`)}`,
  ...(parts.pkce === null ? [] : [`-d code_verifier=${parts.pkce.verifier}`]),
])}
export ACCESS_TOKEN=…

# 3. Create an execution. It returns immediately. The key makes retries safe.
${command(`curl ${quote(executions)}`, [
  '-H "Authorization: Bearer $ACCESS_TOKEN"',
  "-H 'Content-Type: application/json'",
  "-H 'Idempotency-Key: first-errand'",
  `-d ${quote(JSON.stringify(exampleErrand(application)))}`,
])}
export EXECUTION_ID=…

# 4. Poll. It returns as soon as the execution has ended, or after 30 seconds.
${command(`curl "${executions}/$EXECUTION_ID?wait=30"`, ['-H "Authorization: Bearer $ACCESS_TOKEN"'])}
`;
}

function command(start: string, options: string[]): string {
  return [start, ...options].join(" \\\n  ");
}

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same flow as a module that uses only fetch. An OAuth library can replace its first half. */
export function typescriptSample(application: ConsoleApplication, parts: AuthLinkParts): string {
  const isConfidential = application.type === "confidential";
  const { prompt, start_url } = exampleErrand(application);
  const errand = start_url === undefined ? "{ prompt }" : `{ prompt, start_url: ${JSON.stringify(start_url)} }`;
  return `const ERRAND = ${JSON.stringify(parts.publicUrl)};
const CLIENT_ID = ${JSON.stringify(application.id)};
${isConfidential ? 'const CLIENT_SECRET = process.env.ERRAND_CLIENT_SECRET ?? "";\n' : ""}const REDIRECT_URI = ${JSON.stringify(parts.redirectUri)};

/** 1. Authorize: send the person to this link. Keep state and verifier in their session until they return. */
export async function startConnecting() {
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

/** 2. Exchange the code for the person's token. It does not expire, so store it like a password. */
export async function finishConnecting(returnUrl: string, started: { state: string; verifier: string }) {
  const parameters = new URL(returnUrl).searchParams;
  if (parameters.get("state") !== started.state) throw new Error("The state does not match this session.");
  const code = parameters.get("code");
  if (code === null) throw new Error(parameters.get("error_description") ?? "The person did not agree.");
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: started.verifier,
${isConfidential ? "" : "    client_id: CLIENT_ID,\n"}  });
${isConfidential ? `  const authorization = \`Basic \${Buffer.from(\`\${CLIENT_ID}:\${CLIENT_SECRET}\`).toString("base64")}\`;\n` : ""}  const token = await call("/v1/oauth/token", { method: "POST", body${isConfidential ? ", headers: { authorization }" : ""} });
  return String(token.access_token);
}

/** 3. Create an execution and 4. poll until it has ended. A retry with the same key returns the same execution. */
export async function runErrand(accessToken: string, prompt = ${JSON.stringify(prompt)}, key = crypto.randomUUID()) {
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
  return execution; // execution.terminal.status is "verified" or the reason for failure
}

async function call(path: string, init: RequestInit) {
  const response = await fetch(ERRAND + path, init);
  const body = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(body));
  return body;
}

function randomText() {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}
`;
}
