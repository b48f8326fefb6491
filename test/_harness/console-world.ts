import { createHash, randomUUID } from "node:crypto";
import { createArtifactFolder } from "../../src/storage/artifacts/folder.ts";
import { type ConsoleVisit, visitConsole } from "./console.ts";
import { PUBLIC, type TestConnection, type TestService } from "./service.ts";

/** An owner with an application, and a user who is connected to it. */
export interface Party {
  owner: ConsoleVisit;
  user: ConsoleVisit;
  connection: TestConnection;
}

export async function startParty(service: TestService, name: string, credits: number): Promise<Party> {
  const owner = await visitConsole(service, { credits });
  const user = await visitConsole(service);
  const applicationId = await registerFor(service, owner, name);
  return { owner, user, connection: await service.connect({ applicationId, email: user.email }) };
}

export async function registerFor(service: TestService, owner: ConsoleVisit, name: string): Promise<string> {
  const [row] = await service.database.query<{ id: string }>("select id from owners where user_id = $1", [
    owner.userId,
  ]);
  const { application } = await service.operations.applications.register({ ...PUBLIC, name }, row?.id);
  return application.id;
}

interface KeptArtifact {
  kind?: string;
  name: string;
  contentType: string;
  data: Buffer;
}

/** Stores an artifact as a run does; returns its id. */
export async function keepArtifact(
  { database, dataDir }: TestService,
  executionId: string,
  { kind = "download", name, contentType, data }: KeptArtifact,
): Promise<string> {
  const id = randomUUID();
  await createArtifactFolder(dataDir).write(executionId, id, data);
  await database.query(
    `insert into execution_artifacts (id, execution_id, kind, name, content_type, bytes, sha256)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, executionId, kind, name, contentType, data.byteLength, createHash("sha256").update(data).digest()],
  );
  return id;
}
