/**
 * What sites call the requests that report how a page is used, or that only keep a connection alive. Nothing that a page shows comes
 * of them.
 */
export const TELEMETRY: readonly string[] =
  "analytics telemetry metrics collect rum beacon tracking csp stats pageview pageviews impression impressions clickstream pixel sentry vitals heartbeat keepalive ping presence polling longpoll negotiate".split(
    " ",
  );
