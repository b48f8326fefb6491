import { describe, expect, it } from "vitest";
import { MEMBER } from "./login.ts";
import { PLANT_ROWS } from "./paged.ts";
import { startSites } from "./start-sites.ts";

const PATIENTLY = { timeout: 100_000 };

/** Without following redirects, so that they can be inspected. */
async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { redirect: "manual", headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields), headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function cookieOf({ headers }: { headers: Headers }): { cookie: string } {
  return { cookie: headers.get("set-cookie")?.split(";")[0] ?? "" };
}

const failed = { cause: expect.objectContaining({ code: "ECONNRESET" }) };

describe("every site", () => {
  it("records requests with body and status, on its own and across all sites", async () => {
    await using sites = await startSites();
    await get(`${sites.paged.url}/?page=2`);
    await post(`${sites.frames.url}/form`, { via: "nested", name: "Ann Example", phone: "12" });
    await get(`${sites.frames.url}/nowhere`);
    expect(sites.frames.recorded).toEqual([
      { site: "frames", method: "POST", path: "/form", body: "via=nested&name=Ann+Example&phone=12", status: 200 },
      { site: "frames", method: "GET", path: "/nowhere", body: "", status: 404 },
    ]);
    expect(sites.recorded.map(({ site, path }) => site + path)).toEqual([
      "paged/?page=2",
      "frames/form",
      "frames/nowhere",
    ]);
  });

  it("fails the next request for a path as configured, once, before it reaches the route", async () => {
    await using sites = await startSites();
    const { url, faults, state } = sites.frames;
    faults.failNext({ method: "POST", path: "/form", with: 502 });
    faults.failNext({ path: "/", with: "reset" });
    expect((await post(`${url}/form`, { name: "a" })).status).toBe(502);
    await expect(get(`${url}/`)).rejects.toMatchObject(failed);
    expect(state.callbacks).toEqual([]);
    expect((await post(`${url}/form`, { name: "b" })).status).toBe(200);
    expect((await get(`${url}/`)).status).toBe(200);
    expect(state.callbacks).toMatchObject([{ name: "b" }]);
  });

  it("delays responses as configured, and closes while clients wait", async () => {
    const sites = await startSites();
    sites.slow.faults.latencyMs = 3_600_000;
    const waiting = expect(get(`${sites.slow.url}/later`)).rejects.toThrow();
    const hanging = expect(get(`${sites.slow.url}/photo.png`)).rejects.toThrow();
    await expect.poll(() => sites.slow.recorded.length, PATIENTLY).toBe(2);
    expect((await get(`${sites.paged.url}/`)).status).toBe(200);
    await sites[Symbol.asyncDispose]();
    await Promise.all([waiting, hanging]);
    expect(sites.slow.recorded.map((request) => request.status)).toEqual([null, null]);
  });

  it("serves pages without external resources", async () => {
    await using sites = await startSites();
    const { recorded, hostile, partner, canary, ...rest } = sites;
    const running = Object.values(rest).filter((site) => typeof site === "object");
    for (const { url } of running) {
      const front = await get(`${url}/`);
      const links = [...front.text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path);
      for (const path of ["/", ...links]) {
        const { text } = await get(url + path).catch(() => ({ text: "" }));
        const loaded = [...text.matchAll(/(?:src|action)="(https?:[^"]*)"/g)].map(([, address]) => address);
        expect(loaded.filter((address) => !address?.startsWith(partner.url))).toEqual([]);
      }
    }
  });
});

describe("the slow site", () => {
  it.each([
    ["/unavailable", 503],
    ["/message", 503],
  ])("fails the first request to %s with %i and responds normally to the second", async (path, status) => {
    await using sites = await startSites();
    const ask = () =>
      path === "/message" ? post(sites.slow.url + path, { message: "hello" }) : get(sites.slow.url + path);
    expect((await ask()).status).toBe(status);
    expect((await ask()).status).toBe(200);
    expect(sites.slow.state.messages).toEqual(path === "/message" ? ["hello"] : []);
  });

  it("drops the first connection to /reset", async () => {
    await using sites = await startSites();
    await expect(get(`${sites.slow.url}/reset`)).rejects.toMatchObject(failed);
    expect((await get(`${sites.slow.url}/reset`)).text).toContain("42 seats");
  });
});

describe("the paged site", () => {
  it("shows each of its 57 rows on exactly one of six pages", async () => {
    await using sites = await startSites();
    const codes: string[] = [];
    for (const page of [1, 2, 3, 4, 5, 6]) codes.push(...codesIn((await get(`${sites.paged.url}/?page=${page}`)).text));
    expect(codes).toEqual(PLANT_ROWS.map((row) => row.code));
    expect(new Set(codes).size).toBe(57);
  });

  it("sorts, in both directions, and filters", async () => {
    await using sites = await startSites();
    const counts = PLANT_ROWS.map((row) => row.count).sort((a, b) => b - a);
    const sorted = (await get(`${sites.paged.url}/?sort=count&order=desc`)).text;
    expect([...sorted.matchAll(/<td>(\d+)<\/td><\/tr>/g)].map(([, count]) => Number(count))).toEqual(
      counts.slice(0, 10),
    );
    const filtered = (await get(`${sites.paged.url}/?q=POPPY`)).text;
    const poppies = PLANT_ROWS.filter((row) => row.name.includes("poppy"));
    expect(poppies.length).toBeGreaterThan(1);
    expect(codesIn(filtered)).toEqual(poppies.slice(0, 10).map((row) => row.code));
  });
});

describe("the login site", () => {
  it("redirects signed-out visitors to sign in, and then to the page they requested", async () => {
    await using sites = await startSites();
    const { url } = sites.login;
    const refused = await get(`${url}/members`);
    expect([refused.status, refused.headers.get("location")]).toEqual([302, "/login?next=%2Fmembers"]);
    expect((await post(`${url}/login`, { ...MEMBER, password: "wrong" })).status).toBe(401);
    const signedIn = await post(`${url}/login`, { ...MEMBER, next: "/members" });
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/members"]);
    expect((await get(`${url}/members`, cookieOf(signedIn))).text).toContain("7318");
    const elsewhere = await post(`${url}/login`, { ...MEMBER, next: "//evil.example" });
    expect(elsewhere.headers.get("location")).toBe("/members");
  });

  it("forgets a session after the configured number of requests", async () => {
    await using sites = await startSites();
    const { url, state } = sites.login;
    state.expiresAfterRequests = 2;
    const cookie = cookieOf(await post(`${url}/api/login`, MEMBER));
    const statuses = [];
    for (let request = 0; request < 3; request++) statuses.push((await get(`${url}/api/account`, cookie)).status);
    expect(statuses).toEqual([200, 200, 401]);
  });
});

describe("the lying site", () => {
  it.each([
    ["honest", 200, "New name"],
    ["error-page", 500, "Old name"],
    ["script", 500, "Old name"],
    ["forgetful", 200, "Old name"],
    ["truncating", 200, "New "],
  ] as const)("responds to the %s form with %i and then stores %j", async (form, status, kept) => {
    await using sites = await startSites();
    const { url, state } = sites.lying;
    const answer = await post(`${url}/${form}`, { display_name: "New name" });
    expect(answer.status).toBe(status);
    if (form !== "script") expect(answer.text).toContain("Saved!");
    expect(state.displayNames[form]).toBe(kept);
    expect((await get(`${url}/${form}`)).text).toContain(`Current display name: <strong>${kept}</strong>`);
  });
});

describe("the wizard", () => {
  it("marks errors, allows no skipped step, and keeps one submission", async () => {
    await using sites = await startSites();
    const { url, state } = sites.wizard;
    const cookie = cookieOf(await post(url, {}));
    const wrong = await post(`${url}/steps/1`, { name: "Ann Example", email: "nowhere" }, cookie);
    expect(wrong.status).toBe(422);
    expect(wrong.text.match(/name="(\w+)"[^>]*aria-invalid="true"/)?.[1]).toBe("email");
    expect((await post(`${url}/submit`, {}, cookie)).headers.get("location")).toBe("/steps/1");
    const answers = [
      { name: "Ann Example", email: "ann@example.com" },
      { site: "Mill Hill", size: "Medium (100 m²)" },
      { start: "2026-04-01", shed: "yes" },
      { plans: "Beans and some flowers", rules: "yes" },
    ];
    for (const [index, step] of answers.entries()) await post(`${url}/steps/${index + 1}`, step, cookie);
    expect((await get(`${url}/review`, cookie)).text).toContain("Beans and some flowers");
    const done = await post(`${url}/submit`, {}, cookie);
    expect(done.headers.get("location")).toBe("/confirmation/AP-2026-0001");
    expect((await post(`${url}/submit`, {}, cookie)).headers.get("location")).toBe("/");
    expect(state.submissions).toEqual([{ reference: "AP-2026-0001", application: Object.assign({}, ...answers) }]);
  });
});

describe("the ambiguous site", () => {
  it("has two cards that differ only in their forms, and rows with unique names", async () => {
    await using sites = await startSites();
    const { url, state } = sites.ambiguous;
    const cards = (await get(`${url}/cards`)).text.split('<div class="card">').slice(1);
    expect(cards).toHaveLength(2);
    expect(cards[0]?.replace("first", "second").split("</form>")[0]).toBe(cards[1]?.split("</form>")[0]);
    await post(`${url}/cards`, { card: "second" });
    await post(`${url}/rows`, { device: "Hall lamp" });
    expect(state).toMatchObject({ cards: ["first"], devices: ["Kitchen radio", "Garden pump"] });
    expect((await get(`${url}/rows`)).text).not.toContain("Hall lamp");
  });

  it("distinguishes fields with the same label by their order", async () => {
    await using sites = await startSites();
    expect((await get(`${sites.ambiguous.url}/names`)).text.match(/<label>Name /g)).toHaveLength(2);
    await post(`${sites.ambiguous.url}/save`, { a: "Ann", b: "Ben" });
    expect(sites.ambiguous.state.saved).toEqual([
      [
        ["a", "Ann"],
        ["b", "Ben"],
      ],
    ]);
  });
});

describe("bot checks", () => {
  it.each([
    ["/checkbox", 403, "Verify you are human"],
    ["/checking", 503, "Checking your browser"],
    ["/blocked", 403, "not a robot"],
  ])("are shown at %s of the captcha site", async (path, status, words) => {
    await using sites = await startSites();
    const answer = await get(sites.captcha.url + path);
    expect([answer.status, answer.text.includes(words)]).toEqual([status, true]);
  });
});

function codesIn(page: string): string[] {
  return [...page.matchAll(/<td>(P\d{3})<\/td>/g)].map(([, code = ""]) => code);
}
