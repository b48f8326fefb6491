import "./connections.css";
import { Avatar, Card, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { useMe } from "../../api/account.ts";
import { ownConnectionsQuery } from "../../api/connections.ts";
import { LoadingRows, Problem } from "../../components/feedback.tsx";
import { Empty, Fact, PageTitle } from "../../components/page.tsx";
import { MoreRows, SearchField, useSearchText } from "../../components/searchable-list.tsx";
import { Moment } from "../../components/time.tsx";
import { cleanText, UntrustedText } from "../../components/untrusted-text.tsx";
import { ConnectionActions } from "./connection-actions.tsx";
import { ConnectionStateBadge, LastErrand } from "./connection-state.tsx";

/** Shown without a search below this many. */
const FEW = 6;

/** For everybody, developer or not: who may act in one's name, and how to stop it. */
export function ConnectionsPage() {
  const { email } = useMe().person;
  const { typed, setTyped, text } = useSearchText();
  const query = useInfiniteQuery(ownConnectionsQuery(text));
  const connections = query.data?.pages.flatMap((page) => page.connections);
  const isSearchable = typed !== "" || (connections !== undefined && connections.length >= FEW);
  return (
    <>
      <PageTitle
        title="What may act for me"
        about={
          <>
            Applications that run errands as <bdi className="wrap-anywhere">{email}</bdi>. You can stop each of them at
            any time.
          </>
        }
      />
      {isSearchable && <SearchField label="Search by application" value={typed} onChange={setTyped} />}
      {connections === undefined ? (
        query.error === null ? (
          <LoadingRows />
        ) : (
          <Problem error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : (
        <>
          {connections.length === 0 && <Nothing isSearch={text !== ""} />}
          <ul className="connection-cards" aria-label="Applications that may act for me">
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

function Nothing({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <Empty title="No application of this name">Try another part of it.</Empty>;
  return (
    <Empty title="Nothing acts for you">
      When you allow an application to run errands for you, it appears here: what it may do, when it last did something,
      and how to stop it.
    </Empty>
  );
}

const MAY = {
  all: "Open pages, read what you can see there, and act in your name: fill in forms, send messages, place orders.",
  read_only: "Open pages and read what you can see there. It changes nothing.",
};

/** One application that may act for whoever is looking, in their words. */
function ConnectionCard({ connection }: { connection: ConsoleConnection }) {
  const { application, signed_in_at, created_at, last_execution } = connection;
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
        <Fact name="It may">{MAY[application.access]}</Fact>
        <Fact name="Where">
          <HostList hosts={application.hosts} />
        </Fact>
        <Fact name="Since">
          <Moment at={created_at} />
        </Fact>
        <Fact name="Last run">
          <LastErrand execution={last_execution} />
        </Fact>
        <Fact name="Your sign-in">
          {signed_in_at === null ? (
            "None is saved: it acts as a stranger to the site."
          ) : (
            <>
              Saved <Moment at={signed_in_at} />, sealed. The site knows you when it runs; your password is not kept.
            </>
          )}
        </Fact>
      </dl>
    </Card>
  );
}

const SHOWN = 4;

/** Never cut: the end of a host name is the part that tells whose it is. */
function HostList({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return "Any site that it is told to visit";
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
