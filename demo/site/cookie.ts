const NAME = "tindlemere";

export function readSessionCookie(header: string | undefined): string | null {
  for (const pair of (header ?? "").split(";")) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === NAME && value !== undefined && value !== "") return value;
  }
  return null;
}

/** Not `Secure`, because the shop runs on plain HTTP on the local machine. */
export function writeSessionCookie(id: string): string {
  return `${NAME}=${id}; Path=/; HttpOnly; SameSite=Lax`;
}
