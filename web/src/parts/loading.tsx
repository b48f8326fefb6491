import { Center, Loader, Skeleton, Stack } from "@mantine/core";

const ROWS = ["a", "b", "c", "d", "e"];

export function LoadingPage() {
  return (
    <Center h="60vh">
      <Loader aria-label="Loading" />
    </Center>
  );
}

/** In the place of a list that is on its way. */
export function LoadingRows() {
  return (
    <Stack gap="sm" aria-busy="true" aria-label="Loading">
      {ROWS.map((row) => (
        <Skeleton key={row} height={40} />
      ))}
    </Stack>
  );
}
