import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import type { AuthLinkParts } from "./auth-link.ts";
import { exampleErrand } from "./example-errand.ts";

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
