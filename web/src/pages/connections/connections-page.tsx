import "./connections.css";
import { Avatar, Card, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { useMe } from "../../api/account.ts";
import { ownConnectionsQuery } from "../../api/connections.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, Fact, PageTitle } from "../../components/page.tsx";
import { MoreRows, SearchField, useSearchText } from "../../components/searchable-list.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { cleanText, UntrustedText } from "../../components/untrusted-text.tsx";
import { ConnectionActions } from "./connection-actions.tsx";
import { ConnectionStateBadge, LastErrand } from "./connection-state.tsx";
import { ImportSignIn } from "./import-sign-in.tsx";
import { McpClients } from "./mcp-clients.tsx";
import { StoredCredentials } from "./stored-credentials.tsx";

/** Shorter lists have no search field. */
const SEARCH_FROM = 6;

/** The apps that can act for the user, and how to stop them. For everyone, not only developers. */
export function ConnectionsPage() {
  const { email } = useMe().person;
  const { typed, setTyped, text } = useSearchText();
  const query = useInfiniteQuery(ownConnectionsQuery(text));
  const connections = query.data?.pages.flatMap((page) => page.connections);
  const isSearchable = typed !== "" || (connections !== undefined && connections.length >= SEARCH_FROM);
  return (
    <>
      <PageTitle
        title="Connected apps"
        about={
          <>
            Apps that can run errands for <bdi className="wrap-anywhere">{email}</bdi>. You can stop or disconnect them
            at any time.
          </>
        }
      />
      {isSearchable && <SearchField label="Search apps" value={typed} onChange={setTyped} />}
      {connections === undefined ? (
        query.error === null ? (
          <LoadingRows />
        ) : (
          <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : (
        <>
          {connections.length === 0 && <NoApps isSearch={text !== ""} />}
          <ul className="connection-cards" aria-label="Connected apps">
            {connections.map((connection) => (
              <ConnectionCard key={connection.id} connection={connection} />
            ))}
          </ul>
          <MoreRows
            hasMore={query.hasNextPage}
            isLoading={query.isFetchingNextPage}
            error={query.isFetchNextPageError ? query.error : null}
            onLoad={query.fetchNextPage}
          />
        </>
      )}
    </>
  );
}

function NoApps({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <Empty title="No matching apps">Try a different name.</Empty>;
  return (
    <Empty title="No connected apps">
      When you allow an app to run errands for you, it appears here. You can see what it can do and what it did last,
      and disconnect it at any time.
    </Empty>
  );
}

const PERMISSIONS = {
  all: "Open pages, read what you can see, and act for you: fill in forms, send messages, place orders.",
  read_only: "Open pages and read what you can see. It can't change anything.",
};

function ConnectionCard({ connection }: { connection: ConsoleConnection }) {
  const { application, signed_in_at, created_at, last_execution, spending_limits: limits } = connection;
  const titleId = useId();
  return (
    <Card component="li" withBorder padding="lg" aria-labelledby={titleId}>
      <div className="connection-head">
        <Avatar radius="md" color="teal" aria-hidden="true" className="keeps-width">
          {[...cleanText(application.name).trim()][0]?.toUpperCase()}
        </Avatar>
        <div className="record-main">
          <Title order={2} size="h4" id={titleId} className="wrap-anywhere">
            <UntrustedText>{application.name}</UntrustedText>
          </Title>
          <ConnectionStateBadge connection={connection} voice="user" />
        </div>
        <ConnectionActions connection={connection} voice="user" />
      </div>
      <dl className="connection-facts">
        <Fact name="Permissions">{PERMISSIONS[application.access]}</Fact>
        <Fact name="Sites">
          <HostList hosts={application.hosts} />
        </Fact>
        <Fact name="Connected">
          <RelativeTime at={created_at} />
        </Fact>
        <Fact name="Last errand">
          <LastErrand execution={last_execution} />
        </Fact>
        {application.access === "all" && (
          <Fact name="Approval">
            {connection.approval === "commits"
              ? "Errand asks before anything is bought, sent or deleted. You can answer on the errand's page here. The app is asked, too, and can answer for you."
              : "Errand only asks before it buys, sends or deletes something if the app wants it. Connect again to change this."}
          </Fact>
        )}
        {limits !== null && (
          <Fact name="Spending limits">
            {[
              limits.per_errand !== null && `${limits.per_errand} per errand`,
              limits.per_month !== null && `${limits.per_month} per month`,
            ]
              .filter(Boolean)
              .join(", ")}
            .{limits.is_month_lower && " The limit per month is lower, so it counts for each errand as well."} Connect
            again to change this.
          </Fact>
        )}
        <McpClients connectionId={connection.id} />
        <Fact name="Sign-in">
          {signed_in_at === null ? (
            "None saved. Errands run signed out."
          ) : (
            <>
              Saved <RelativeTime at={signed_in_at} /> and encrypted. Errands run signed in as you.
              {connection.renewal === null && " Your password isn't stored."}
            </>
          )}
          <StoredCredentials connection={connection} />
          {(signed_in_at !== null || connection.state === "REAUTHORIZATION_REQUIRED") && (
            <ImportSignIn connectionId={connection.id} />
          )}
        </Fact>
      </dl>
    </Card>
  );
}

const SHOWN = 4;

/** Host names are never truncated: their end shows who owns them. */
function HostList({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return "Any site named in an errand";
  const more = hosts.slice(SHOWN);
  return (
    <>
      {hosts.slice(0, SHOWN).join(", ")}
      {more.length > 0 && (
        <details className="disclosure">
          <summary>and {more.length} more</summary>
          {more.join(", ")}
        </details>
      )}
    </>
  );
}
