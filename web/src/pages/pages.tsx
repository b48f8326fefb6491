import { Anchor } from "@mantine/core";
import { type ComponentType, lazy, Suspense } from "react";
import { Link, Redirect, Route, Switch } from "wouter";
import { LoadingPage } from "../parts/loading.tsx";
import { PageTitle } from "../parts/page-title.tsx";

const page = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }));

const HomePage = page(async () => (await import("./home/home-page.tsx")).HomePage);
const ExecutionsPage = page(async () => (await import("./executions/executions-page.tsx")).ExecutionsPage);
const ExecutionPage = page(async () => (await import("./executions/execution-page.tsx")).ExecutionPage);
const ApplicationsPage = page(async () => (await import("./applications/applications-page.tsx")).ApplicationsPage);
const ApplicationPage = page(async () => (await import("./applications/application-page.tsx")).ApplicationPage);
const ConnectionsPage = page(async () => (await import("./connections/connections-page.tsx")).ConnectionsPage);
const CreditsPage = page(async () => (await import("./credits/credits-page.tsx")).CreditsPage);
const SettingsPage = page(async () => (await import("./settings/settings-page.tsx")).SettingsPage);

/** Every address of the console; each page is loaded when it is first looked at. */
export function Pages() {
  return (
    <Suspense fallback={<LoadingPage />}>
      <Switch>
        <Route path="/" component={HomePage} />
        <Route path="/executions" component={ExecutionsPage} />
        <Route path="/executions/:id" component={ExecutionPage} />
        <Route path="/applications" component={ApplicationsPage} />
        <Route path="/applications/new">{() => <Redirect to="/applications?new" />}</Route>
        <Route path="/applications/:id/:tab?" component={ApplicationPage} />
        <Route path="/applications/:id/webhooks/:webhookId" component={ApplicationPage} />
        <Route path="/connections" component={ConnectionsPage} />
        <Route path="/credits" component={CreditsPage} />
        <Route path="/settings" component={SettingsPage} />
        <Route>
          <Nowhere />
        </Route>
      </Switch>
    </Suspense>
  );
}

function Nowhere() {
  return (
    <PageTitle
      title="There is no such page"
      about={
        <>
          The address may be wrong, or what it showed has been deleted.{" "}
          <Anchor component={Link} href="/" inherit underline="always">
            Home
          </Anchor>
        </>
      }
    />
  );
}
