import { describe, expect, it } from "vitest";
import { isLater, releaseChangelog, setVersion } from "../../scripts/release.ts";

const CHANGELOG = "# Changelog\n\n## Unreleased\n\n- A change.\n\n## 0.1.0 (2026-01-01)\n\n- The first version.\n";

describe("the release script", () => {
  it("moves unreleased entries under the new version and leaves the section open", () => {
    expect(releaseChangelog(CHANGELOG, "0.2.0", "2026-02-01")).toBe(
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-01)\n\n- A change.\n\n## 0.1.0 (2026-01-01)\n\n- The first version.\n",
    );
  });

  it.each([
    ["no section", "# Changelog\n"],
    ["no entries", "# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- Old.\n"],
  ])("refuses a changelog with %s", (_, changelog) => {
    expect(() => releaseChangelog(changelog, "0.2.0", "2026-02-01")).toThrow(/Unreleased/);
  });

  it.each([
    ["0.2.0", "0.1.9", true],
    ["0.10.0", "0.9.0", true],
    ["1.0.0", "0.9.9", true],
    ["0.2.0", "0.2.0", false],
    ["0.1.9", "0.2.0", false],
  ])("%s after %s: %s", (version, current, later) => {
    expect(isLater(version, current)).toBe(later);
  });

  it("sets the version of the project and its packages, and of nothing else", () => {
    const lock = JSON.stringify({
      version: "0.1.0",
      packages: { "": { version: "0.1.0" }, "packages/sdk": { version: "0.1.0" }, other: { version: "0.1.0" } },
    });
    expect(JSON.parse(setVersion(lock, "0.2.0"))).toEqual({
      version: "0.2.0",
      packages: { "": { version: "0.2.0" }, "packages/sdk": { version: "0.2.0" }, other: { version: "0.1.0" } },
    });
  });
});
