import { PageTitle } from "../../parts/page-title.tsx";

export function ConnectionsPage() {
  return <PageTitle title="What may act for me" />;
}
