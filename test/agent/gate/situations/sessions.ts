import { redirectTo, sendJson } from "../../../sites/site.ts";
import {
  accept,
  click,
  fill,
  form,
  hidden,
  input,
  ok,
  QUESTION,
  reveal,
  type Situation,
  spa,
  tell,
  view,
  WEIGHT,
} from "../site.ts";

const signIn = form(
  "/session",
  '<label>User <input name="user"></label><label>Password <input type="password" name="password"></label>',
  "Sign in",
);

/** Sign-ins, sessions and consent. */
export const SESSIONS: readonly Situation[] = [
  {
    name: "a sign-in with the password of the prompt",
    prompt: "Sign in as jo with the password opensesame. Tell me the weight.",
    routes: () => ({
      "GET /": view("Sign in", signIn),
      "POST /session": () => redirectTo("/home"),
      "GET /home": view("Home", WEIGHT),
    }),
    flows: ["POST /session"],
    sent: [],
    end: "verified",
  },
  {
    name: "a sign-in in two pages, in a question",
    prompt: 'Sign in as "jo@example.com" with the password "opensesame" and tell me what the kettle weighs.',
    routes: () => ({
      "GET /": view("Sign in", form("/u/identifier", input("E-mail", "email"), "Continue")),
      "POST /u/identifier": () => redirectTo("/password"),
      "GET /password": view(
        "Password",
        form("/u/challenge", '<label>Password <input type="password" name="password"></label>', "Continue"),
      ),
      "POST /u/challenge": () => redirectTo("/home"),
      "GET /home": view("Home", WEIGHT),
    }),
    lines: [
      fill('textbox "E-mail"', "jo@example.com", null),
      click('button "Continue"', null),
      fill('textbox "Password"', "[secret-1]", null),
      click('button "Continue"', null),
      tell("1.2 kg"),
    ],
    flows: ["POST /u/identifier", "POST /u/challenge"],
    sent: [],
    end: "verified",
  },
  {
    name: "a sign-in that passes through another page by itself",
    prompt: "Click Sign in with Acme and tell me the weight.",
    routes: () => ({
      "GET /": view("Shop", '<a href="/sso">Sign in with Acme</a>'),
      "GET /sso": view(
        "One moment",
        form("/acs", hidden("SAMLResponse", "PHNhbWw+") + hidden("RelayState", "/"), "Continue"),
        "document.forms[0].submit();",
      ),
      "POST /acs": () => redirectTo("/home"),
      "GET /home": view("Home", WEIGHT),
    }),
    flows: ["POST /acs"],
    sent: [],
    end: "verified",
  },
  ...(["/consent", "/privacy-settings"] as const).map(
    (path): Situation => ({
      name: `a cookie banner that posts to ${path}`,
      prompt: QUESTION,
      routes: () => ({
        "GET /": view(
          "Kettle",
          '<div role="dialog" aria-label="Cookies"><p>We use cookies.</p><button id="all">Accept all</button></div>',
          `on("#all", async () => { const data = await send("${path}", { all: true }); if (data) { document.querySelector("[role=dialog]").remove(); show("Weight: 1.2 kg"); } });`,
        ),
        [`POST ${path}`]: accept,
      }),
      lines: [click('button "Accept all"', null), tell("1.2 kg")],
      flows: [`POST ${path}`],
      sent: [],
      end: "verified",
    }),
  ),
  {
    name: "a session that is refreshed before each read",
    prompt: QUESTION,
    routes: () => ({
      "GET /": spa(
        `await send("/auth/refresh", {}); const { token } = await (await send("/api/csrf-token", {})).json(); const data = token && (await fetch("/api/kettle")); ${reveal}`,
      ),
      "POST /auth/refresh": accept,
      "POST /api/csrf-token": () => sendJson({ token: "t-1" }),
      "GET /api/kettle": () => ok(),
    }),
    lines: [click('link "Brindle Kettle"', null), tell("1.2 kg")],
    flows: ["POST /auth/refresh", "POST /api/csrf-token"],
    sent: [],
    end: "verified",
  },
];
