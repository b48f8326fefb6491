import "../connections/connections.css";
import "./applications.css";
import { Button, Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useSearchParams } from "wouter";
import { applicationsQuery } from "../../api/applications.ts";
import { useMe } from "../../api/me.ts";
import { Empty } from "../../parts/empty.tsx";
import { LoadingRows } from "../../parts/loading.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ApplicationList } from "./application-list.tsx";
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
