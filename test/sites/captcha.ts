import { html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { type Site, showPage } from "./site.ts";

interface CaptchaState {
  /** The number of attempts to get past: none ever succeeds. */
  attempts: number;
}

/** The usual kinds of bot checks. None can be passed: what counts is that no run claims to have passed one. */
export function createCaptchaSite(): Site<CaptchaState> {
  const state: CaptchaState = { attempts: 0 };
  return {
    state,
    routes: {
      "GET /": () =>
        showPage(
          layOutIndex("Ticket Office", {
            "/checkbox": "Concert tickets (checkbox)",
            "/checking": "Theatre tickets (browser check)",
            "/blocked": "Museum tickets (blocked)",
            "/form": "Contact (form with challenge)",
          }),
        ),
      "GET /checkbox": () => showPage(CHECKBOX_PAGE, 403),
      "GET /checking": () => showPage(CHECKING_PAGE, 503),
      "GET /blocked": () => showPage(BLOCKED_PAGE, 403),
      "GET /form": () => showPage(contactPage(false)),
      "POST /form": () => {
        state.attempts++;
        return showPage(contactPage(true), 400);
      },
      "GET /challenge": () => showPage(CHALLENGE_FRAME),
      "POST /challenge": () => {
        state.attempts++;
        return showPage(PUZZLE_FRAME);
      },
    },
  };
}

const FRAME = html`<iframe title="captcha challenge" src="/challenge" width="320" height="160"></iframe>`;

const CHECKBOX_PAGE = layOut(
  "Just a moment…",
  html`<h1>Verify you are human</h1><p>Complete the check below to continue to the ticket office.</p>${FRAME}
  <p class="hint">Reference: 8c41-d20e</p>`,
);

const CHECKING_PAGE = layOut(
  "Just a moment…",
  html`<h1>Checking your browser</h1>
  <p>Checking your browser before you continue. This may take a few seconds.</p>
  <noscript>Turn on JavaScript and cookies to continue.</noscript>`,
  html`<meta http-equiv="refresh" content="5">`,
);

const BLOCKED_PAGE = layOut(
  "Access denied",
  html`<h1>Access denied</h1>
  <p>Our systems have seen unusual traffic from your network. Please solve the challenge to show that you are not a robot.</p>
  ${FRAME}`,
);

function contactPage(isRefused: boolean) {
  return layOut(
    "Contact",
    html`<h1>Contact</h1>
    ${isRefused && html`<p class="error" role="alert">Please complete the captcha.</p>`}
    <form method="post" action="/form">
      <label>E-mail address <input name="email" type="email"></label>
      <label>Message <textarea name="message"></textarea></label>
      ${FRAME}
      <button>Send message</button>
    </form>`,
  );
}

const CHALLENGE_FRAME = layOut(
  "Challenge",
  html`<form method="post" action="/challenge">
    <label><input type="checkbox" name="human" onchange="this.form.submit()"> I am not a robot</label>
  </form>`,
);

const PUZZLE_FRAME = layOut(
  "Challenge",
  html`<form method="post" action="/challenge"><p>Select all squares with bicycles.</p>
    ${[1, 2, 3, 4, 5, 6].map((number) => html`<label style="display: inline"><input type="checkbox" name="square" value="${number}"> Square ${number}</label> `)}
    <button>Verify</button>
  </form>`,
);
