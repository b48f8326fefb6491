import { Button, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { Icon } from "../../../shell/icon.tsx";
import { isFiltered, type ListFilter, writeFilter } from "./list-filter.ts";
import { OriginFilters } from "./origin-filters.tsx";
import { OutcomeFilter } from "./outcome-filter.tsx";
import { TimeFilter } from "./time-filter.tsx";

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
