import { join } from "node:path";
import { ERRORS } from "../src/contract/error.ts";
import { EXECUTION_ERRORS, FAILURES } from "../src/contract/execution-error.ts";
import { OAUTH_ERRORS } from "../src/contract/oauth.ts";
import { writeOrCheck } from "./check-generated.ts";

interface Explanation {
  when: string;
  next: string;
}

function table<Row extends Explanation>(
  columns: readonly string[],
  rows: Readonly<Record<string, Row>>,
  toCells: (name: string, row: Row) => string[],
): string {
  const lines = Object.entries(rows).map(([name, row]) => [...toCells(name, row), row.when, row.next]);
  const header = [...columns, "When", "What to do"];
  return [header, header.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const code = (name: string) => `\`${name}\``;

writeOrCheck(
  join(import.meta.dirname, "../docs/errors.md"),
  `# Errors

<!-- Generated from src/contract by "npm run generate". Edit the tables there instead. -->

There are two kinds. A request that is refused has an HTTP status from 400 on and an error code. An execution that was accepted
and then failed is not an HTTP error: it is \`FAILED\`, \`terminal.status\` says why, and \`error.code\` says it more precisely. It is
never charged.

Handle the codes, never the messages: codes are stable, messages are for people.

## HTTP errors

\`\`\`json
{ "error": { "code": "INVALID_REQUEST", "message": "…", "details": [{ "path": "prompt", "message": "must not be blank" }], "request_id": "…" } }
\`\`\`

\`details\` is there when fields are at fault. \`request_id\` is also in the \`X-Request-Id\` header and in the service's log. Repeat a request
after 429 and 503, after the seconds in \`Retry-After\`; with an \`Idempotency-Key\` a create can be repeated after any failure.

${table(["Code", "Status"], ERRORS, (name, { status }) => [code(name), String(status)])}

## OAuth errors

The token and revocation endpoints use RFC 6749: \`{ "error": "invalid_grant", "error_description": "…" }\`. The authorization link
returns the same codes to the redirect URI, and \`access_denied\` when the user declined.

${table(["Error", "Status"], OAUTH_ERRORS, (name, { status }) => [code(name), String(status)])}

## How an execution ends

A \`COMPLETED\` execution has the terminal status \`verified\`: the errand was done, and every check agreed. A \`FAILED\` one has one of
these. It may have changed something on the site before it failed: \`GET …/executions/{id}/evidence\` lists what.

${table(["`terminal.status`"], FAILURES, (name) => [code(name)])}

## Error codes of executions

\`error.code\` is the terminal status in capitals, or one of these, which say more. New ones may be added: handle
\`terminal.status\` when you do not know the code.

${table(
  ["Code", "`terminal.status`"],
  Object.fromEntries(Object.entries(EXECUTION_ERRORS).filter(([name]) => !Object.hasOwn(FAILURES, name.toLowerCase()))),
  (name, { failures }) => [code(name), failures.map(code).join(", ")],
)}
`,
);
