import { Button, Center } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { useEffect } from "react";
import { Problem } from "../../parts/problem.tsx";

interface MoreRowsProps {
  hasMore: boolean;
  isLoading: boolean;
  error: Error | null;
  onLoad: () => void;
}

/** At the end of a list: the next page is on its way before anybody gets here, and can be asked for by hand. */
export function MoreRows({ hasMore, isLoading, error, onLoad }: MoreRowsProps) {
  const { ref, entry } = useIntersection({ rootMargin: "600px" });
  const isNear = entry?.isIntersecting === true;
  const isWanted = hasMore && isNear && !isLoading && error === null;
  useEffect(() => {
    if (isWanted) onLoad();
  }, [isWanted, onLoad]);
  if (error !== null) return <Problem error={error} onRetry={onLoad} />;
  if (!hasMore) return null;
  return (
    <Center ref={ref} py="md">
      <Button variant="default" loading={isLoading} onClick={onLoad}>
        Show more
      </Button>
    </Center>
  );
}
