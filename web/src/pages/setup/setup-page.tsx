import type { Setup } from "../../../../src/contract/console/account.ts";
import { PageTitle } from "../../parts/page-title.tsx";

export function SetupPage({ setup }: { setup: Setup }) {
  return <PageTitle title={setup.needs_code ? "Welcome (with code)" : "Welcome"} />;
}
