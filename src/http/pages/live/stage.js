// @ts-check

const LEAST = 200;
const WIDEST = 1_280;
const HIGHEST = 800;
const SETTLED_MS = 150;

/** How large the site's window is to be. @param {HTMLElement} stage */
export function sizeOf({ clientWidth, clientHeight }) {
  return {
    width: Math.max(LEAST, Math.min(WIDEST, clientWidth)),
    height: Math.max(LEAST, Math.min(HIGHEST, clientHeight)),
  };
}

/**
 * Tells when the room for the picture has changed and come to rest.
 * @param {HTMLElement} stage
 * @param {(size: { width: number, height: number }) => void} onResize
 */
export function watchStage(stage, onResize) {
  let known = sizeOf(stage);
  let timer = 0;
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const size = sizeOf(stage);
      if (size.width === known.width && size.height === known.height) return;
      known = size;
      onResize(size);
    }, SETTLED_MS);
  });
  observer.observe(stage);
  followVisualViewport();
}

/** Where a keyboard on glass covers the page instead of making it smaller, the page makes itself smaller. */
function followVisualViewport() {
  const { visualViewport, document } = window;
  if (visualViewport === null) return;
  visualViewport.addEventListener("resize", () => {
    // Somebody who has zoomed in wants to see less, not a smaller page.
    if (visualViewport.scale !== 1) return;
    document.documentElement.style.setProperty("--live-height", `${visualViewport.height}px`);
    scrollTo(0, 0);
  });
}
