import { Anchor } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useCallback, useEffect, useState } from "react";
import { Link, Redirect, Route, Router, Switch } from "wouter";
import { meQuery, setupQuery, useMaybeMe } from "./api/account.ts";
import { ConsoleError, isOutage } from "./api/client.ts";
import { ErrorPage, LoadingPage } from "./components/feedback.tsx";
import { PageTitle } from "./components/page.tsx";
import { lazyPage } from "./shell/lazy-page.ts";
import { Shell } from "./shell/shell.tsx";
import { UnreachablePage } from "./shell/unreachable-notice.tsx";

const SetupPage = lazyPage(async () => (await import("./pages/setup/setup-page.tsx")).SetupPage);

/** Shows setup on a new installation, the sign-in page to signed-out users, and otherwise the console. */
export function App() {
  const setup = useQuery(setupQuery);
  const needsOwner = setup.data?.needs_owner;
  // Only once the installation has an owner: before that, nobody can be signed in.
  const me = useMaybeMe(needsOwner === false);
  const isAway = useOutage([setup, me]);
  const client = useQueryClient();
  const retry = useCallback(
    () => void Promise.all([client.refetchQueries(setupQuery), client.refetchQueries({ ...meQuery, type: "active" })]),
    [client],
  );
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
  const isSignedOut = me.error instanceof ConsoleError && me.error.status === 401;
  if (setup.data !== undefined && isSignedOut) return <RedirectToSignIn />;
  // Keeps showing loaded data while the service is briefly unreachable.
  if (setup.data === undefined || me.data === undefined) {
    const error = setup.error ?? (isSignedOut ? null : me.error);
    if (isAway) return <UnreachablePage onRetry={retry} />;
    return error === null ? <LoadingPage /> : <ErrorPage error={error} onRetry={retry} />;
  }
  return (
    <Router base="/console">
      <Shell isArrival={wasSetUpHere}>
        <Pages />
      </Shell>
    </Router>
  );
}

/** Stays true from the first failed request until all of them succeeded: each attempt begins without an error. */
function useOutage(queries: readonly { failureReason: Error | null; error: Error | null; isSuccess: boolean }[]) {
  const [isAway, setIsAway] = useState(false);
  const hasFailed = queries.some(({ failureReason, error }) => isOutage(failureReason ?? error));
  const hasRecovered = queries.every(({ isSuccess }) => isSuccess);
  useEffect(() => {
    if (hasFailed) setIsAway(true);
    else if (hasRecovered) setIsAway(false);
  }, [hasFailed, hasRecovered]);
  return isAway || hasFailed;
}

function RedirectToSignIn() {
  const { pathname, search } = window.location;
  window.location.replace(`/sign-in?${new URLSearchParams({ return_to: `${pathname}${search}` })}`);
  return <LoadingPage />;
}

const HomePage = lazyPage(async () => (await import("./pages/home/home-page.tsx")).HomePage);
const ExecutionsPage = lazyPage(async () => (await import("./pages/executions/executions-page.tsx")).ExecutionsPage);
const ExecutionPage = lazyPage(async () => (await import("./pages/executions/execution-page.tsx")).ExecutionPage);
const RecipesPage = lazyPage(async () => (await import("./pages/recipes/recipes-page.tsx")).RecipesPage);
const RecipePage = lazyPage(async () => (await import("./pages/recipes/recipe-page.tsx")).RecipePage);
const EditRecipePage = lazyPage(async () => (await import("./pages/recipes/edit-recipe-page.tsx")).EditRecipePage);
const ImportRecipePage = lazyPage(
  async () => (await import("./pages/recipes/import-recipe-page.tsx")).ImportRecipePage,
);
const ApplicationsPage = lazyPage(
  async () => (await import("./pages/applications/applications-page.tsx")).ApplicationsPage,
);
const ApplicationPage = lazyPage(
  async () => (await import("./pages/applications/application-page.tsx")).ApplicationPage,
);
const ConnectionsPage = lazyPage(
  async () => (await import("./pages/connections/connections-page.tsx")).ConnectionsPage,
);
const CreditsPage = lazyPage(async () => (await import("./pages/credits/credits-page.tsx")).CreditsPage);
const SettingsPage = lazyPage(async () => (await import("./pages/settings/settings-page.tsx")).SettingsPage);

/** All routes. Each page is loaded when it is first visited. */
function Pages() {
  return (
    <Suspense fallback={<LoadingPage />}>
      <Switch>
        <Route path="/" component={HomePage} />
        <Route path="/executions" component={ExecutionsPage} />
        <Route path="/executions/:id" component={ExecutionPage} />
        <Route path="/recipes" component={RecipesPage} />
        <Route path="/recipes/import" component={ImportRecipePage} />
        <Route path="/recipes/:id" component={RecipePage} />
        <Route path="/recipes/:id/edit" component={EditRecipePage} />
        <Route path="/applications" component={ApplicationsPage} />
        <Route path="/applications/new">{() => <Redirect to="/applications?new" />}</Route>
        <Route path="/applications/:id/:tab?" component={ApplicationPage} />
        <Route path="/applications/:id/webhooks/:webhookId" component={ApplicationPage} />
        <Route path="/connections" component={ConnectionsPage} />
        <Route path="/credits" component={CreditsPage} />
        <Route path="/settings" component={SettingsPage} />
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Suspense>
  );
}

function NotFound() {
  return (
    <PageTitle
      title="Page not found"
      about={
        <>
          Check the URL, or go back to{" "}
          <Anchor component={Link} href="/" inherit underline="always">
            home
          </Anchor>
          .
        </>
      }
    />
  );
}
