import { createOperations } from "../../src/app/operations.ts";
import type { Database } from "../../src/storage/database.ts";

/** A user's connection to an application, with its access token. */
export interface Connected {
  applicationId: string;
  connectionId: string;
  token: string;
}

export const PLENTY_OF_CREDITS = 1_000_000_000;

/** Registers one application with plenty of credits and connects `count` users to it. */
export async function connectUsers(database: Database, count: number, homeUrl?: string): Promise<Connected[]> {
  const { applications, people, connections, credits } = createOperations(database);
  const { application } = await applications.register({
    name: "Benchmark",
    type: "public",
    redirectUris: [],
    ...(homeUrl !== undefined && { homeUrl }),
  });
  await credits.grant(application.ownerId, PLENTY_OF_CREDITS);
  const connected: Connected[] = [];
  for (let number = 1; number <= count; number += 1) {
    const person = await people.findOrCreate(`client-${number}@example.com`);
    const { connection, accessToken } = await connections.connect(application.id, person.id);
    connected.push({ applicationId: application.id, connectionId: connection.id, token: accessToken });
  }
  return connected;
}
