import { forgedFormPage } from "../pages/error-pages.ts";
import { redirect, type SiteResponse } from "./response.ts";
import type { MemberVisit, Visit } from "./visit.ts";

export interface Route {
  method: "GET" | "POST";
  path: string;
  handle(visit: Visit): SiteResponse;
}

/** A public route. */
export function anyone(method: Route["method"], path: string, handle: (visit: Visit) => SiteResponse): Route {
  return { method, path, handle: (visit) => rejectForgedForm(visit) ?? handle(visit) };
}

/**
 * A route for signed-in users. Others are sent to sign in and then back. This is checked before the form token, because an
 * expired session has lost its token. Every such path also has a GET route to come back to.
 */
export function member(method: Route["method"], path: string, handle: (visit: MemberVisit) => SiteResponse): Route {
  return {
    method,
    path,
    handle: (visit) => {
      const { account } = visit;
      if (account === null) return redirect(signInPath(visit));
      return rejectForgedForm(visit) ?? handle({ ...visit, account });
    },
  };
}

function signInPath({ path, query }: Visit): string {
  const search = query.size > 0 ? `?${query}` : "";
  return `/sign-in?${new URLSearchParams({ return: path + search })}`;
}

function rejectForgedForm({ method, form, session }: Visit): SiteResponse | null {
  return method === "POST" && form.get("csrf") !== session.csrfToken ? forgedFormPage() : null;
}
