import { PageTitle } from "../../parts/page-title.tsx";

export function ApplicationsPage() {
  return <PageTitle title="Applications" />;
}
