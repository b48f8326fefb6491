import { ANSWER_MAX_LENGTH, type Interaction, type InteractionAction } from "../../contract/interaction.ts";
import { type Html, html } from "../../lib/html.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { brand, layout } from "./layout.ts";
import type { Page } from "./page-response.ts";
import type { PictureSize } from "./picture-size.ts";
import { AFTER_DOT, cleanText, untrustedText, withBreaks } from "./text.ts";

interface InteractionPageOptions {
  interaction: Interaction;
  applicationName: string;
  /** Where the page is: forms and the picture are below it. */
  path: string;
  /** Null when there is no picture. */
  pictureSize: PictureSize | null;
  /** What was wrong with the answer that was sent. */
  problem: string | null;
  /** What somebody chose after it had ended; null when nobody did. */
  lateAction: InteractionAction | null;
  hasErrandEnded: boolean;
  /** Whether the person may use the errand's browser when it asks for that. */
  mayUseBrowser: boolean;
  formToken: string;
  now: Date;
}

/** One question to one person, made for phones. Everything that comes from a page is escaped and isolated. */
export function interactionPage(options: InteractionPageOptions): Page {
  const { interaction } = options;
  return interaction.state === "open" ? openPage(options) : endedPage(options);
}

const TITLES = { approval: "Approve this?", question: "A question for you", takeover: "Your help is needed" };

function openPage(options: InteractionPageOptions): Page {
  const { interaction, applicationName, problem } = options;
  const title = TITLES[interaction.kind];
  const body = html`
${brand()}
<h1>${title}</h1>
<p class="lead"><strong>${untrustedText(applicationName)}</strong> is doing an errand for you on ${host(interaction.url)} and waits for your answer.</p>
<p class="asked">${untrustedText(interaction.message)}</p>
${facts(interaction)}
${picture(options)}
${values(interaction)}
${problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
${form(options)}
<p class="deadline">${timeLeft(options)}</p>`;
  return { html: layout({ title, body }) };
}

function host(url: string): Html {
  const text = URL.parse(url)?.host ?? "a site";
  return html`<bdi class="host">${withBreaks(cleanText(text), AFTER_DOT)}</bdi>`;
}

function facts({ amount, recipient, items }: Interaction): Html | false {
  if (amount === null && recipient === null && items.length === 0) return false;
  return html`<dl class="facts">
${amount !== null && html`<div><dt>Total</dt><dd class="total">${formatAmount(amount)}</dd></div>`}
${recipient !== null && html`<div><dt>To</dt><dd>${untrustedText(recipient)}</dd></div>`}
${items.length > 0 && html`<div><dt>${items.length === 1 ? "Item" : "Items"}</dt><dd><ul>${items.map((item) => html`<li>${untrustedText(item)}</li>`)}</ul></dd></div>`}
</dl>`;
}

function formatAmount({ value, currency }: NonNullable<Interaction["amount"]>): string {
  const isCurrency = /^[A-Z]{3}$/.test(currency);
  if (!isCurrency) return `${value} ${cleanText(currency)}`;
  return value.toLocaleString("en", { style: "currency", currency });
}

function values({ values: sent }: Interaction): Html | false {
  if (sent.length === 0) return false;
  return html`<section class="sent">
<h2>What will be sent</h2>
<dl>${sent.map(({ name, value }) => html`<div><dt>${untrustedText(name)}</dt><dd>${untrustedText(value)}</dd></div>`)}</dl>
</section>`;
}

/** Around the mark, because a phone shows a whole page too small; the whole page below it. */
function picture({ interaction, path, pictureSize }: InteractionPageOptions): Html | false {
  const mark = interaction.picture?.mark ?? null;
  if (pictureSize === null) return false;
  const whole = { x: 0, y: 0, ...pictureSize };
  if (mark === null) return drawing({ path, pictureSize, mark, view: whole, label: "The page as it is now" });
  return html`${drawing({ path, pictureSize, mark, view: cropAround(mark, pictureSize), label: "The place on the page, marked" })}
<details class="whole"><summary>Show the whole page</summary>${drawing({ path, pictureSize, mark, view: whole, label: "The whole page" })}</details>`;
}

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

const CROP = { width: 640, height: 420 };
const MARGIN = 12;

/** As large as `CROP`, or larger when the mark is, and within the picture. */
function cropAround(mark: Area, size: PictureSize): Area {
  const width = Math.min(size.width, Math.max(CROP.width, mark.width + 2 * MARGIN));
  const height = Math.min(size.height, Math.max(CROP.height, mark.height + 2 * MARGIN));
  const within = (start: number, length: number, total: number) => Math.max(0, Math.min(start, total - length));
  return {
    x: within(mark.x + mark.width / 2 - width / 2, width, size.width),
    y: within(mark.y + mark.height / 2 - height / 2, height, size.height),
    width,
    height,
  };
}

interface Drawing {
  path: string;
  pictureSize: PictureSize;
  mark: Area | null;
  view: Area;
  label: string;
}

function drawing({ path, pictureSize: { width, height }, mark, view, label }: Drawing): Html {
  const box = [view.x, view.y, view.width, view.height].map(Math.round).join(" ");
  return html`<svg class="page-picture" viewBox="${box}" role="img" aria-label="${label}">
<image href="${path}/picture" width="${width}" height="${height}"/>
${mark !== null && html`<rect class="place" x="${mark.x - 4}" y="${mark.y - 4}" width="${mark.width + 8}" height="${mark.height + 8}" rx="6"/>`}
</svg>`;
}

function form({ interaction, path, formToken, problem, mayUseBrowser }: InteractionPageOptions): Html {
  const fields = {
    approval: () => buttons("approve", LABELS.approval),
    question: () => html`${answerField(interaction, problem)}${buttons("answer", LABELS.question)}`,
    takeover: () => html`<p>${
      mayUseBrowser
        ? html`<a class="button" href="${path}/browser">Use the errand’s browser</a>`
        : "Only the user can use the errand’s browser. Send them the link of this question."
    }</p>
${buttons("hand_back", LABELS.takeover)}`,
  }[interaction.kind]();
  return html`<form class="fields-form" method="post" action="${path}">
<input type="hidden" name="form_token" value="${formToken}">
${fields}
</form>`;
}

const LABELS = {
  approval: { yes: "Approve", no: "Decline" },
  question: { yes: "Send", no: "Can’t answer" },
  takeover: { yes: "Continue the errand", no: "Stop the errand" },
};

function buttons(action: InteractionAction, { yes, no }: { yes: string; no: string }): Html {
  return html`<div class="decision">
<button class="button" type="submit" name="action" value="decline" formnovalidate>${no}</button>
<button class="button primary" type="submit" name="action" value="${action}">${yes}</button>
</div>`;
}

function answerField({ options, is_secret, message }: Interaction, problem: string | null): Html {
  if (options.length > 0) {
    return html`<fieldset class="options"><legend>Your answer</legend>
${options.map((option) => html`<label class="choice"><input type="radio" name="text" value="${option}" required><span>${untrustedText(option)}</span></label>`)}
</fieldset>`;
  }
  const kind = is_secret
    ? html` autocomplete="one-time-code" autocapitalize="none" spellcheck="false"`
    : html` autocomplete="off"`;
  return html`<div class="field">
<label for="text">${is_secret ? "Code" : "Your answer"}</label>
<input id="text" name="text" type="text" required maxlength="${ANSWER_MAX_LENGTH}"${kind}${problem !== null && html` aria-describedby="problem"`} title="${cleanText(message)}">
${is_secret && html`<p class="hint">It is used once and not kept.</p>`}
</div>`;
}

/** With the clock time, because nothing counts down on a page without a script. */
function timeLeft({ interaction, now }: InteractionPageOptions): string {
  const end = new Date(interaction.expires_at);
  const minutes = Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 60_000));
  const outcome =
    interaction.kind === "approval" ? "Without an answer, nothing is sent." : "Without an answer, the errand ends.";
  return `Answer by ${end.toISOString().slice(11, 16)} UTC, within ${pluralize(minutes, "minute")} of opening this page. ${outcome}`;
}

function endedPage(options: InteractionPageOptions): Page {
  const { interaction, applicationName, hasErrandEnded } = options;
  const end = describeEnd(options);
  const late = describeLate(options);
  const title = late === null ? end.title : "Too late";
  const body = html`
${brand()}
<h1>${title}</h1>
<p class="asked">${untrustedText(interaction.message)}</p>
<p>${late}${end.text}</p>
<p class="lead">You can close this page. ${untrustedText(applicationName)} ${hasErrandEnded ? "has" : "gets"} the result of the errand.</p>`;
  return { html: layout({ title, body }) };
}

const BY = {
  application: "by the application",
  link: "through the link",
  user: "by the person whose account it is",
  owner: "by the application’s owner",
};

const DECISIONS = { approve: "approved", decline: "declined", answer: "answered", hand_back: "handed_back" };

/** Null for somebody who only looks, or who wanted what was decided. */
function describeLate({ interaction: { kind, answer }, lateAction }: InteractionPageOptions): string | null {
  if (lateAction === null || (lateAction !== "answer" && DECISIONS[lateAction] === answer)) return null;
  const chosen = lateAction === "answer" ? "answer" : `“${LABELS[kind][lateAction === "decline" ? "no" : "yes"]}”`;
  return `Your ${chosen} came too late. `;
}

function describeEnd({ interaction, hasErrandEnded }: InteractionPageOptions): { title: string; text: string } {
  const { kind, state, answer, answered_by } = interaction;
  const by = answered_by === null ? "" : ` ${BY[answered_by]}`;
  const next = hasErrandEnded ? "The errand has ended since." : "The errand continues.";
  if (state === "expired") {
    const text = kind === "approval" ? "Nobody answered in time, so nothing was sent." : "Nobody answered in time.";
    return { title: "Time is over", text };
  }
  if (state === "closed")
    return { title: "No longer needed", text: "The errand ended before this was answered. Nothing was sent for it." };
  switch (answer) {
    case "approved":
      return { title: "Approved", text: `This was approved${by}. ${next}` };
    case "declined":
      return { title: "Declined", text: `This was declined${by}. Nothing was sent for it.` };
    default:
      return { title: "Answered", text: `This was answered${by}. ${next}` };
  }
}
