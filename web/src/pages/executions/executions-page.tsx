import "./list/list.css";
import { Alert, Button, Group } from "@mantine/core";
import { useCallback, useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import { Empty } from "../../parts/empty.tsx";
import { LoadingRows } from "../../parts/loading.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ExecutionList } from "./list/execution-list.tsx";
import { isFiltered, type ListFilter, readFilter, writeFilter } from "./list/list-filter.ts";
import { ListToolbar } from "./list/list-toolbar.tsx";
import { NoExecutions } from "./list/no-executions.tsx";
import { useExecutionList } from "./list/use-execution-list.ts";

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
