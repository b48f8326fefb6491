import "../connections/connections.css";
import "./applications.css";
import { Anchor, Badge, Button, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearchParams } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { useMe } from "../../api/account.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { countOf } from "../../components/count.ts";
import { LoadingRows, Problem } from "../../components/feedback.tsx";
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
        <Empty title="You own no applications">
          To register some, ask whoever runs this installation to make you an owner. What acts for you is under “What
          may act for me”.
        </Empty>
      </>
    );
  }
  return (
    <>
      <PageTitle
        title="Applications"
        about="What sends prompts to Errand. Each has an id of its own, and people connect to it."
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
    return error === null ? <LoadingRows /> : <Problem error={error} onRetry={() => void refetch()} />;
  }
  if (data.length > 0) return <ApplicationList applications={data} />;
  return (
    <Empty title="No application yet">
      An application is your program as Errand knows it. Register one to get a client id, let people connect, and send
      the first prompt. On the command line: <Code>bin/errand app create</Code>
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
                  Read only
                </Badge>
              )}
            </div>
            <Text size="sm" c="dimmed">
              {countOf(application.connections, "connection")}
            </Text>
            <Text size="sm" c="dimmed">
              {countOf(application.recent_executions, "execution")} in 24 hours
            </Text>
          </div>
        </li>
      ))}
    </ul>
  );
}

const SHOWN_SITES = 3;

function describeSites({ home_url, sign_in_url, allowed_hosts }: ConsoleApplication): string {
  const addresses = [home_url, sign_in_url].flatMap((address) => URL.parse(address ?? "")?.host ?? []);
  const hosts = [...new Set([...addresses, ...allowed_hosts])];
  if (hosts.length === 0) return "Any site that a prompt names";
  const more = hosts.length - SHOWN_SITES;
  return `${hosts.slice(0, SHOWN_SITES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
