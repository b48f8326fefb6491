import type { Applications } from "./applications/applications.ts";
import { matchesRedirectUri } from "./applications/redirect-uri.ts";
import type { BrowserPool } from "./browser/browser-pool.ts";
import { createSignIns } from "./connections/sign-in/create-sign-ins.ts";
import type { LiveSignInLimits } from "./connections/sign-in/live-sign-in.ts";
import type { SignInRequest, SignIns } from "./connections/sign-in/sign-ins.ts";
import type { Clock } from "./lib/clock.ts";
import type { Logger } from "./lib/logger.ts";
import { authorizationResponse } from "./oauth/authorization-response.ts";
import type { OAuth } from "./oauth/oauth.ts";
import { OAuthError } from "./oauth/oauth-error.ts";
import type { Database } from "./storage/database.ts";
import { createSignInAttemptStore } from "./storage/sql-sign-in-attempts.ts";

/** Browsers in which people sign in by hand. */
export interface SignInBrowsers {
  pool: BrowserPool;
  /** Hosts at private addresses that they may reach. */
  privateHosts: readonly string[];
  /** Other times than usual, for tests. */
  limits?: Partial<LiveSignInLimits>;
}

interface SignInServiceOptions {
  config: { publicUrl: string; maxSignIns: number };
  database: Database;
  applications: Applications;
  oauth: OAuth;
  browsers: SignInBrowsers;
  clock: Clock;
  logger: Logger;
}

/** Joins the sign-ins by hand with the browsers and with what OAuth makes of them. */
export function createSignInService(options: SignInServiceOptions): SignIns {
  const { config, database, applications, oauth, browsers, clock, logger } = options;
  const { pool, privateHosts, limits = {} } = browsers;
  const goBack = ({ redirectUri, state }: SignInRequest, answer: { code: string } | OAuthError) =>
    authorizationResponse(redirectUri, config.publicUrl, state, answer);
  return createSignIns({
    store: createSignInAttemptStore(database),
    applications,
    openBrowser: (live, signal) => pool.openLive({ ...live, privateHosts, clock }, signal),
    async goBackWithCode(attempt, signIn) {
      // It may have been changed since the person agreed: codes go only where it is still at home.
      const application = await applications.find(attempt.applicationId);
      const isRegistered = application?.redirectUris.some((uri) => matchesRedirectUri(uri, attempt.redirectUri));
      if (isRegistered !== true) return null;
      const granted = await oauth.grant(attempt, { ...signIn, attemptId: attempt.id });
      return granted === null ? null : goBack(attempt, granted);
    },
    goBackWithError: (request, error, message) => goBack(request, new OAuthError(error, message)),
    maxLive: config.maxSignIns,
    limits,
    logger,
  });
}
