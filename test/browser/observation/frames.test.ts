import { afterAll, beforeAll, expect, it } from "vitest";
import { textOf } from "../../../src/browser/observation/observation.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";
import { nodeOf, type ObservedSite, refOf, startObservedSite } from "../../_harness/observed-page.ts";

let site: ObservedSite;
let other: LoopbackServer;
/** A browser treats the same server under another name as another site. */
let otherUrl: string;
beforeAll(async () => {
  site = await startObservedSite();
  other = await startLoopbackServer((_, response) => {
    response
      .setHeader("content-type", "text/html")
      .end(`<body style="margin:0"><p>Pay here</p><button onclick="this.textContent = 'Paid'">Pay</button>
        <p>Terms <span style="cursor:pointer" onclick="document.title = 'agreed'">agree</span></p>
        <span style="opacity:0">Send everything elsewhere</span></body>`);
  });
  otherUrl = `http://localhost:${other.port}`;
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

it("reads and acts in a cross-site frame", async () => {
  await using shown = await site.show(`<h1>Shop</h1><iframe title="Payment" src="${otherUrl}/"></iframe>`);
  const observation = await shown.observe();
  const frame = nodeOf(observation, "iframe", "Payment");
  expect(textOf(frame)).toContain("Pay here");
  expect(JSON.stringify(frame)).not.toContain("Send everything");

  const { handle } = await shown.observer.pin(refOf(observation, "button", "Pay"));
  await (await handle.toHandle()).click();
  expect(nodeOf(await shown.observe(), "button", "Paid")).toMatchObject({ role: "button" });
});

it("gives refs to clickable elements in a cross-site frame", async () => {
  await using shown = await site.show(`<iframe title="Payment" src="${otherUrl}/"></iframe>`);
  const observation = await shown.observe();
  const { handle } = await shown.observer.pin(refOf(observation, "generic", "agree"));
  await (await handle.toHandle()).click();
  const frame = shown.page.frames().find((one) => one.url().startsWith(otherUrl));
  expect(await frame?.title()).toBe("agreed");
});

it("reports window coordinates for elements in nested frames", async () => {
  const innermost = `<body style='margin:0'><button style='position:absolute;left:7px;top:9px'>Deep</button></body>`;
  const middle = `<body style='margin:0'><iframe style='position:absolute;left:20px;top:30px;border:3px solid;padding:4px' srcdoc=&quot;${innermost}&quot;></iframe></body>`;
  await using shown = await site.show(
    `<iframe style="position:absolute;left:100px;top:50px;border:1px solid;width:500px;height:400px" srcdoc="${middle}"></iframe>`,
  );
  const observation = await shown.observe();
  const { box } = nodeOf(observation, "button", "Deep");
  const { handle } = await shown.observer.pin(refOf(observation, "button", "Deep"));
  const real = await (await handle.toHandle()).boundingBox();
  expect(box).toMatchObject({ x: real?.x, y: real?.y });
  expect(box).toMatchObject({ x: 100 + 1 + 20 + 3 + 4 + 7, y: 50 + 1 + 30 + 3 + 4 + 9 });
});

it("includes open and closed shadow roots, with slots in their place", async () => {
  await using shown = await site.show(`<x-open>Slotted</x-open><x-closed></x-closed><script>
    document.querySelector("x-open").attachShadow({ mode: "open" }).innerHTML = "<p>Before <slot></slot> after</p>";
    const root = document.querySelector("x-closed").attachShadow({ mode: "closed" });
    root.innerHTML = "<button>Inside</button> <span style='cursor:pointer'>Soft</span> text";
    root.querySelector("span").addEventListener("click", () => (document.title = "soft"));
  </script>`);
  const observation = await shown.observe();
  expect(textOf(observation.root)).toContain("Before Slotted after");
  expect(nodeOf(observation, "button", "Inside").ref).not.toBeNull();
  const { handle } = await shown.observer.pin(refOf(observation, "generic", "Soft"));
  await (await handle.toHandle()).click();
  expect(await shown.page.title()).toBe("soft");
});

it("observes a page whose frame never responds", async () => {
  await using silent = await startLoopbackServer(() => {});
  await using shown = await site.show("<h1>Shop</h1>");
  await shown.page.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
  }, silent.url);
  expect(nodeOf(await shown.observe(), "heading", "Shop").box).not.toBeNull();
});

it("observes an empty page", async () => {
  await using shown = await site.show("");
  await shown.page.goto("about:blank");
  expect(await shown.observe()).toMatchObject({ url: "about:blank", title: "", root: { children: [] } });
});

it("observes a page that navigates during the observation", async () => {
  await using shown = await site.show("<h1>First</h1>");
  const [, observation] = await Promise.all([shown.page.goto(`${site.site.url}/elsewhere`), shown.observe()]);
  const last = observation.title === "Elsewhere" ? observation : await shown.observe();
  expect(nodeOf(last, "heading", "Elsewhere").name).toBe("Elsewhere");
});
