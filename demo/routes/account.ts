import { overviewPage, settingsPage } from "../pages/account-pages.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { member, type Route } from "../site/route.ts";
import { field, type MemberVisit } from "../site/visit.ts";

export const ACCOUNT_ROUTES: readonly Route[] = [
  member("GET", "/account", overviewPage),
  member("GET", "/account/settings", (visit) => settingsPage(visit, visit.account)),
  member("POST", "/account/settings", saveSettings),
];

function saveSettings(visit: MemberVisit): SiteResponse {
  const { account, session } = visit;
  const values = {
    displayName: field(visit, "displayName"),
    newsletter: field(visit, "newsletter") === "yes",
    asksForCode: field(visit, "asksForCode") === "yes",
  };
  if (values.displayName === "") return settingsPage(visit, values, { displayName: "Enter a name." });
  if (values.displayName.length > 60) {
    return settingsPage(visit, values, { displayName: "A display name has 60 characters at most." });
  }
  Object.assign(account, values);
  session.notice = "Your settings are saved.";
  return redirect("/account/settings");
}
