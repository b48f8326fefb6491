import { contactPage, contactThanksPage, TOPICS } from "../pages/contact-page.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { anyone, type Route } from "../site/route.ts";
import { field, type Visit } from "../site/visit.ts";
import { hasProblems, type Problems } from "../trade/problems.ts";
import { looksLikeEmail } from "./sign-up.ts";

export const CONTACT_ROUTES: readonly Route[] = [
  anyone("GET", "/contact", showForm),
  anyone("POST", "/contact", send),
  anyone("GET", "/contact/thanks", contactThanksPage),
];

function showForm(visit: Visit): SiteResponse {
  const { displayName = "", email = "" } = visit.account ?? {};
  return contactPage(visit, { name: displayName, email, topic: "", text: "" });
}

function send(visit: Visit): SiteResponse {
  const message = {
    name: field(visit, "name"),
    email: field(visit, "email"),
    topic: field(visit, "topic"),
    text: field(visit, "text"),
  };
  const problems: Problems = {};
  if (message.name === "") problems["name"] = "Enter your name.";
  if (!looksLikeEmail(message.email)) problems["email"] = "Enter an e-mail address that we can answer to.";
  if (!TOPICS.includes(message.topic)) problems["topic"] = "Choose what it is about.";
  if (message.text.length < 10) problems["text"] = "Write a sentence or two.";
  if (hasProblems(problems)) return contactPage(visit, message, problems);
  visit.shop.messages.push(message);
  return redirect("/contact/thanks");
}
