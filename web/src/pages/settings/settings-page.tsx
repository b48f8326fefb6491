import { PageTitle } from "../../parts/page-title.tsx";

export function SettingsPage() {
  return <PageTitle title="Settings" />;
}
