import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ConsoleApplication, ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { connectionsOfQuery } from "../../api/connections.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, Fact } from "../../components/page.tsx";
import { MoreRows, SearchField, useSearchText } from "../../components/searchable-list.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { ConnectionActions } from "../connections/connection-actions.tsx";
import { ConnectionStateBadge, LastErrand } from "../connections/connection-state.tsx";

/** The people connected to the application, newest first. */
export function ConnectionsTab({ application }: { application: ConsoleApplication }) {
  const { typed, setTyped, text } = useSearchText();
  const query = useInfiniteQuery(connectionsOfQuery(application.id, text));
  const connections = query.data?.pages.flatMap((page) => page.connections);
  if (connections === undefined) {
    return query.error === null ? (
      <LoadingRows />
    ) : (
      <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  if (connections.length === 0 && text === "" && typed === "") {
    return (
      <Empty title="No connections yet">
        Send someone the authorization link from the Overview tab. They appear here once they've agreed.
      </Empty>
    );
  }
  return (
    <>
      <SearchField label="Search by email address" value={typed} onChange={setTyped} />
      {connections.length === 0 ? (
        <Empty title="No matching connections">Try a different email address.</Empty>
      ) : (
        <ul className="record-rows" aria-label="Connections" aria-busy={query.isPlaceholderData}>
          {connections.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} hasSignIn={application.sign_in_url !== null} />
          ))}
        </ul>
      )}
      <MoreRows
        hasMore={query.hasNextPage}
        isLoading={query.isFetchingNextPage}
        error={query.isFetchNextPageError ? query.error : null}
        onLoad={query.fetchNextPage}
      />
    </>
  );
}

function ConnectionRow({ connection, hasSignIn }: { connection: ConsoleConnection; hasSignIn: boolean }) {
  const { user, last_execution, signed_in_at, created_at } = connection;
  return (
    <li className="record-row connection-record">
      <div className="record-main">
        <Text fw={600} className="wrap-anywhere">
          <UntrustedText>{user.email}</UntrustedText>
        </Text>
        <ConnectionStateBadge connection={connection} voice="owner" />
      </div>
      <ConnectionActions connection={connection} voice="owner" />
      <dl className="record-facts">
        <Fact name="Last errand">
          <LastErrand execution={last_execution} />
        </Fact>
        <Fact name="Saved sign-in">
          {signed_in_at === null ? hasSignIn ? "None saved" : "Not needed" : <RelativeTime at={signed_in_at} />}
        </Fact>
        <Fact name="Connected">
          <RelativeTime at={created_at} />
        </Fact>
      </dl>
    </li>
  );
}
