/**
 * For every connection to PostgreSQL. A peer that is gone without a word is noticed on both sides: by us, so that nobody
 * waits for it, and by the server, so that what a lost process has locked is free again.
 */
export const CONNECTION_LIMITS = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  // Then once a second; after ten without an answer the connection is over.
  keepAliveInitialDelayMillis: 10_000,
  idle_in_transaction_session_timeout: 30_000,
  options: "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4",
} as const;
