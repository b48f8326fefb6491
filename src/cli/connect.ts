import type { Command } from "commander";
import { parseEmail } from "../accounts/person.ts";
import type { Application } from "../applications/application.ts";
import { CallerError } from "../lib/errors.ts";
import { withOperations } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, loadConfig } from "./options.ts";
import { printResult } from "./output.ts";

export function addConnectCommand(program: Command): void {
  program
    .command("connect")
    .description("connect a user to an application without the OAuth flow, and print an access token")
    .requiredOption("--application <id>", "the application's id")
    .requiredOption("--user <email>", "the user's email address; the user is created if necessary")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nIf the user is already connected, the connection stays the same and the new token replaces the old one.",
    )
    .action(async (options: CommonOptions & { application: string; user: string }) => {
      const email = parseEmail(options.user);
      if (email === null) throw new CallerError("INVALID_REQUEST", `${options.user} is not an email address.`);
      const { publicUrl } = loadConfig(options);
      const { result, reauthorization } = await withOperations(
        options,
        async ({ applications, connections, people }) => {
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
            reauthorization:
              connection.state === "ACTIVE"
                ? null
                : { state: connection.state, authorization_url: buildAuthorizationUrl(application, publicUrl) },
          };
        },
      );
      printResult(options.json, { ...result, ...reauthorization }, [
        `Connected ${email}.`,
        `  access token   ${result.access_token}   (shown only once; keep it safe)`,
        `  connection     ${result.connection_id}`,
        `  user           ${result.user_id}`,
        ...(reauthorization === null ? [] : explainReauthorization(reauthorization.authorization_url)),
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

/** A token alone does not sign the user in to the site. */
function explainReauthorization(link: string): string[] {
  return [
    "The user is signed out of the site, so errands fail until they sign in again. Send them to",
    `  ${link}`,
    "or to the application's own authorization link, which also carries its state and PKCE challenge.",
  ];
}
