const BY_CODE: Record<string, string> = {
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The receiver closed the connection before it answered.",
  EPIPE: "The receiver closed the connection before it answered.",
  ENOTFOUND: "The name of the host cannot be found.",
  EAI_AGAIN: "The name of the host cannot be looked up right now.",
  ENETUNREACH: "The host cannot be reached.",
  EHOSTUNREACH: "The host cannot be reached.",
  ETIMEDOUT: "The host cannot be reached in time.",
  HPE_HEADER_OVERFLOW: "The answer has too many headers.",
};

/** What went wrong, in words that tell nothing about this machine or its network. */
export function describeNoAnswer(error: unknown): string {
  const code = codeOf(error);
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return "The answer is not HTTP.";
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) return `The host's certificate is not valid (${code}).`;
  if (/SSL|TLS|^EPROTO$/.test(code)) return "The host does not speak TLS as it should.";
  return code === "" ? "The connection failed." : `The connection failed (${code}).`;
}

/** With several addresses, each has its own: the last one is as good as any. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
