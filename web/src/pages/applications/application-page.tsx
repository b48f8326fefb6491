import { PageTitle } from "../../parts/page-title.tsx";

export function ApplicationPage() {
  return <PageTitle title="Application" />;
}
