import { Button, Loader, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import type { ExecutionItem } from "../../../../src/contract/console/executions.ts";
import { countOf } from "../../components/count.ts";
import { RelativeTime } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { OutcomeBadge } from "./outcome.tsx";
import type { VisibleRange } from "./use-execution-list.ts";

const ROW_HEIGHT = 68;
const PHONE_ROW_HEIGHT = 116;
const OVERSCAN = 10;
/** The next page is loaded this many rows before the end. */
const PREFETCH_ROWS = 30;
const HEADER_HEIGHT = 56;

interface ExecutionListProps {
  executions: readonly ExecutionItem[];
  visible: RefObject<VisibleRange>;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
}

/** Virtualized: only the rows near the visible ones are in the DOM. */
export function ExecutionList({ executions, visible, hasMore, isLoadingMore, onMore }: ExecutionListProps) {
  const rows = useRef<HTMLUListElement>(null);
  const isPhone = useMediaQuery("(max-width: 48em)") ?? false;
  const rowHeight = isPhone ? PHONE_ROW_HEIGHT : ROW_HEIGHT;
  const top = useTop(rows);
  const virtualizer = useWindowVirtualizer({
    count: executions.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => executions[index]?.id ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed row height needs a new measurement
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  const shown = virtualizer.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  useEffect(() => {
    visible.current = { first, last };
    if (hasMore && !isLoadingMore && last >= executions.length - PREFETCH_ROWS) onMore();
  }, [first, last, executions.length, hasMore, isLoadingMore, onMore, visible]);
  const arrivals = useStableScroll(executions, rowHeight, top);

  return (
    <>
      {arrivals.count > 0 && (
        <div className="arrivals">
          <Button size="compact-sm" radius="xl" onClick={arrivals.show}>
            {countOf(arrivals.count, "new errand")}
          </Button>
        </div>
      )}
      <ul
        ref={rows}
        className="execution-list"
        aria-label="Errands"
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={moveFocus}
      >
        {shown.map(({ index, key, start, size }) => {
          const execution = executions[index];
          return execution === undefined ? null : (
            <li
              key={key}
              aria-setsize={hasMore ? -1 : executions.length}
              aria-posinset={index + 1}
              style={{ height: size, transform: `translateY(${start - top}px)` }}
            >
              <ExecutionRow execution={execution} />
            </li>
          );
        })}
      </ul>
      <div className="list-end" role="status">
        {isLoadingMore && <Loader size="sm" aria-label="Loading more" />}
        <span className="visually-hidden">
          {countOf(executions.length, "errand")} {hasMore ? "so far" : "in total"}
        </span>
      </div>
    </>
  );
}

/** Where the list starts on the page, updated when the layout above it changes. */
function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current !== null) setTop(Math.round(element.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

/** New errands appear at the top. If the user has scrolled down, the view stays put and counts them instead. */
function useStableScroll(executions: readonly ExecutionItem[], rowHeight: number, top: number) {
  const newest = useRef<string | null>(null);
  const [count, setCount] = useState(0);
  useLayoutEffect(() => {
    const before = newest.current;
    newest.current = executions[0]?.id ?? null;
    const arrived = before === null ? 0 : executions.findIndex(({ id }) => id === before);
    if (arrived <= 0 || window.scrollY <= top - HEADER_HEIGHT) return;
    window.scrollBy({ top: arrived * rowHeight, behavior: "instant" });
    setCount((count) => count + arrived);
  }, [executions, rowHeight, top]);
  useEffect(() => {
    const clear = () => {
      if (window.scrollY <= top) setCount(0);
    };
    window.addEventListener("scroll", clear, { passive: true });
    return () => window.removeEventListener("scroll", clear);
  }, [top]);
  return { count, show: () => window.scrollTo({ top: 0, behavior: "instant" }) };
}

/** Moves between rows with the arrow keys. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const row = event.target instanceof Element ? event.target.closest("li") : null;
  const position = Number(row?.ariaPosInSet);
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || row === null) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>(`li[aria-posinset="${position + step}"] a`)?.focus();
}

/** One errand: one line, or three on a phone. The whole row is a link. */
function ExecutionRow({ execution }: { execution: ExecutionItem }) {
  const { id, status, terminal, is_waiting, prompt, application, connection, created_at } = execution;
  return (
    <Link href={`/executions/${id}`} className="execution-row">
      <span className="execution-row-outcome">
        <OutcomeBadge status={status} terminal={terminal} isWaiting={is_waiting} />
      </span>
      <span className="execution-row-prompt">
        <UntrustedText>{prompt}</UntrustedText>
      </span>
      <span className="execution-row-origin">
        <span className="one-line">
          <UntrustedText>{application.name}</UntrustedText>
        </span>
        <span className="one-line">
          <UntrustedText>{connection.user_email}</UntrustedText>
        </span>
      </span>
      <Text component="span" size="sm" c="dimmed" className="execution-row-time">
        <RelativeTime at={created_at} />
      </Text>
      <Text component="span" size="sm" c="dimmed" className="execution-row-credits">
        {describeCredits(execution)}
      </Text>
    </Link>
  );
}

function describeCredits({ credits, charged, terminal }: ExecutionItem): string {
  if (charged) return countOf(credits, "credit");
  return terminal === null ? `${countOf(credits, "credit")} reserved` : "Not charged";
}
