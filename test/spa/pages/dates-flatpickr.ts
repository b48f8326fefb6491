import flatpickr from "flatpickr";
import "flatpickr/dist/flatpickr.css";
import { root, save, show } from "./_page.ts";

root().innerHTML = `<form>
  <p><label for="arrival">Arrival</label> <input id="arrival" placeholder="Choose a day"></p>
  <p><label for="stay">Stay</label> <input id="stay"></p>
  <p><label for="meeting">Meeting</label> <input id="meeting"></p>
  <p><label for="typed">Invoice date</label> <input id="typed"></p>
  <button type="submit">Save</button></form>`;

const state: Record<string, string> = {};
const keep = (name: string) => (_dates: Date[], text: string) => {
  state[name] = text;
  show(state);
};
flatpickr("#arrival", { defaultDate: "2026-03-10", onChange: keep("arrival") });
flatpickr("#stay", { mode: "range", defaultDate: ["2026-03-10", "2026-03-11"], onChange: keep("stay") });
flatpickr("#meeting", {
  enableTime: true,
  time_24hr: true,
  defaultDate: "2026-03-10 09:00",
  onChange: keep("meeting"),
});
flatpickr("#typed", { allowInput: true, onChange: keep("typed") });

document.querySelector("form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  void save(state);
});
show(state);
