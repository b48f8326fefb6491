import "../connections/connections.css";
import "./applications.css";
import { Anchor, Badge, Group, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, Suspense, useEffect, useRef } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { applicationQuery } from "../../api/applications.ts";
import { ConsoleError } from "../../api/client.ts";
import { CopyButton } from "../../components/copy.tsx";
import { ErrorAlert, LoadingPage, LoadingRows } from "../../components/feedback.tsx";
import { Empty, PageTitle } from "../../components/page.tsx";
import { lazyPage } from "../../shell/lazy-page.ts";
import { ConnectionsTab } from "./connections-tab.tsx";
import { DeleteTab } from "./delete-tab.tsx";
import { ExecutionsTab } from "./executions-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { SecretsTab } from "./secrets-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";

interface Tab {
  id: string;
  label: string;
  content: ComponentType<{ application: ConsoleApplication }>;
}

const WebhooksTab = lazyPage(async () => (await import("./webhooks/webhooks-tab.tsx")).WebhooksTab);

const OVERVIEW: Tab = { id: "overview", label: "Overview", content: OverviewTab };
const WEBHOOKS: Tab = { id: "webhooks", label: "Webhooks", content: WebhooksTab };
const TABS: readonly Tab[] = [
  OVERVIEW,
  { id: "connections", label: "Connections", content: ConnectionsTab },
  { id: "executions", label: "Errands", content: ExecutionsTab },
  WEBHOOKS,
  { id: "settings", label: "Settings", content: SettingsTab },
  { id: "secrets", label: "Secrets", content: SecretsTab },
  { id: "delete", label: "Delete", content: DeleteTab },
];

export function ApplicationPage() {
  const { id = "", tab, webhookId } = useParams<{ id: string; tab?: string; webhookId?: string }>();
  const shown = webhookId === undefined ? (tab ?? OVERVIEW.id) : WEBHOOKS.id;
  const { data, error, refetch } = useQuery(applicationQuery(id));
  if (error instanceof ConsoleError && (error.status === 404 || error.status === 403)) return <NotFound />;
  if (data !== undefined) return <Application application={data} tab={shown} />;
  return error === null ? <LoadingPage /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
}

function NotFound() {
  return (
    <>
      <PageTitle title="Application" />
      <Empty title="Application not found">
        It may have been deleted, or you may not have access to it.{" "}
        <Anchor component={Link} href="/applications" underline="always">
          View all applications
        </Anchor>
      </Empty>
    </>
  );
}

function Application({ application, tab }: { application: ConsoleApplication; tab: string }) {
  const [, navigate] = useLocation();
  const { id } = application;
  const shown = TABS.find((one) => one.id === tab) ?? OVERVIEW;
  const tabs = useRef<HTMLDivElement>(null);
  // On a phone not all tabs fit: scroll to the selected one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the tab changes
  useEffect(() => {
    tabs.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shown]);
  return (
    <>
      <Anchor component={Link} href="/applications" size="sm" c="dimmed">
        Applications
      </Anchor>
      <PageTitle title={application.name} about={<Identity application={application} />} />
      <Tabs
        value={shown.id}
        keepMounted={false}
        onChange={(chosen) =>
          navigate(chosen === OVERVIEW.id ? `/applications/${id}` : `/applications/${id}/${chosen}`)
        }
      >
        <Tabs.List ref={tabs} mb="lg" className="tabs-that-scroll" aria-label="Application sections">
          {TABS.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ id, content: Content }) => (
          <Tabs.Panel key={id} value={id}>
            <Suspense fallback={<LoadingRows />}>
              <Content application={application} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

function Identity({ application }: { application: ConsoleApplication }) {
  return (
    <Group gap="xs" mt={4}>
      <Badge variant="default" tt="capitalize">
        {application.type}
      </Badge>
      {application.access === "read_only" && (
        <Badge variant="default" tt="none">
          Read-only
        </Badge>
      )}
      <Text span inherit ff="monospace" fz="xs" className="wrap-anywhere">
        {application.id}
      </Text>
      <CopyButton value={application.id} label="Copy ID" />
    </Group>
  );
}
