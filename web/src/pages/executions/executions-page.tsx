import { PageTitle } from "../../parts/page-title.tsx";

export function ExecutionsPage() {
  return <PageTitle title="Executions" />;
}
