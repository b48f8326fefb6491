import { useQuery } from "@tanstack/react-query";
import { Router } from "wouter";
import { ConsoleError } from "./api/console-error.ts";
import { setupQuery, useMaybeMe } from "./api/me.ts";
import { Pages } from "./pages/pages.tsx";
import { SetupPage } from "./pages/setup/setup-page.tsx";
import { LoadingPage } from "./parts/loading.tsx";
import { ProblemPage } from "./parts/problem.tsx";
import { Shell } from "./shell/shell.tsx";

/** Whoever comes first owns the installation; whoever is not signed in signs in; everybody else sees the console. */
export function App() {
  const setup = useQuery(setupQuery);
  const me = useMaybeMe();
  if (setup.data?.needs_owner === true) return <SetupPage setup={setup.data} />;
  if (me.error instanceof ConsoleError && me.error.status === 401) return <Leave />;
  const error = setup.error ?? me.error;
  if (error !== null)
    return <ProblemPage error={error} onRetry={() => void Promise.all([setup.refetch(), me.refetch()])} />;
  if (setup.data === undefined || me.data === undefined) return <LoadingPage />;
  return (
    <Router base="/console">
      <Shell>
        <Pages />
      </Shell>
    </Router>
  );
}

function Leave() {
  const { pathname, search } = window.location;
  window.location.replace(`/sign-in?${new URLSearchParams({ return_to: `${pathname}${search}` })}`);
  return <LoadingPage />;
}
