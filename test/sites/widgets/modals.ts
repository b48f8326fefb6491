import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

/** A native modal, and a custom one that only covers the page. */
export const MODALS_PAGE = layOutWidget(
  "Guest book",
  html`<button type="button" id="open-native">Sign the guest book</button>
  <button type="button" id="open-made">Delete the guest book</button>
  <dialog aria-labelledby="native-title"><h2 id="native-title">Sign the guest book</h2>
    <form method="dialog"><label>Your message <input name="message"></label>
      <button value="sign">Sign</button> <button value="">Cancel</button></form></dialog>
  <div id="cover" hidden><div role="dialog" aria-modal="true" aria-labelledby="made-title">
    <h2 id="made-title">Delete the guest book?</h2><p>All 12 entries will be lost.</p>
    <button type="button" id="yes">Yes, delete</button> <button type="button" id="no">Keep it</button>
  </div></div>`,
  `
  const native = document.querySelector("dialog");
  document.getElementById("open-native").addEventListener("click", () => native.showModal());
  native.addEventListener("close", () => {
    if (native.returnValue === "sign") choose("dialog", native.querySelector("input").value);
  });
  const cover = document.getElementById("cover");
  document.getElementById("open-made").addEventListener("click", () => { cover.hidden = false; document.getElementById("no").focus(); });
  document.getElementById("no").addEventListener("click", () => { cover.hidden = true; });
  document.getElementById("yes").addEventListener("click", () => { cover.hidden = true; choose("made-dialog", "deleted"); });
  `,
  `#cover:not([hidden]) { position: fixed; inset: 0; background: rgb(0 0 0 / .5); display: grid; place-items: center; }
  #cover [role=dialog] { background: #fff; padding: 1.5rem; border-radius: 6px; }`,
);
