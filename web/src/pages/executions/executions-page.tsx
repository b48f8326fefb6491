import "./executions-page.css";
import { Alert, Button, Group } from "@mantine/core";
import { useCallback, useMemo } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useMe } from "../../api/account.ts";
import { LoadingRows, Problem } from "../../components/feedback.tsx";
import { Empty, PageTitle } from "../../components/page.tsx";
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
      <PageTitle title="Executions" about="Every errand that was run, newest first." />
      <ListToolbar filter={filter} onChange={change} />
      <Found key={writeFilter(filter)} filter={filter} onClear={() => change({})} />
    </>
  );
}

function Found({ filter, onClear }: { filter: ListFilter; onClear: () => void }) {
  const { list, executions, onScreen, pollError } = useExecutionList(filter);
  const { fetchNextPage } = list;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  if (list.data === undefined) {
    return list.error === null ? <LoadingRows /> : <Problem error={list.error} onRetry={() => void list.refetch()} />;
  }
  if (executions.length === 0) return isFiltered(filter) ? <NoMatch onClear={onClear} /> : <NoExecutions />;
  return (
    <>
      {pollError !== null && (
        <Alert color="yellow" role="status" mb="sm" p="xs">
          Not up to date: {pollError.message}
        </Alert>
      )}
      <div className="list-columns" aria-hidden="true">
        <span>Outcome</span>
        <span>Prompt</span>
        <span>Application and user</span>
        <span>When</span>
        <span>Credits</span>
      </div>
      <ExecutionList
        executions={executions}
        onScreen={onScreen}
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage || list.isFetchNextPageError}
        onMore={loadMore}
      />
      {list.isFetchNextPageError && list.error !== null && (
        <Problem error={list.error} onRetry={() => void fetchNextPage()} />
      )}
    </>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Empty title="Nothing matches">
      No execution fits these filters.
      <Group justify="center" mt="md">
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      </Group>
    </Empty>
  );
}

/** How the first one comes to be depends on who looks. */
function NoExecutions() {
  const me = useMe();
  if (me.owner === null) {
    return (
      <Empty title="Nothing has been done for you yet">
        When an application that you have connected runs an errand for you, everything it did is shown here.
      </Empty>
    );
  }
  return (
    <Empty title="No executions yet">
      An errand is a prompt that is carried out in a browser. Try one on the demo shop, or send one from your
      application.
      <Group justify="center" mt="md">
        <Button component={Link} href="/">
          Run a first errand
        </Button>
        <Button component={Link} href="/applications" variant="default">
          Your applications
        </Button>
      </Group>
    </Empty>
  );
}
