import { createAmbiguousSite } from "./ambiguous.ts";
import { createCaptchaSite } from "./captcha.ts";
import { createDialogsSite } from "./dialogs.ts";
import { createEndlessSite } from "./endless.ts";
import { createEndlessScriptSite } from "./endless-script.ts";
import { createFactsSite } from "./facts.ts";
import { createFramesSite, createPartnerSite } from "./frames.ts";
import { createCanarySite, createHostileSite } from "./hostile.ts";
import { createLoginSite } from "./login.ts";
import { createLyingSite } from "./lying.ts";
import { createPagedSite } from "./paged.ts";
import { createPopupsSite } from "./popups.ts";
import { type RecordedRequest, RequestLog } from "./request-log.ts";
import { serveSite } from "./serve-site.ts";
import { createShadowSite } from "./shadow.ts";
import { createFederatedSite, createIdentitySite } from "./sign-in/federated.ts";
import { createDatabaseSessionSite, createTabSessionSite } from "./sign-in/token-site.ts";
import type { Site } from "./site.ts";
import { createSlowSite } from "./slow.ts";
import { createVirtualSite } from "./virtual.ts";
import { createWidgetsSite } from "./widgets/widgets.ts";
import { createWizardSite } from "./wizard/wizard.ts";

export type Sites = Awaited<ReturnType<typeof startSites>>;

/** All sites, each a separate origin: `url`, `state`, `recorded` and `faults` of each, and `recorded` of all. */
export async function startSites() {
  await using opened = new AsyncDisposableStack();
  const log = new RequestLog();
  const serve = async <State>(name: string, site: Site<State>, host = "127.0.0.1") =>
    opened.use(await serveSite(site, { name, host, log }));

  // Under another host name, because a browser treats two ports of one host as the same site.
  const partner = await serve("partner", createPartnerSite(), "localhost");
  const canary = await serve("canary", createCanarySite());
  const identity = await serve("identity", createIdentitySite(), "localhost");
  const sites = {
    /** Embedded by `frames`; any request here from elsewhere is cross-origin. */
    partner,
    /** The target of `hostile`: any request recorded here is an escape. */
    canary,
    /** Forms in a frame, in a frame of a frame, in a frame of another origin. */
    frames: await serve("frames", createFramesSite(partner.url)),
    /** Forms in open, closed, nested and declarative shadow roots. */
    shadow: await serve("shadow", createShadowSite()),
    /** A link to a new tab; a window that notifies its opener and closes. */
    popups: await serve("popups", createPopupsSite()),
    /** confirm, prompt, alert, beforeunload. */
    dialogs: await serve("dialogs", createDialogsSite()),
    /** Late, flaky and never-ending responses. */
    slow: await serve("slow", createSlowSite()),
    /** 200 items that load on scrolling, or on a button. */
    endless: await serve("endless", createEndlessSite()),
    /** A grid of 5,000 rows with 30 in the document. */
    virtual: await serve("virtual", createVirtualSite()),
    /** A table of 57 rows: sort, filter, ten per page. */
    paged: await serve("paged", createPagedSite()),
    /** A sign-in wall by redirect and by 401; sessions that expire. */
    login: await serve("login", createLoginSite()),
    /** Signs in by script and keeps its token in sessionStorage; /sign-in, /account, `state.sessions.drop()`. */
    tabSession: await serve("tabSession", createTabSessionSite()),
    /** The same with IndexedDB. */
    databaseSession: await serve("databaseSession", createDatabaseSessionSite()),
    /** Where `federated` sends people to sign in: another site. */
    identity,
    /** Signs in through `identity`, in the tab or in a popup, and keeps a cookie. */
    federated: await serve("federated", createFederatedSite(identity)),
    /** Bot checks that cannot be passed. */
    captcha: await serve("captcha", createCaptchaSite()),
    /** Duplicate labels, with and without a distinguishing context. */
    ambiguous: await serve("ambiguous", createAmbiguousSite()),
    /** Forms that say "Saved!", truthfully or not. */
    lying: await serve("lying", createLyingSite()),
    /** Four steps, a review, a reference number. */
    wizard: await serve("wizard", createWizardSite()),
    /** Tabs, menus, modals, listbox, combobox, calendar, sliders, dragging, tooltip, cookie banner. */
    widgets: await serve("widgets", createWidgetsSite()),
    /** Injected instructions, forbidden links, and every route to the canary. */
    hostile: await serve("hostile", createHostileSite(canary.url)),
    /** Pages to read from; their content is in facts-expected.ts. */
    facts: await serve("facts", createFactsSite()),
    /** An endless loop, a crash, a flood, alerts, a redirect loop. */
    endlessScript: await serve("endlessScript", createEndlessScriptSite()),
  };
  const running = opened.move();
  return {
    ...sites,
    /** Every request to any site, oldest first. */
    recorded: log.all satisfies readonly RecordedRequest[],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
