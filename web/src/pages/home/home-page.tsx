import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { useMe } from "../../api/account.ts";
import { recentExecutionsQuery } from "../../api/executions.ts";
import { ErrorPage, LoadingPage } from "../../components/feedback.tsx";
import { FirstErrandProgress, FirstErrandStart } from "./first-errand.tsx";
import { Overview } from "./overview.tsx";

/** Guides a new owner through a first errand. Its id is in the URL, so it survives a reload. */
export function HomePage() {
  const me = useMe();
  const [parameters, setParameters] = useSearchParams();
  const recent = useQuery(recentExecutionsQuery);
  const followed = parameters.get("errand");
  const follow = (id: string) => {
    setParameters({ errand: id }, { replace: true });
    // The pressed button disappears, so the focus needs a new place.
    document.getElementById("content")?.focus();
  };
  if (followed !== null) return <FirstErrandProgress key={followed} id={followed} onRunAgain={follow} />;
  if (recent.data === undefined) {
    if (recent.error === null) return <LoadingPage />;
    return <ErrorPage error={recent.error} onRetry={() => void recent.refetch()} />;
  }
  const isNew = me.owner !== null && recent.data.length === 0;
  if (isNew && me.demo_url !== null) return <FirstErrandStart onStarted={follow} />;
  return <Overview me={me} executions={recent.data} />;
}
