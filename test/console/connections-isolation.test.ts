import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConsoleAnswer, type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

/** Each owner has an application, and each user is connected to one of them. Owners can be users too: Ada uses Bob's. */
const VISITORS = ["Ada, an owner", "Bob, an owner", "Cleo, Ada's user", "Dan, Bob's user"] as const;
type Name = (typeof VISITORS)[number];

interface Property {
  owner: Name;
  user: Name;
  applicationId: string;
  connectionId: string;
}

interface Route {
  method: string;
  of: "application" | "connection";
  path(id: string): string;
  body?: object;
  status: number;
}

const NAME = "Precious";
const ROUTES: Record<string, Route> = {
  "see an application": { method: "GET", of: "application", path: (id) => `/applications/${id}`, status: 200 },
  "see the connections of an application": {
    method: "GET",
    of: "application",
    path: (id) => `/applications/${id}/connections`,
    status: 200,
  },
  "change an application": {
    method: "PATCH",
    of: "application",
    path: (id) => `/applications/${id}`,
    body: { home_url: "https://elsewhere.example/" },
    status: 200,
  },
  "rotate the secret of an application": {
    method: "POST",
    of: "application",
    path: (id) => `/applications/${id}/secrets`,
    status: 201,
  },
  "delete the old secret of an application": {
    method: "DELETE",
    of: "application",
    path: (id) => `/applications/${id}/secrets/old`,
    status: 204,
  },
  "delete an application": {
    method: "DELETE",
    of: "application",
    path: (id) => `/applications/${id}`,
    body: { name: NAME },
    status: 204,
  },
  "stop a connection": { method: "POST", of: "connection", path: (id) => `/connections/${id}/stop`, status: 200 },
  "disconnect a connection": {
    method: "POST",
    of: "connection",
    path: (id) => `/connections/${id}/disconnect`,
    status: 200,
  },
  "delete a connection": { method: "DELETE", of: "connection", path: (id) => `/connections/${id}`, status: 204 },
};

const isOwner = (name: Name) => name.endsWith("an owner");

/** The response to somebody without access. */
const refusalFor = (name: Name, route: Route) => (route.of === "application" && !isOwner(name) ? 403 : 404);

const isTheirs = (name: Name, route: Route, { owner, user }: Property) =>
  name === owner || (route.of === "connection" && name === user);

describe("applications and connections of others", () => {
  let service: TestService;
  const visits = new Map<Name, ConsoleVisit>();
  let properties: Property[];
  let before: unknown;

  beforeAll(async () => {
    service = await startTestService();
    for (const name of VISITORS) {
      visits.set(name, await visitConsole(service, isOwner(name) ? { credits: 100 } : {}));
    }
    properties = [
      await newProperty("Ada, an owner", "Cleo, Ada's user"),
      await newProperty("Bob, an owner", "Dan, Bob's user"),
      await newProperty("Bob, an owner", "Ada, an owner"),
    ];
    before = await takeStock();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  function visitOf(name: Name): ConsoleVisit {
    const visit = visits.get(name);
    if (visit === undefined) throw new Error(`nobody is called ${name}`);
    return visit;
  }

  async function newProperty(owner: Name, user: Name): Promise<Property> {
    const made = await visitOf(owner).post("/applications", { name: NAME, type: "confidential" });
    const applicationId = made.body.application.id;
    await visitOf(owner).post(`/applications/${applicationId}/secrets`);
    const { connectionId } = await service.connect({ applicationId, email: visitOf(user).email });
    await service.database.query(
      "insert into saved_sign_ins (connection_id, key_id, wrapped_key, ciphertext) values ($1, 'key', '', '')",
      [connectionId],
    );
    return { owner, user, applicationId, connectionId };
  }

  function takeStock(): Promise<unknown> {
    return service.database.query(`select
      (select array_agg(applications::text order by id) from applications) as applications,
      (select array_agg(application_secrets::text order by id) from application_secrets) as secrets,
      (select array_agg(connections::text order by id) from connections) as connections,
      (select array_agg(access_tokens::text order by connection_id) from access_tokens) as tokens,
      (select array_agg(saved_sign_ins::text order by connection_id) from saved_sign_ins) as sign_ins`);
  }

  const idOf = (route: Route, { applicationId, connectionId }: Property) =>
    route.of === "application" ? applicationId : connectionId;

  const ask = (name: Name, { method, path, body }: Route, id: string, headers = {}): Promise<ConsoleAnswer> =>
    visitOf(name).call(method, path(id), body, headers);

  const CASES = Object.entries(ROUTES).flatMap(([what, route]) =>
    VISITORS.map((name): [Name, string, Route] => [name, what, route]),
  );

  it.each(CASES)("%s, cannot %s of others, nor tell it from one that does not exist", async (name, _what, route) => {
    const theirs = properties.filter((property) => !isTheirs(name, route, property));
    expect(theirs.length).toBeGreaterThan(0);
    const { body: unknown } = await ask(name, route, randomUUID());
    const ids = [
      ...theirs.map((one) => idOf(route, one)),
      ...properties.map((one) => wrongIdOf(route, one)),
      "no-id",
      "%00",
    ];
    for (const { status, body } of await Promise.all(ids.map((id) => ask(name, route, id)))) {
      expect(status).toBe(refusalFor(name, route));
      expect(body.error).toEqual({ ...unknown.error, request_id: expect.any(String) });
    }
    expect(await takeStock()).toEqual(before);
  });

  it.each(Object.entries(ROUTES))("nobody can %s without a session, or from another origin", async (_what, route) => {
    const [property] = properties as [Property];
    const id = idOf(route, property);
    expect((await ask(property.owner, route, id, { cookie: "" })).status).toBe(401);
    expect((await ask(property.owner, route, id, { origin: "https://evil.example" })).status).toBe(403);
    if (route.method !== "GET") {
      const { cookie } = visitOf(property.owner);
      const bare = await fetch(`${service.url}/console/api${route.path(id)}`, {
        method: route.method,
        headers: { cookie },
      });
      expect(bare.status).toBe(403);
    }
    expect(await takeStock()).toEqual(before);
  });

  it("are in nobody else's lists", async () => {
    for (const name of VISITORS) {
      const visit = visitOf(name);
      const listed = (await visit.get("/connections")).body.connections.map(({ id }: { id: string }) => id);
      const own = properties.filter(({ user }) => user === name).map(({ connectionId }) => connectionId);
      expect(new Set(listed)).toEqual(new Set(own));
      const { status, body } = await visit.get("/applications");
      expect(status).toBe(isOwner(name) ? 200 : 403);
      if (status === 403) continue;
      const owned = properties.filter(({ owner }) => owner === name);
      expect(new Set(body.applications.map(({ id }: { id: string }) => id))).toEqual(
        new Set(owned.map(({ applicationId }) => applicationId)),
      );
      for (const { applicationId, connectionId } of owned) {
        const { connections } = (await visit.get(`/applications/${applicationId}/connections`)).body;
        expect(connections.map(({ id }: { id: string }) => id)).toEqual([connectionId]);
      }
    }
  });

  it.each(CASES.filter(([name, , route]) => isOwner(name) || route.of === "connection"))(
    "%s, can %s of their own",
    async (name, _what, route) => {
      const others: Property[] = isOwner(name)
        ? [await newProperty(name, "Dan, Bob's user")]
        : [await newProperty("Ada, an owner", name), await newProperty("Bob, an owner", name)];
      for (const property of others) {
        expect((await ask(name, route, idOf(route, property).toUpperCase())).status).toBe(route.status);
      }
    },
  );
});

/** An id of the other resource gives no access either. */
function wrongIdOf(route: Route, { applicationId, connectionId }: Property): string {
  return route.of === "application" ? connectionId : applicationId;
}
