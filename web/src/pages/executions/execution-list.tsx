import { Button, Loader, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import type { ExecutionItem } from "../../../../src/contract/console/executions.ts";
import { Moment } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { OutcomeBadge } from "./outcome.tsx";
import type { Stretch } from "./use-execution-list.ts";

const ROW_HEIGHT = 68;
const PHONE_ROW_HEIGHT = 116;
const OVERSCAN = 10;
/** So many rows before the end, the next ones are asked for. */
const AHEAD = 30;
const HEADER_HEIGHT = 56;

interface ExecutionListProps {
  executions: readonly ExecutionItem[];
  onScreen: RefObject<Stretch>;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
}

/** Only the rows around the screen are in the page, however many there are. */
export function ExecutionList({ executions, onScreen, hasMore, isLoadingMore, onMore }: ExecutionListProps) {
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured anew
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  const shown = virtualizer.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  useEffect(() => {
    onScreen.current = { first, last };
    if (hasMore && !isLoadingMore && last >= executions.length - AHEAD) onMore();
  }, [first, last, executions.length, hasMore, isLoadingMore, onMore, onScreen]);
  const arrived = useSteadyPlace(executions, rowHeight, top);

  return (
    <>
      {arrived.count > 0 && (
        <div className="arrivals">
          <Button size="compact-sm" radius="xl" onClick={arrived.show}>
            {arrived.count === 1 ? "1 new execution" : `${arrived.count} new executions`}
          </Button>
        </div>
      )}
      <ul
        ref={rows}
        className="execution-list"
        aria-label="Executions"
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
          {executions.length} {executions.length === 1 ? "execution" : "executions"} {hasMore ? "so far" : "in all"}
        </span>
      </div>
    </>
  );
}

/** Where the list begins in the page, as things above it come and go. */
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

/** New ones come at the top. Whoever has scrolled down keeps seeing what they see, and hears how many came. */
function useSteadyPlace(executions: readonly ExecutionItem[], rowHeight: number, top: number) {
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
    const forget = () => {
      if (window.scrollY <= top) setCount(0);
    };
    window.addEventListener("scroll", forget, { passive: true });
    return () => window.removeEventListener("scroll", forget);
  }, [top]);
  return { count, show: () => window.scrollTo({ top: 0, behavior: "instant" }) };
}

/** Arrow keys go from row to row, as Tab does. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const row = event.target instanceof Element ? event.target.closest("li") : null;
  const place = Number(row?.ariaPosInSet);
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || row === null) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>(`li[aria-posinset="${place + step}"] a`)?.focus();
}

/** One execution in a line or, on a phone, in three. All of it is a link. */
function ExecutionRow({ execution }: { execution: ExecutionItem }) {
  const { id, status, terminal, prompt, application, connection, created_at } = execution;
  return (
    <Link href={`/executions/${id}`} className="execution-row">
      <span className="execution-row-outcome">
        <OutcomeBadge status={status} terminal={terminal} />
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
        <Moment at={created_at} />
      </Text>
      <Text component="span" size="sm" c="dimmed" className="execution-row-credits">
        {tellCredits(execution)}
      </Text>
    </Link>
  );
}

function tellCredits({ credits, charged, terminal }: ExecutionItem): string {
  if (charged) return `${credits.toLocaleString("en")} ${credits === 1 ? "credit" : "credits"}`;
  return terminal === null ? `${credits.toLocaleString("en")} held` : "not charged";
}
