/** Separate from the list below because only the last `--disable-features` switch counts. */
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

/** Reports are sent by the browser itself, to a URL that the site chooses. Neither pages nor DevTools see them. */
export const REPORTING_FEATURES = ["DocumentReporting", "NetworkErrorLogging", "Reporting"];

/**
 * Playwright's default switches. They are repeated here because Playwright opens a window when it uses its own list, and
 * an unused window costs half of a browser's start time. A test compares the two lists.
 */
export const PLAYWRIGHT_SWITCHES: readonly string[] = [
  "--headless",
  "--remote-debugging-pipe",

  // Every page behaves as if it were in the foreground.
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-ipc-flooding-protection",
  "--allow-pre-commit-input",
  "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",

  // Pages look the same on every machine.
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--mute-audio",
  "--disable-dev-shm-usage",
  "--enable-unsafe-swiftshader",
  "--disable-field-trial-config",

  // No prompts or interruptions.
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

  // No traffic of the browser itself.
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

/** A page in two pieces instead of twenty: putting them together for a picture takes a third less. */
const TILE_SWITCHES = ["--default-tile-width=1280", "--default-tile-height=400"];

/** Headless, and without a window until a page is opened. */
export function listSwitches(
  profile: string,
  { hasSandbox, hasGpu }: { hasSandbox: boolean; hasGpu: boolean },
): string[] {
  return [
    ...PLAYWRIGHT_SWITCHES,
    `--disable-features=${[...PLAYWRIGHT_FEATURES_OFF, ...REPORTING_FEATURES].join(",")}`,
    ...TILE_SWITCHES,
    "--no-startup-window",
    `--user-data-dir=${profile}`,
    ...(hasSandbox ? [] : ["--no-sandbox"]),
    ...(hasGpu ? [] : ["--disable-gpu"]),
  ];
}
