import "./executions-page.css";
import { Alert, Button, Group } from "@mantine/core";
import { useCallback, useMemo } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useMe } from "../../api/account.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, PageTitle } from "../../components/page.tsx";
import { NoMatch } from "../../components/searchable-list.tsx";
import { ExecutionList } from "./execution-list.tsx";
import { isFiltered, type ListFilter, readFilter, writeFilter } from "./list-filter.ts";
import { ListToolbar } from "./list-toolbar.tsx";
import { useExecutionList } from "./use-execution-list.ts";

export function ExecutionsPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filter = useMemo(() => readFilter(search), [search]);
  const change = useCallback(
    (changed: ListFilter) => {
      const text = writeFilter(changed);
      navigate(text === "" ? "/executions" : `/executions?${text}`, { replace: true });
    },
    [navigate],
  );
  return (
    <>
      <PageTitle title="Errands" about="All errands, newest first." />
      <ListToolbar filter={filter} onChange={change} />
      <Results key={writeFilter(filter)} filter={filter} onClear={() => change({})} />
    </>
  );
}

function Results({ filter, onClear }: { filter: ListFilter; onClear: () => void }) {
  const { list, executions, visible, pollError } = useExecutionList(filter);
  const { fetchNextPage } = list;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  if (list.data === undefined) {
    return list.error === null ? (
      <LoadingRows />
    ) : (
      <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  if (executions.length === 0)
    return isFiltered(filter) ? <NoMatch noun="errand" onClear={onClear} /> : <NoExecutions />;
  return (
    <>
      {pollError !== null && (
        <Alert color="yellow" role="status" mb="sm" p="xs">
          This list may be out of date. {pollError.message}
        </Alert>
      )}
      <div className="list-columns" aria-hidden="true">
        <span>Outcome</span>
        <span>Errand</span>
        <span>Application and user</span>
        <span>Created</span>
        <span>Credits</span>
      </div>
      <ExecutionList
        executions={executions}
        visible={visible}
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage || list.isFetchNextPageError}
        onMore={loadMore}
      />
      {list.isFetchNextPageError && list.error !== null && (
        <ErrorAlert error={list.error} onRetry={() => void fetchNextPage()} />
      )}
    </>
  );
}

/** What to do next depends on whether the user owns applications. */
function NoExecutions() {
  const me = useMe();
  if (me.owner === null) {
    return (
      <Empty title="No errands yet">
        When an app you've connected runs an errand for you, you'll see every step of it here.
      </Empty>
    );
  }
  return (
    <Empty title="No errands yet">
      An errand is a task that Errand carries out in a browser. Try one on the demo shop, or send one from your
      application.
      <Group justify="center" mt="md">
        <Button component={Link} href="/">
          Run your first errand
        </Button>
        <Button component={Link} href="/applications" variant="default">
          View applications
        </Button>
      </Group>
    </Empty>
  );
}
