import { CallerError } from "../lib/caller-error.ts";

interface Place {
  host: string;
  port: number;
}

/** Where it listens then. */
export async function listen(
  app: { listen(place: Place): Promise<string> },
  { host, port }: Place,
  advice: string,
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new CallerError("UNAVAILABLE", `Port ${port} on ${host} is taken by another program. ${advice}`, {
      cause: error,
    });
  }
}
