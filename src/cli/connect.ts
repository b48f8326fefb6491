import type { Command } from "commander";
import { parseEmail } from "../accounts/person.ts";
import type { Application } from "../applications/application.ts";
import { CallerError } from "../lib/errors.ts";
import { withOperations } from "./database.ts";
import { loadConfig } from "./options.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

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
      const { publicUrl } = loadConfig(options);
      const { result, repair } = await withOperations(options, async ({ applications, connections, people }) => {
        const application = await applications.get(options.application);
        const person = await people.findOrCreate(email);
        const { connection, accessToken } = await connections.connect(application.id, person.id);
        return {
          result: {
            access_token: accessToken,
            connection_id: connection.id,
            user_id: person.id,
            application_id: application.id,
          },
          repair:
            connection.state === "ACTIVE"
              ? null
              : { state: connection.state, authorization_url: buildAuthorizationUrl(application, publicUrl) },
        };
      });
      printResult(options.json, { ...result, ...repair }, [
        `Connected ${email}.`,
        `  access token   ${result.access_token}   (shown once: keep it safe)`,
        `  connection     ${result.connection_id}`,
        `  user           ${result.user_id}`,
        ...(repair === null ? [] : explainReauthorization(repair.authorization_url)),
      ]);
    });
}

function buildAuthorizationUrl({ id, redirectUris }: Application, publicUrl: string): string {
  const [redirectUri] = redirectUris;
  const link = new URL("/v1/oauth/authorize", publicUrl);
  link.searchParams.set("response_type", "code");
  link.searchParams.set("client_id", id);
  if (redirectUri !== undefined) link.searchParams.set("redirect_uri", redirectUri);
  return link.href;
}

/** A token alone does not make the site know the user again. */
function explainReauthorization(link: string): string[] {
  return [
    "The site does not know this user any more: nothing runs until they have signed in there again. Send them to",
    `  ${link}`,
    "or through the application's own link, which also has its state and its PKCE challenge.",
  ];
}
