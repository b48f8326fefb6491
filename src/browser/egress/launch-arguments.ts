/** Nothing listens here: what does not belong to a run's context has no way out at all. */
const DEAD_END = "http://127.0.0.1:1";

/** By default Chromium reaches loopback and link-local addresses around its proxy; this takes the exception back. */
export const PROXY_LOOPBACK_TOO = "<-loopback>";

/**
 * What makes the proxy the only way out. Everything that speaks HTTP goes to the proxy by itself; these close what
 * does not. No `--disable-features` here: a second one would undo Playwright's.
 */
export const EGRESS_ARGUMENTS: readonly string[] = [
  // HTTP/3 is UDP and would need no proxy.
  "--disable-quic",
  // WebRTC sends UDP around any HTTP proxy. Headless shells read the first, full Chromium and Chrome the second.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  // Names are the proxy's business. A browser that resolves none cannot prefetch, or tell a name server what it reads.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-first-run",
];

/** A browser that reaches nothing until a context brings its proxy. */
export const NO_WAY_OUT: readonly string[] = [
  ...EGRESS_ARGUMENTS,
  `--proxy-server=${DEAD_END}`,
  `--proxy-bypass-list=${PROXY_LOOPBACK_TOO}`,
];
