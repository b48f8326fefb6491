import { forgedFormPage } from "../pages/error-pages.ts";
import { type Answer, redirect } from "./answer.ts";
import type { MemberVisit, Visit } from "./visit.ts";

export interface Route {
  method: "GET" | "POST";
  path: string;
  handle(visit: Visit): Answer;
}

/** A route for everybody. */
export function anyone(method: Route["method"], path: string, handle: (visit: Visit) => Answer): Route {
  return { method, path, handle: (visit) => refuseForged(visit) ?? handle(visit) };
}

/**
 * A route for whoever is signed in. Others sign in first and come back: that comes before the token of the form,
 * because a session that has ended took its token along. Every such path can also be opened with GET.
 */
export function member(method: Route["method"], path: string, handle: (visit: MemberVisit) => Answer): Route {
  return {
    method,
    path,
    handle: (visit) => {
      const { account } = visit;
      if (account === null) return redirect(signInPath(visit));
      return refuseForged(visit) ?? handle({ ...visit, account });
    },
  };
}

function signInPath({ path, query }: Visit): string {
  const search = query.size > 0 ? `?${query}` : "";
  return `/sign-in?${new URLSearchParams({ return: path + search })}`;
}

function refuseForged({ method, form, session }: Visit): Answer | null {
  return method === "POST" && form.get("csrf") !== session.csrfToken ? forgedFormPage() : null;
}
