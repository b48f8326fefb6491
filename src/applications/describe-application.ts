import type { Application } from "./application.ts";

/** An application as it is told outside: by the command line and in the console. */
export function describeApplication(application: Application) {
  return {
    id: application.id,
    name: application.name,
    type: application.type,
    redirect_uris: application.redirectUris,
    home_url: application.homeUrl,
    sign_in_url: application.signInUrl,
    signed_in_url: application.signedInUrl,
    signed_in_text: application.signedInText,
    signed_out_text: application.signedOutText,
    allowed_hosts: application.allowedHosts,
    access: application.access,
    require_pkce: application.requirePkce,
    created_at: application.createdAt.toISOString(),
  };
}
