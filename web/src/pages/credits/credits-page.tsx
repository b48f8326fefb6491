import { PageTitle } from "../../parts/page-title.tsx";

export function CreditsPage() {
  return <PageTitle title="Credits" />;
}
