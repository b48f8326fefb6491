import "./connections.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ownConnectionsQuery } from "../../api/connections.ts";
import { useMe } from "../../api/me.ts";
import { Empty } from "../../parts/empty.tsx";
import { LoadingRows } from "../../parts/loading.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { MoreRows } from "./more-rows.tsx";
import { SearchField } from "./search-field.tsx";
import { useSearchText } from "./use-search-text.ts";

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
