import "../connections/connections.css";
import "./applications.css";
import { Anchor, Badge, Button, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearchParams } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { useMe } from "../../api/account.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { countOf } from "../../components/count.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, PageTitle } from "../../components/page.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { NewApplication } from "./new-application.tsx";

export function ApplicationsPage() {
  const isOwner = useMe().owner !== null;
  const [parameters] = useSearchParams();
  const [, navigate] = useLocation();
  if (!isOwner) {
    return (
      <>
        <PageTitle title="Applications" />
        <Empty title="You can't create applications yet">
          Ask the owner of this installation to make you an owner. The apps that run errands for you are under{" "}
          <Anchor component={Link} href="/connections" underline="always">
            Connected apps
          </Anchor>
          .
        </Empty>
      </>
    );
  }
  return (
    <>
      <PageTitle
        title="Applications"
        about="The programs that send errands. People connect to an application to let it run errands for them."
        actions={<Button onClick={() => navigate("/applications?new")}>New application</Button>}
      />
      <Applications />
      <NewApplication isOpen={parameters.has("new")} onClose={() => navigate("/applications", { replace: true })} />
    </>
  );
}

function Applications() {
  const { data, error, refetch } = useQuery(applicationsQuery);
  if (data === undefined) {
    return error === null ? <LoadingRows /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
  }
  if (data.length > 0) return <ApplicationList applications={data} />;
  return (
    <Empty title="No applications yet">
      Create one to get a client ID, connect people and send your first errand. You can also use the command line:{" "}
      <Code className="no-wrap">bin/errand app create</Code>
    </Empty>
  );
}

function ApplicationList({ applications }: { applications: ConsoleApplication[] }) {
  return (
    <ul className="record-rows" aria-label="Applications">
      {applications.map((application) => (
        <li key={application.id} className="record-row application-record">
          <div className="record-main">
            <Anchor
              component={Link}
              href={`/applications/${application.id}`}
              fw={600}
              className="record-link wrap-anywhere"
            >
              <UntrustedText>{application.name}</UntrustedText>
            </Anchor>
            <Text size="sm" c="dimmed" className="wrap-anywhere">
              {describeSites(application)}
            </Text>
          </div>
          <div className="record-rest">
            <div className="record-badges">
              <Badge variant="default" tt="capitalize">
                {application.type}
              </Badge>
              {application.access === "read_only" && (
                <Badge variant="default" tt="none">
                  Read-only
                </Badge>
              )}
            </div>
            <Text size="sm" c="dimmed">
              {countOf(application.connections, "connection")}
            </Text>
            <Text size="sm" c="dimmed">
              {countOf(application.recent_executions, "errand")} in 24 hours
            </Text>
          </div>
        </li>
      ))}
    </ul>
  );
}

const SHOWN_SITES = 3;

function describeSites({ home_url, sign_in_url, allowed_hosts }: ConsoleApplication): string {
  const ownHosts = [home_url, sign_in_url].flatMap((url) => URL.parse(url ?? "")?.host ?? []);
  const hosts = [...new Set([...ownHosts, ...allowed_hosts])];
  if (hosts.length === 0) return "Any site named in an errand";
  const more = hosts.length - SHOWN_SITES;
  return `${hosts.slice(0, SHOWN_SITES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
