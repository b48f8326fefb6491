import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ExecutionStatus } from "../../../../src/contract/execution.ts";
import { useMe } from "../../api/account.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { newestConnectionsOfQuery, newestOwnConnectionsQuery } from "../../api/connections.ts";
import { DelayedSearch } from "../../components/searchable-list.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";
import { isFiltered, type ListFilter, TIME_SPANS, type TimeSpan, writeFilter } from "./list-filter.ts";
import { FAILURE_WORDS } from "./outcome.tsx";

interface ListToolbarProps {
  filter: ListFilter;
  onChange: (filter: ListFilter) => void;
}

/** All filters of the list. On a phone, all but the search are behind a button. */
export function ListToolbar({ filter, onChange }: ListToolbarProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { text: _text, ...others } = filter;
  const count = [...new URLSearchParams(writeFilter(others)).keys()].length;
  const { status: _s, outcome: _o, ...withoutOutcome } = filter;
  const { application_id: _a, connection_id: _c, ...withoutOrigin } = filter;
  const { time: _t, since: _since, until: _until, ...withoutTime } = filter;
  return (
    <search className="list-toolbar" data-open={isOpen || undefined}>
      <DelayedSearch
        label="Search errands or enter an ID"
        placeholder="Search or enter ID"
        text={filter.text ?? ""}
        onChange={(text) => onChange(text === "" ? others : { ...others, text })}
      />
      <Button
        className="list-toolbar-toggle"
        variant="default"
        aria-expanded={isOpen}
        aria-controls="list-filters"
        onClick={() => setIsOpen(!isOpen)}
      >
        {count === 0 ? "Filters" : `Filters (${count})`}
      </Button>
      <div className="list-toolbar-filters" id="list-filters">
        <OutcomeFilter chosen={filter} onChoose={(chosen) => onChange({ ...withoutOutcome, ...chosen })} />
        <OriginFilters chosen={filter} onChoose={(chosen) => onChange({ ...withoutOrigin, ...chosen })} />
        <TimeFilter chosen={filter} onChoose={(chosen) => onChange({ ...withoutTime, ...chosen })} />
        {/* Hidden rather than removed, so that the layout does not shift. */}
        <Button
          variant="subtle"
          style={{ visibility: isFiltered(filter) ? "visible" : "hidden" }}
          onClick={() => onChange({})}
        >
          Clear filters
        </Button>
      </div>
    </search>
  );
}

const STATES: Record<ExecutionStatus, string> = {
  QUEUED: "Queued",
  RUNNING: "Running",
  COMPLETED: "Verified",
  FAILED: "Failed (any reason)",
};

const OUTCOME_CHOICES = [
  { label: "Any outcome", value: "" },
  ...Object.entries(STATES).map(([status, label]) => ({ label, value: `status:${status}` })),
  {
    group: "Failed because",
    items: Object.entries(FAILURE_WORDS).map(([outcome, { label }]) => ({ label, value: `outcome:${outcome}` })),
  },
];

type OutcomeChoice = Pick<ListFilter, "status" | "outcome">;

/** Status and outcome in one list. */
function OutcomeFilter({ chosen, onChoose }: { chosen: OutcomeChoice; onChoose: (chosen: OutcomeChoice) => void }) {
  return (
    <NativeSelect
      aria-label="Outcome"
      data={OUTCOME_CHOICES}
      value={toValue(chosen)}
      onChange={(event) => onChoose(fromValue(event.currentTarget.value))}
    />
  );
}

function toValue({ status, outcome }: OutcomeChoice): string {
  if (outcome === "verified") return "status:COMPLETED";
  if (outcome !== undefined) return `outcome:${outcome}`;
  return status === undefined ? "" : `status:${status}`;
}

function fromValue(value: string): OutcomeChoice {
  const [kind, word = ""] = value.split(":");
  if (kind === "outcome") return { outcome: word };
  return kind === "status" ? { status: word as ExecutionStatus } : {};
}

type TimeChoice = Pick<ListFilter, "time" | "since" | "until">;

const BETWEEN = "between";
const TIME_CHOICES = [
  { value: "", label: "Any time" },
  ...Object.entries(TIME_SPANS).map(([value, { label }]) => ({ value, label })),
  { value: BETWEEN, label: "Custom range" },
];
const DAY_MS = 86_400_000;

function TimeFilter({ chosen, onChoose }: { chosen: TimeChoice; onChoose: (chosen: TimeChoice) => void }) {
  const { time, since, until } = chosen;
  const isBetween = since !== undefined || until !== undefined;
  function choose(value: string) {
    if (value === BETWEEN) onChoose({ since: new Date(Date.now() - DAY_MS).toISOString() });
    else onChoose(value === "" ? {} : { time: value as TimeSpan });
  }
  return (
    <>
      <NativeSelect
        aria-label="Time"
        data={TIME_CHOICES}
        value={isBetween ? BETWEEN : (time ?? "")}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {isBetween && (
        <>
          <TimeInput
            label="From"
            value={since}
            onChange={(at) => onChoose({ ...(at && { since: at }), ...(until && { until }) })}
          />
          <TimeInput
            label="Until"
            value={until}
            onChange={(at) => onChoose({ ...(since && { since }), ...(at && { until: at }) })}
          />
        </>
      )}
    </>
  );
}

interface TimeInputProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function TimeInput({ label, value, onChange }: TimeInputProps) {
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      value={value === undefined ? "" : toLocal(value)}
      onChange={(event) => {
        const time = new Date(event.currentTarget.value);
        onChange(Number.isNaN(time.getTime()) ? undefined : time.toISOString());
      }}
    />
  );
}

/** The input has no time zone: it takes local time. */
function toLocal(timestamp: string): string {
  const date = new Date(timestamp);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface Choice {
  value: string;
  label: string;
}

type OriginChoice = Pick<ListFilter, "application_id" | "connection_id">;

/** By application and user. A choice from the URL is always listed. */
function OriginFilters({ chosen, onChoose }: { chosen: OriginChoice; onChoose: (chosen: OriginChoice) => void }) {
  const { application_id, connection_id } = chosen;
  const { owned, others } = useApplications();
  const isOwned = owned.some(({ value }) => value === application_id);
  const connections = useConnections(application_id, isOwned);
  return (
    <>
      <NativeSelect
        aria-label="Application"
        data={[{ value: "", label: "Any application" }, ...withChosen([...owned, ...others], application_id)]}
        value={application_id ?? ""}
        onChange={({ currentTarget: { value } }) => onChoose(value === "" ? {} : { application_id: value })}
      />
      <NativeSelect
        aria-label="User"
        data={[{ value: "", label: "Any user" }, ...withChosen(connections, connection_id)]}
        value={connection_id ?? ""}
        onChange={({ currentTarget: { value } }) =>
          onChoose({
            ...(application_id === undefined ? {} : { application_id }),
            ...(value === "" ? {} : { connection_id: value }),
          })
        }
      />
    </>
  );
}

function useApplications(): { owned: Choice[]; others: Choice[] } {
  const me = useMe();
  const applications = useQuery({ ...applicationsQuery, enabled: me.owner !== null }).data ?? [];
  const connections = useQuery(newestOwnConnectionsQuery).data?.connections ?? [];
  const owned = applications.map(toChoice);
  const known = new Set(owned.map(({ value }) => value));
  const connected = new Map(connections.map(({ application }) => [application.id, toChoice(application)]));
  return { owned, others: [...connected.values()].filter(({ value }) => !known.has(value)) };
}

/** For an owned application, everyone connected to it; otherwise only the signed-in user. */
function useConnections(applicationId: string | undefined, isOwned: boolean): Choice[] {
  const offered = useQuery({ ...newestConnectionsOfQuery(applicationId ?? ""), enabled: isOwned }).data?.connections;
  const own = useQuery(newestOwnConnectionsQuery).data?.connections ?? [];
  if (isOwned) return (offered ?? []).map(({ id, user }) => ({ value: id, label: cleanText(user.email) }));
  return own
    .filter(({ application }) => applicationId === undefined || application.id === applicationId)
    .map(({ id, application }) => ({ value: id, label: `Me in ${cleanText(application.name)}` }));
}

function toChoice({ id, name }: { id: string; name: string }): Choice {
  return { value: id, label: cleanText(name) };
}

/** Adds the chosen id if it is not among the choices. */
function withChosen(choices: Choice[], chosen: string | undefined): Choice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices;
  return [...choices, { value: chosen, label: `ID ${chosen.slice(0, 8)}…` }];
}
