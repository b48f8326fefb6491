import { parseEmail } from "../../accounts/person.ts";
import { CallerError } from "../../lib/errors.ts";
import { parseLocalPath } from "../../lib/local-path.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { sendPage } from "../pages/page-response.ts";
import { forgotPasswordPage, linkSentPage, linkUsedPage, resetPasswordPage } from "../pages/password-reset-pages.ts";
import { createAttemptLimit } from "../plugins/attempt-limits.ts";
import { createFormGuard } from "../plugins/form-guards.ts";
import { isLocalRequest } from "../plugins/request-origin.ts";
import { asText } from "./sign-in.ts";

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;

/** New passwords for people who forgot theirs. */
export function addPasswordResetRoutes(
  app: App,
  { passwordResets, clock, limits, formKey, publicUrl }: AppDependencies,
): void {
  const forms = createFormGuard({ key: formKey, publicUrl });
  const limitAttempts = createAttemptLimit(limits.signIn, clock);

  app.get("/forgot-password", PAGE, async (request, reply) => {
    const query = request.query as Record<string, unknown>;
    const page = forgotPasswordPage({
      canSendMail: passwordResets.canSendMail,
      isLocal: isLocalRequest(request, publicUrl),
      email: asText(query["email"]),
      returnTo: parseLocalPath(query["return_to"]),
      formToken: forms.issue(request, reply),
    });
    return sendPage(reply, page);
  });

  app.post("/forgot-password", PAGE, async (request, reply) => {
    forms.check(request);
    const form = request.body as Record<string, unknown>;
    const email = asText(form["email"]);
    limitAttempts(request, email);
    if (!passwordResets.canSendMail) throw new CallerError("NOT_FOUND", "This installation does not send mail.");
    if (parseEmail(email) === null) throw new CallerError("INVALID_REQUEST", "Please enter a valid email address.");
    passwordResets.sendLink(email);
    return sendPage(reply, linkSentPage({ email, returnTo: parseLocalPath(form["return_to"]) }));
  });

  // Opening the link changes nothing: mail programs open links, too.
  app.get("/reset-password", PAGE, async (request, reply) => {
    const token = asText((request.query as Record<string, unknown>)["token"]);
    limitAttempts(request);
    if (!(await passwordResets.isUsable(token))) return sendPage(reply.code(410), linkUsedPage());
    return sendPage(reply, resetPasswordPage({ token, problem: null, formToken: forms.issue(request, reply) }));
  });

  app.post("/reset-password", PAGE, async (request, reply) => {
    forms.check(request);
    limitAttempts(request);
    const form = request.body as Record<string, unknown>;
    const token = asText(form["token"]);
    const outcome = await passwordResets.reset(token, asText(form["password"]));
    if (outcome.ok) {
      return reply.redirect(`/sign-in?${new URLSearchParams({ email: outcome.email, new_password: "1" })}`, 303);
    }
    if (!(await passwordResets.isUsable(token))) return sendPage(reply.code(410), linkUsedPage());
    const formToken = forms.issue(request, reply);
    return sendPage(reply.code(400), resetPasswordPage({ token, problem: outcome.reason, formToken }));
  });
}
