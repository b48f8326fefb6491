import type { Command } from "commander";
import { parseEmail } from "../accounts/email.ts";
import type { Application } from "../applications/application.ts";
import { CallerError } from "../lib/caller-error.ts";
import { loadConfig } from "./load-config.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { withOperations } from "./with-operations.ts";

export function addConnectCommand(program: Command): void {
  program
    .command("connect")
    .description("the operator's shortcut: connect a user to an application without the OAuth flow, and print a token")
    .requiredOption("--application <id>", "the application's id")
    .requiredOption("--user <email>", "the user's e-mail address; made when there is no such user")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nA new token for the same connection revokes the previous one.")
    .action(async (options: CommonOptions & { application: string; user: string }) => {
      const email = parseEmail(options.user);
      if (email === null) throw new CallerError("INVALID_REQUEST", `${options.user} is not an e-mail address.`);
      const { application, result } = await withOperations(options, async (operations) => {
        const application = await operations.applications.get(options.application);
        const person = await operations.people.findOrCreate(email);
        const { connection, accessToken } = await operations.connections.connect(application.id, person.id);
        const result = {
          access_token: accessToken,
          connection_id: connection.id,
          user_id: person.id,
          application_id: application.id,
          state: connection.state,
        };
        return { application, result };
      });
      printResult(options.json, result, [
        `Connected ${email}.`,
        `  access token   ${result.access_token}   (shown once: keep it safe)`,
        `  connection     ${result.connection_id}`,
        `  user           ${result.user_id}`,
        ...(result.state === "ACTIVE" ? [] : describeRepair(application, loadConfig(options).publicUrl)),
      ]);
    });
}

/** What a token alone does not repair. */
function describeRepair({ id, redirectUris }: Application, publicUrl: string): string[] {
  const [redirectUri] = redirectUris;
  const link = new URL("/v1/oauth/authorize", publicUrl);
  link.search = new URLSearchParams({
    response_type: "code",
    client_id: id,
    ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
  }).toString();
  return [
    "The site does not know this user any more: nothing runs until they have signed in there again. Send them to",
    `  ${link.href}`,
    "or through the application's own link, which also has its state and its PKCE challenge.",
  ];
}
