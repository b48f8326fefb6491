import type { Person } from "../../accounts/person.ts";
import { type Html, html } from "../../lib/html.ts";
import { BEFORE_AT, breakable } from "./breakable.ts";
import { cleanText, foreignText } from "./foreign-text.ts";

interface Names {
  /** Of the application. */
  name: string;
  site: string;
  person: Person;
}

/** What opens above the live page. */
export function liveDialogs({ name, site, person }: Names): Html {
  return html`${siteDialog()}
${choices()}
${help(name, site, person)}`;
}

/** The site's own words are set apart, so that they cannot pass for ours. */
function siteDialog(): Html {
  return html`<dialog class="live-dialog" id="site-dialog" aria-labelledby="site-dialog-title">
<form method="dialog" id="site-dialog-form">
<h2 id="site-dialog-title"></h2>
<p class="live-dialog-message" id="site-dialog-message"></p>
<div class="field" id="site-dialog-answer" hidden>
<label for="site-dialog-text">Your answer</label>
<input id="site-dialog-text" type="text" maxlength="1000" autocomplete="off" autocapitalize="none" spellcheck="false">
</div>
<p class="live-dialog-way-out" id="site-dialog-way-out" hidden>If this page keeps asking: <button class="text-button" type="submit" form="cancel-form">End this sign-in</button></p>
<div class="live-dialog-actions">
<button class="button" id="site-dialog-cancel" type="button">Cancel</button>
<button class="button primary" id="site-dialog-accept" type="submit">OK</button>
</div>
</form>
</dialog>`;
}

function choices(): Html {
  return html`<dialog class="live-dialog" id="choices" aria-labelledby="choices-title">
<h2 id="choices-title"></h2>
<div class="field" id="choices-search" hidden>
<label for="choices-filter">Find</label>
<input id="choices-filter" type="search" autocomplete="off" autocapitalize="none" spellcheck="false">
</div>
<ul class="live-choices" id="choices-list"></ul>
<div class="live-dialog-actions">
<button class="button" id="choices-close" type="button">Cancel</button>
</div>
</dialog>`;
}

function help(name: string, site: string, { email }: Person): Html {
  return html`<dialog class="live-dialog live-help" id="help" aria-labelledby="help-title">
<h2 id="help-title">What happens here</h2>
<p>This is a real browser on Errand’s server, shown as a live picture. Sign in to <bdi class="host">${site}</bdi> as you always do, then press “I’m signed in: continue”. Errand looks whether the site knows you and keeps the sign-in, encrypted, so that ${foreignText(name)} can run errands as you.</p>
<p>You are signed in to Errand as <bdi class="host">${breakable(cleanText(email), BEFORE_AT)}</bdi>.</p>
<h3>Your password</h3>
<p>What you type goes through this server’s memory to the site’s own page. It is never stored and never logged, and nothing of this page is recorded.</p>
<h3>With a keyboard or a screen reader</h3>
<ul>
<li>Move to “Type into ${site}” with Tab. From then on the keyboard belongs to the site: Tab goes through its fields, Enter presses its buttons.</li>
<li>Press Escape twice to take the keyboard back.</li>
<li>The site’s title, and the name of the field that you are in, are announced. The rest of the site is a picture and cannot be read aloud.</li>
<li>If you cannot sign in this way, ask the people behind ${foreignText(name)} for help.</li>
</ul>
<h3>On a phone</h3>
<p>Touch the picture as you would touch the site. “Keyboard” opens the keyboard where it does not open by itself.</p>
<form method="dialog" class="live-dialog-actions"><button class="button primary" type="submit">Close</button></form>
</dialog>`;
}
