import { Group, Text } from "@mantine/core";

const PATHS = {
  home: "M4 11l8-7 8 7M6 9.500V20h12V9.500M10 20v-6h4v6",
  check: "M5 12.500l4.500 4.500L19 7.500",
  cross: "M6 6l12 12M18 6L6 18",
  warning: "M12 4l9 16H3zM12 10v4M12 17v.01",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4l3 2",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15.500 15.500 20 20",
  again: "M19 12a7 7 0 1 1-2.100-5M17 3v4h-4",
  stop: "M7 7h10v10H7z",
  download: "M12 4v11M7.500 11l4.500 4.500 4.500-4.500M5 20h14",
  plus: "M12 6v12M6 12h12",
  minus: "M6 12h12",
  left: "M14.500 6l-6 6 6 6",
  right: "M9.500 6l6 6-6 6",
  place: "M12 21c4-4.500 6-7.600 6-10.500a6 6 0 0 0-12 0C6 13.400 8 16.500 12 21M12 8.500v4M10 10.500h4",
  applications: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  executions: "M4 6h16M4 12h10M4 18h7M17 14l4 3-4 3z",
  recipes: "M6 3.500h12v17H6zM9.500 8h5M9.500 12h5M9.500 16h3",
  credits: "M12 3v18M17 7H9.500a2.500 2.500 0 0 0 0 5h5a2.500 2.500 0 0 1 0 5H6",
  connections: "M9 15l6-6M8 11l-2 2a4 4 0 0 0 5.600 5.600l2-2M16 13l2-2A4 4 0 0 0 12.400 5.400l-2 2",
  settings:
    "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M4 12h2M18 12h2M12 4v2M12 18v2M6.300 6.300l1.500 1.500M16.200 16.200l1.500 1.500M6.300 17.700l1.500-1.500M16.200 7.800l1.500-1.500",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M5 19l1.400-1.400M17.600 6.400 19 5",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z",
};

export type IconName = keyof typeof PATHS;

/** An outline icon in the text color. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Brand({ size = 24 }: { size?: number }) {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/assets/errand.svg" alt="" width={size} height={size} />
      <Text span fw={600} fz={size * 0.7} lh={1}>
        Errand
      </Text>
    </Group>
  );
}
