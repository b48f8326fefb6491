import { PageTitle } from "../../parts/page-title.tsx";

export function ExecutionPage() {
  return <PageTitle title="Execution" />;
}
