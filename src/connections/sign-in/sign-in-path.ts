/** Paths, and parts of host names, that sites give to their sign-in. */
export const SIGN_IN_PATH = /(^|[/._-])(log-?in|sign-?in|log-?on|sso|auth|authenticate|sessions?\/new)([/._-]|$)/i;
