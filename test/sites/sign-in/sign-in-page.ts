import { html } from "../../../src/lib/html.ts";

export const CREDENTIAL_FORM = html`<form method="post">
  <label>E-mail address <input name="email" type="email" autocomplete="username" required autofocus></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
</form>`;
