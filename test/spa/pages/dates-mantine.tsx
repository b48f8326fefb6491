import { DateInput, DatePickerInput, MonthPickerInput, TimePicker } from "@mantine/dates";
import dayjs from "dayjs";
import customParseFormat from "dayjs/plugin/customParseFormat";
import { useMemo, useState } from "react";
import "@mantine/dates/styles.css";
import { renderMantine } from "./_mantine.tsx";
import { SavedForm } from "./_react.tsx";

dayjs.extend(customParseFormat);

function Page() {
  const [day, setDay] = useState<string | null>("2026-03-10");
  const [trip, setTrip] = useState<[string | null, string | null]>([null, null]);
  const [born, setBorn] = useState<string | null>(null);
  const [month, setMonth] = useState<string | null>("2026-03-01");
  const [time, setTime] = useState("");
  const state = useMemo(() => ({ day, trip, born, month, time }), [day, trip, born, month, time]);
  return (
    <SavedForm state={state}>
      <DatePickerInput label="Day" value={day} onChange={setDay} />
      <DatePickerInput label="Trip" type="range" defaultDate="2026-03-01" value={trip} onChange={setTrip} />
      <DateInput label="Born" valueFormat="DD/MM/YYYY" value={born} onChange={setBorn} />
      <MonthPickerInput label="Month" value={month} onChange={setMonth} />
      <TimePicker label="Time" value={time} onChange={setTime} />
    </SavedForm>
  );
}

renderMantine(Page);
