import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ExecutionStatus } from "../../../../src/contract/execution.ts";
import { useMe } from "../../api/account.ts";
import { offeredConnectionsQuery, ownConnectionsQuery, ownedApplicationsQuery } from "../../api/executions.ts";
import { Icon } from "../../components/icons.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";
import { isFiltered, type ListFilter, TIME_SPANS, type TimeSpan, writeFilter } from "./list-filter.ts";
import { FAILURE_WORDS } from "./outcome.tsx";

const TYPING_PAUSE_MS = 250;

interface ListToolbarProps {
  filter: ListFilter;
  onChange: (filter: ListFilter) => void;
}

/** Everything the list can be narrowed by. On a phone all but the text is behind a button. */
export function ListToolbar({ filter, onChange }: ListToolbarProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { text: _text, ...others } = filter;
  const count = [...new URLSearchParams(writeFilter(others)).keys()].length;
  const { status: _s, outcome: _o, ...withoutOutcome } = filter;
  const { application_id: _a, connection_id: _c, ...withoutOrigin } = filter;
  const { time: _t, since: _since, until: _until, ...withoutTime } = filter;
  return (
    <search className="list-toolbar" data-open={isOpen || undefined}>
      <TextFilter text={filter.text ?? ""} onChange={(text) => onChange(text === "" ? others : { ...others, text })} />
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
        {/* Its place is kept, so that nothing moves when the first filter is chosen. */}
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

/** The list follows when somebody pauses, not with every key. */
function TextFilter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  // The address can change without a key, as when one goes back.
  useEffect(() => setTyped((typed) => (typed.trim() === text ? typed : text)), [text]);
  useEffect(() => {
    if (typed.trim() === text) return;
    const timer = setTimeout(() => onChange(typed.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, text, onChange]);
  return (
    <TextInput
      className="list-toolbar-text"
      type="search"
      aria-label="Search in prompts, or for an id"
      placeholder="Search in prompts, or for an id"
      leftSection={<Icon name="search" size={16} />}
      maxLength={200}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

const STATES: Record<ExecutionStatus, string> = {
  QUEUED: "Queued",
  RUNNING: "Running",
  COMPLETED: "Verified",
  FAILED: "Failed, for any reason",
};

const OUTCOME_CHOICES = [
  { label: "Any outcome", value: "" },
  ...Object.entries(STATES).map(([status, label]) => ({ label, value: `status:${status}` })),
  {
    group: "Failed because",
    items: Object.entries(FAILURE_WORDS).map(([outcome, { label }]) => ({ label, value: `outcome:${outcome}` })),
  },
];

type OutcomeFilterProps = Pick<ListFilter, "status" | "outcome">;

/** State and outcome are one question to a person. */
function OutcomeFilter({
  chosen,
  onChoose,
}: {
  chosen: OutcomeFilterProps;
  onChoose: (chosen: OutcomeFilterProps) => void;
}) {
  return (
    <NativeSelect
      aria-label="Outcome"
      data={OUTCOME_CHOICES}
      value={toValue(chosen)}
      onChange={(event) => onChoose(fromValue(event.currentTarget.value))}
    />
  );
}

function toValue({ status, outcome }: OutcomeFilterProps): string {
  if (outcome === "verified") return "status:COMPLETED";
  if (outcome !== undefined) return `outcome:${outcome}`;
  return status === undefined ? "" : `status:${status}`;
}

function fromValue(value: string): OutcomeFilterProps {
  const [kind, word = ""] = value.split(":");
  if (kind === "outcome") return { outcome: word };
  return kind === "status" ? { status: word as ExecutionStatus } : {};
}

type TimeFilterProps = Pick<ListFilter, "time" | "since" | "until">;

const BETWEEN = "between";
const TIME_CHOICES = [
  { value: "", label: "Any time" },
  ...Object.entries(TIME_SPANS).map(([value, { label }]) => ({ value, label })),
  { value: BETWEEN, label: "Between two times" },
];
const DAY_MS = 86_400_000;

function TimeFilter({ chosen, onChoose }: { chosen: TimeFilterProps; onChoose: (chosen: TimeFilterProps) => void }) {
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
          <MomentInput
            label="From"
            value={since}
            onChange={(moment) => onChoose({ ...(moment && { since: moment }), ...(until && { until }) })}
          />
          <MomentInput
            label="Until"
            value={until}
            onChange={(moment) => onChoose({ ...(since && { since }), ...(moment && { until: moment }) })}
          />
        </>
      )}
    </>
  );
}

interface MomentInputProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function MomentInput({ label, value, onChange }: MomentInputProps) {
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

/** The field knows no time zones: it shows the person's own. */
function toLocal(moment: string): string {
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface Choice {
  value: string;
  label: string;
}

type OriginFiltersProps = Pick<ListFilter, "application_id" | "connection_id">;

/** For which application, and as whom. Whoever is named by the address is offered in any case. */
function OriginFilters({
  chosen,
  onChoose,
}: {
  chosen: OriginFiltersProps;
  onChoose: (chosen: OriginFiltersProps) => void;
}) {
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
  const applications = useQuery({ ...ownedApplicationsQuery, enabled: me.owner !== null }).data?.applications ?? [];
  const connections = useQuery(ownConnectionsQuery).data?.connections ?? [];
  const owned = applications.map(toChoice);
  const known = new Set(owned.map(({ value }) => value));
  const foreign = new Map(connections.map(({ application }) => [application.id, toChoice(application)]));
  return { owned, others: [...foreign.values()].filter(({ value }) => !known.has(value)) };
}

/** Of an application of one's own everybody who has connected; otherwise oneself. */
function useConnections(applicationId: string | undefined, isOwned: boolean): Choice[] {
  const offered = useQuery({ ...offeredConnectionsQuery(applicationId ?? ""), enabled: isOwned }).data?.connections;
  const own = useQuery(ownConnectionsQuery).data?.connections ?? [];
  if (isOwned) return (offered ?? []).map(({ id, user }) => ({ value: id, label: cleanText(user.email) }));
  return own
    .filter(({ application }) => applicationId === undefined || application.id === applicationId)
    .map(({ id, application }) => ({ value: id, label: `Me at ${cleanText(application.name)}` }));
}

function toChoice({ id, name }: { id: string; name: string }): Choice {
  return { value: id, label: cleanText(name) };
}

function withChosen(choices: Choice[], chosen: string | undefined): Choice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices;
  return [...choices, { value: chosen, label: `Only ${chosen.slice(0, 8)}…` }];
}
