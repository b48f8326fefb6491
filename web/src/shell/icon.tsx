const PATHS = {
  applications: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  executions: "M4 6h16M4 12h10M4 18h7M17 14l4 3-4 3z",
  credits: "M12 3v18M17 7H9.500a2.500 2.500 0 0 0 0 5h5a2.500 2.500 0 0 1 0 5H6",
  connections: "M9 15l6-6M8 11l-2 2a4 4 0 0 0 5.600 5.600l2-2M16 13l2-2A4 4 0 0 0 12.400 5.400l-2 2",
  settings:
    "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M4 12h2M18 12h2M12 4v2M12 18v2M6.300 6.300l1.500 1.500M16.200 16.200l1.500 1.500M6.300 17.700l1.500-1.500M16.200 7.800l1.500-1.500",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M5 19l1.400-1.400M17.600 6.400 19 5",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z",
};

export type IconName = keyof typeof PATHS;

/** A drawing of one line, in the colour of the text. */
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
