import { html } from "../../src/lib/html.ts";
import { page, type SiteResponse } from "../site/response.ts";
import type { ContactMessage } from "../site/state.ts";
import type { Visit } from "../site/visit.ts";
import { hasProblems, type Problems } from "../trade/problems.ts";
import { postForm, problemSummary, selectField, textArea, textField } from "./fields.ts";

export const TOPICS = ["An order", "A product", "My account", "Something else"];

export function contactPage({ session }: Visit, values: ContactMessage, problems: Problems = {}): SiteResponse {
  const choices = [{ value: "", label: "Please choose" }, ...TOPICS.map((topic) => ({ value: topic, label: topic }))];
  return page(
    "Contact",
    html`<div class="narrow"><h1>Write to us</h1>
    <p class="lead">Somebody reads every message, and you get an answer within one working day.</p>
    ${problemSummary(problems)}
    ${postForm(
      session,
      "/contact",
      html`${textField({ label: "Your name", name: "name", value: values.name, problems, autocomplete: "name" })}
      ${textField({ label: "E-mail address", name: "email", value: values.email, problems, type: "email", autocomplete: "email" })}
      ${selectField({ label: "What is it about?", name: "topic", value: values.topic, problems, choices })}
      ${textArea({ label: "Message", name: "text", value: values.text, problems, hint: "If it is about an order, please give its number." })}
      <button class="button" type="submit">Send message</button>`,
      "form card",
    )}</div>`,
    hasProblems(problems) ? 422 : 200,
  );
}

export function contactThanksPage(): SiteResponse {
  return page(
    "Message sent",
    html`<div class="message"><h1>Thank you, your message is here</h1>
    <p>We answer within one working day.</p>
    <p class="actions"><a class="button" href="/">Go to the start page</a></p></div>`,
  );
}
