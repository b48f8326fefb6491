import { afterAll, beforeAll, expect, it } from "vitest";
import { toLines } from "../../../src/browser/observation/observation-text.ts";
import { renderObservation } from "../../../src/browser/observation/rendering/render-observation.ts";
import { nodeOf, type ObservedSite, refOf, startObservedSite } from "../../_harness/observed-page.ts";

const SECRET = "tulip-Staple 47";
let site: ObservedSite;
beforeAll(async () => {
  site = await startObservedSite();
});
afterAll(() => site[Symbol.asyncDispose]());

const SIGN_IN = `<form>
  <label>User <input name="user" value="ann"></label>
  <label>Password <input id="password" type="password"></label>
  <button type="button" onclick="document.querySelector('#password').type = 'text'">Show password</button>
</form>`;

it("shows that a password field is filled, but never the password", async () => {
  await using shown = await site.show(SIGN_IN);
  expect(nodeOf(await shown.observe(), "textbox", "Password")).toMatchObject({ value: "", field: { isSecret: true } });

  await shown.page.getByLabel("Password").fill(SECRET);
  const observation = await shown.observe();
  expect(nodeOf(observation, "textbox", "Password").value).toBe("••••••");
  expect(nodeOf(observation, "textbox", "User").value).toBe("ann");
  expectNowhere(observation);
});

it("keeps a password masked after its field becomes a text field", async () => {
  await using shown = await site.show(SIGN_IN);
  await shown.page.getByLabel("Password").fill(SECRET);
  await shown.observe();
  await shown.page.getByRole("button", { name: "Show password" }).click();

  const observation = await shown.observe();
  expect(nodeOf(observation, "textbox", "Password")).toMatchObject({ value: "••••••", field: { type: "text" } });
  expectNowhere(observation);
});

it("masks a password that the page repeats in text, names or URLs", async () => {
  await using shown = await site.show(`<input type="password" aria-label="Password" value="${SECRET}">
    <p>Your password is ${SECRET}, keep it.</p><button>Copy ${SECRET}</button>
    <a href="/reset?old=${encodeURIComponent(SECRET)}">Reset</a><input aria-label="Again" value="${SECRET}">`);
  const observation = await shown.observe();
  expectNowhere(observation);
  expect(toLines(observation.root)).toContain("Your password is ••••••, keep it.");
});

it("recognizes secrets by their purpose, whatever the field type", async () => {
  await using shown = await site.show(`
    <input aria-label="Code" autocomplete="one-time-code" value="481516">
    <input aria-label="New" autocomplete="new-password" value="${SECRET}">
    <input aria-label="Dots" style="-webkit-text-security: disc" value="${SECRET}">`);
  const observation = await shown.observe();
  for (const name of ["Code", "New", "Dots"]) {
    expect(nodeOf(observation, "textbox", name)).toMatchObject({ value: "••••••", field: { isSecret: true } });
  }
  expect(JSON.stringify(observation)).not.toContain("481516");
  expectNowhere(observation);
});

it("does not mask a list to search in that only keeps the browser from filling it in", async () => {
  await using shown = await site.show(
    `<p>Oslo</p><input role="combobox" aria-label="City" autocomplete="new-password" value="Oslo">`,
  );
  const observation = await shown.observe();
  expect(nodeOf(observation, "combobox", "City").value).toBe("Oslo");
  expect(toLines(observation.root)).toContain("Oslo");
});

it("masks a password in a frame, and one in a shadow root", async () => {
  await using shown =
    await site.show(`<iframe srcdoc="<input type=password aria-label=Inner value='${SECRET}'>"></iframe>
    <x-login></x-login><script>
      const root = document.querySelector("x-login").attachShadow({ mode: "closed" });
      root.innerHTML = "<input type=password aria-label=Shadow value='${SECRET}'>";
    </script>`);
  const observation = await shown.observe();
  expect(nodeOf(observation, "textbox", "Inner").value).toBe("••••••");
  expect(nodeOf(observation, "textbox", "Shadow").value).toBe("••••••");
  expectNowhere(observation);
});

it("can still act on a field whose value is masked", async () => {
  await using shown = await site.show(SIGN_IN);
  await shown.page.getByLabel("Password").fill(SECRET);
  const { handle } = await shown.observer.pin(refOf(await shown.observe(), "textbox", "Password"));
  await (await handle.toHandle()).fill("other");
  expect(await shown.page.getByLabel("Password").inputValue()).toBe("other");
});

function expectNowhere(observation: Parameters<typeof renderObservation>[0]): void {
  const texts = [JSON.stringify(observation), renderObservation(observation), toLines(observation.root).join("\n")];
  for (const text of texts) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(encodeURIComponent(SECRET));
  }
}
