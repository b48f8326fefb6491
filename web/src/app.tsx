import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { Router } from "wouter";
import { ConsoleError } from "./api/console-error.ts";
import { setupQuery, useMaybeMe } from "./api/me.ts";
import { Pages } from "./pages/pages.tsx";
import { LoadingPage } from "./parts/loading.tsx";
import { ProblemPage } from "./parts/problem.tsx";
import { Shell } from "./shell/shell.tsx";

/** Seen once in the life of an installation. */
const SetupPage = lazy(async () => ({ default: (await import("./pages/setup/setup-page.tsx")).SetupPage }));

/** Whoever comes first owns the installation; whoever is not signed in signs in; everybody else sees the console. */
export function App() {
  const setup = useQuery(setupQuery);
  const needsOwner = setup.data?.needs_owner;
  // Not before it is known whether there is anybody who could be signed in.
  const me = useMaybeMe(needsOwner === false);
  const [wasSetUpHere, setWasSetUpHere] = useState(false);
  useEffect(() => {
    if (needsOwner === true) setWasSetUpHere(true);
  }, [needsOwner]);
  if (setup.data?.needs_owner === true) {
    return (
      <Suspense fallback={<LoadingPage />}>
        <SetupPage setup={setup.data} />
      </Suspense>
    );
  }
  const isStranger = me.error instanceof ConsoleError && me.error.status === 401;
  if (setup.data !== undefined && isStranger) return <Leave />;
  // What was answered once still holds while the service is away for a moment.
  if (setup.data === undefined || me.data === undefined) {
    const error = setup.error ?? (isStranger ? null : me.error);
    if (error === null) return <LoadingPage />;
    return <ProblemPage error={error} onRetry={() => void Promise.all([setup.refetch(), me.refetch()])} />;
  }
  return (
    <Router base="/console">
      <Shell isArrival={wasSetUpHere}>
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
