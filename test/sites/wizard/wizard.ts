import { randomUUID } from "node:crypto";
import { html } from "../../../src/lib/html.ts";
import { layOut } from "../page.ts";
import { type Answer, redirectTo, type Site, type SiteRequest, showPage } from "../site.ts";
import { type Application, checkStep, type Problems, renderField, STEPS } from "./steps.ts";

export interface Submission {
  readonly reference: string;
  readonly application: Application;
}

/** An application for a garden plot: four steps stored on the server, a review and a reference number. */
export function createWizardSite(): Site<{ submissions: Submission[] }> {
  const submissions: Submission[] = [];
  const drafts = new Map<string, Application>();
  const draftOf = ({ cookies }: SiteRequest) => drafts.get(cookies.get("wizard_draft") ?? "");

  function showStep(request: SiteRequest): Answer {
    const draft = draftOf(request);
    const number = stepNumberOf(request);
    if (draft === undefined || STEPS[number - 1] === undefined) return redirectTo("/");
    return showPage(stepPage(number, draft, {}));
  }

  function takeStep(request: SiteRequest): Answer {
    const draft = draftOf(request);
    const number = stepNumberOf(request);
    const step = STEPS[number - 1];
    if (draft === undefined || step === undefined) return redirectTo("/");
    for (const { name } of step.fields) draft[name] = request.field(name);
    const problems = checkStep(step, draft);
    if (Object.keys(problems).length > 0) return showPage(stepPage(number, draft, problems), 422);
    return redirectTo(number === STEPS.length ? "/review" : `/steps/${number + 1}`);
  }

  function submit(request: SiteRequest): Answer {
    const draft = draftOf(request);
    if (draft === undefined) return redirectTo("/");
    const gap = firstUnfinished(draft);
    if (gap !== null) return redirectTo(`/steps/${gap}`);
    const reference = `AP-2026-${String(submissions.length + 1).padStart(4, "0")}`;
    submissions.push({ reference, application: draft });
    drafts.delete(request.cookies.get("wizard_draft") ?? "");
    return redirectTo(`/confirmation/${reference}`);
  }

  return {
    state: { submissions },
    routes: {
      "GET /": () => showPage(START_PAGE),
      "POST /": () => {
        const id = randomUUID();
        drafts.set(id, {});
        return redirectTo("/steps/1", 303, { "set-cookie": `wizard_draft=${id}; Path=/; HttpOnly; SameSite=Lax` });
      },
      "GET /steps/*": showStep,
      "POST /steps/*": takeStep,
      "GET /review": (request) => {
        const draft = draftOf(request);
        const gap = draft === undefined ? null : firstUnfinished(draft);
        if (gap !== null) return redirectTo(`/steps/${gap}`);
        return draft === undefined ? redirectTo("/") : showPage(reviewPage(draft));
      },
      "POST /submit": submit,
      "GET /confirmation/*": ({ path }) => showConfirmation(path.slice("/confirmation/".length), submissions),
    },
  };
}

function stepNumberOf({ path }: SiteRequest): number {
  return Number(path.slice("/steps/".length));
}

/** The number of the first incomplete step. */
function firstUnfinished(draft: Application): number | null {
  const index = STEPS.findIndex((step) => Object.keys(checkStep(step, draft)).length > 0);
  return index === -1 ? null : index + 1;
}

const START_PAGE = layOut(
  "Apply for a plot",
  html`<h1>Apply for a plot</h1><p>Four short steps. You need about five minutes.</p>
  <form method="post" action="/"><button>Start the application</button></form>`,
);

function stepPage(number: number, draft: Application, problems: Problems) {
  const step = STEPS[number - 1];
  const title = `Step ${number} of ${STEPS.length}: ${step?.title}`;
  const messages = Object.values(problems);
  return layOut(
    title,
    html`<h1>${title}</h1>
    ${messages.length > 0 && html`<div role="alert"><p class="error">Please check:</p><ul>${messages.map((message) => html`<li>${message}</li>`)}</ul></div>`}
    <form method="post" action="/steps/${number}" novalidate>
      ${step?.fields.map((field) => renderField(field, draft[field.name] ?? "", problems[field.name]))}
      <button>Continue</button>
    </form>
    ${number > 1 && html`<p><a href="/steps/${number - 1}">Back</a></p>`}`,
  );
}

function reviewPage(draft: Application) {
  const section = (step: (typeof STEPS)[number], index: number) => html`<section>
    <h2>${step.title}</h2>
    <dl>${step.fields.map(({ name, label }) => html`<dt>${label}</dt><dd>${draft[name] || "no"}</dd>`)}</dl>
    <a href="/steps/${index + 1}" aria-label="Change ${step.title}">Change</a>
  </section>`;
  return layOut(
    "Review",
    html`<h1>Check your answers</h1>${STEPS.map(section)}
    <form method="post" action="/submit"><button>Submit application</button></form>`,
  );
}

function showConfirmation(reference: string, submissions: readonly Submission[]): Answer {
  const submission = submissions.find((candidate) => candidate.reference === reference);
  if (submission === undefined) return showPage(layOut("Not found", html`<h1>Not found</h1>`), 404);
  return showPage(
    layOut(
      "Application received",
      html`<h1>Application received</h1>
      <p>Your reference number is <strong>${reference}</strong>. We write to ${submission.application["email"]}.</p>`,
    ),
  );
}
