import { NativeSelect, TextInput } from "@mantine/core";
import { type ListFilter, TIME_SPANS, type TimeSpan } from "./list-filter.ts";

type Chosen = Pick<ListFilter, "time" | "since" | "until">;

const BETWEEN = "between";
const CHOICES = [
  { value: "", label: "Any time" },
  ...Object.entries(TIME_SPANS).map(([value, { label }]) => ({ value, label })),
  { value: BETWEEN, label: "Between two times" },
];
const DAY_MS = 86_400_000;

export function TimeFilter({ chosen, onChoose }: { chosen: Chosen; onChoose: (chosen: Chosen) => void }) {
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
        data={CHOICES}
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
