import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

/** A calendar to click on. It always opens at March 2026. */
export const DATE_PICKER_PAGE = layOutWidget(
  "Book a table",
  html`<label for="day">Day</label> <input id="day" readonly placeholder="Choose a day">
  <button type="button" id="open" aria-haspopup="dialog" aria-expanded="false">Open the calendar</button>
  <div id="calendar" role="dialog" aria-label="Choose a day" hidden>
    <button type="button" id="previous" aria-label="Previous month">‹</button>
    <strong id="month" aria-live="polite"></strong>
    <button type="button" id="next" aria-label="Next month">›</button>
    <table role="grid" aria-labelledby="month">
      <thead><tr>${["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((day) => html`<th scope="col">${day}</th>`)}</tr></thead>
      <tbody></tbody>
    </table>
  </div>`,
  `
  const NAMES = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
  const calendar = document.getElementById("calendar");
  let year = 2026, month = 2;
  function show(isOpen) { calendar.hidden = !isOpen; document.getElementById("open").setAttribute("aria-expanded", String(isOpen)); }
  function dayButton(day) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = day;
    button.setAttribute("aria-label", day + " " + NAMES[month] + " " + year);
    button.addEventListener("click", () => {
      const value = year + "-" + String(month + 1).padStart(2, "0") + "-" + String(day).padStart(2, "0");
      document.getElementById("day").value = value;
      show(false);
      choose("date-picker", value);
    });
    return button;
  }
  function render() {
    document.getElementById("month").textContent = NAMES[month] + " " + year;
    const body = calendar.querySelector("tbody");
    body.replaceChildren();
    const offset = (new Date(Date.UTC(year, month, 1)).getUTCDay() + 6) % 7;
    const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    for (let cell = 0; cell < offset + days; cell++) {
      if (cell % 7 === 0) body.append(document.createElement("tr"));
      const place = body.lastChild.appendChild(document.createElement("td"));
      if (cell >= offset) place.append(dayButton(cell - offset + 1));
    }
  }
  function turn(step) { const first = new Date(Date.UTC(year, month + step, 1)); year = first.getUTCFullYear(); month = first.getUTCMonth(); render(); }
  document.getElementById("open").addEventListener("click", () => show(calendar.hidden));
  document.getElementById("previous").addEventListener("click", () => turn(-1));
  document.getElementById("next").addEventListener("click", () => turn(1));
  render();
  `,
  `#calendar td, #calendar th { padding: 0 .2rem; } #calendar td button { background: #d9e2ec; color: #1f2933; width: 2.2rem; }`,
);
