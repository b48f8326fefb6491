/** Part of the list below, apart from it because a browser goes by the last `--disable-features` that it is given. */
export const PLAYWRIGHT_FEATURES_OFF = [
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "TcpPortRandomizationWin",
  "ThirdPartyStoragePartitioning",
  "msEdgeUpdateLaunchServicesPreferredVersion",
  "msForceBrowserSignIn",
];

/** Reports are posted by the browser itself, to where a site says, and neither a page nor DevTools is told of them. */
export const REPORTING_FEATURES = ["DocumentReporting", "NetworkErrorLogging", "Reporting"];

/**
 * What Playwright starts a browser with by default, told here because it insists on an open window with its own list, and
 * a window that nobody looks at costs half of a browser's start. A test holds the two lists together.
 */
export const PLAYWRIGHT_SWITCHES: readonly string[] = [
  "--headless",
  "--remote-debugging-pipe",

  // A page is to behave as if it were in front, however many there are.
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-ipc-flooding-protection",
  "--allow-pre-commit-input",
  "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",

  // And the same on every machine.
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--mute-audio",
  "--disable-dev-shm-usage",
  "--enable-unsafe-swiftshader",
  "--disable-field-trial-config",

  // Nothing asks, interrupts, or comes between an action and what it does.
  "--disable-popup-blocking",
  "--disable-prompt-on-repost",
  "--disable-hang-monitor",
  "--disable-back-forward-cache",
  "--disable-infobars",
  "--disable-search-engine-choice-screen",
  "--unsafely-disable-devtools-self-xss-warnings",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--password-store=basic",
  "--use-mock-keychain",

  // Nothing is sent or fetched for the browser's own sake.
  "--metrics-recording-only",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-stack-profiler",
  "--disable-sync",
  "--disable-updater-scheduler",

  "--disable-edgeupdater",
  "--edge-skip-compat-layer-relaunch",
  "--do-not-de-elevate",

  `--enable-features=${["CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies"].join(",")}`,
];

/** Headless, and without a window until somebody opens a page. */
export function listSwitches(profile: string, { hasSandbox }: { hasSandbox: boolean }): string[] {
  return [
    ...PLAYWRIGHT_SWITCHES,
    `--disable-features=${[...PLAYWRIGHT_FEATURES_OFF, ...REPORTING_FEATURES].join(",")}`,
    "--no-startup-window",
    `--user-data-dir=${profile}`,
    // Root cannot have Chromium's sandbox, and where Chromium runs as root there is no GPU.
    ...(hasSandbox ? [] : ["--no-sandbox", "--disable-gpu"]),
  ];
}
