import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** Matches the pages that the service renders itself. */
const TEAL: MantineColorsTuple = [
  "#eef7f4",
  "#dff0eb",
  "#b9ded3",
  "#8ecfbd",
  "#58cdb3",
  "#2fa88f",
  "#1b8c77",
  "#0f7a68",
  "#0b6b5b",
  "#085446",
];
const DARK: MantineColorsTuple = [
  "#e8edeb",
  "#c9d1ce",
  "#a2ada8",
  "#7f8b86",
  "#2a3330",
  "#1f2825",
  "#171d1b",
  "#0f1413",
  "#0b0f0e",
  "#070a09",
];
/** The last three have enough contrast for white button text. */
const RED: MantineColorsTuple = [
  "#fff0f0",
  "#fde3e2",
  "#fbc5c3",
  "#fb9f9b",
  "#ff8a84",
  "#f26660",
  "#e4453f",
  "#d13530",
  "#b92b2b",
  "#962024",
];
/** The darkest shades are readable on the lightest. */
const YELLOW: MantineColorsTuple = [
  "#fff9e6",
  "#fbf0d1",
  "#f6e0a3",
  "#f2cf72",
  "#efb95c",
  "#e8a53d",
  "#d68a1e",
  "#b36b0c",
  "#8f5208",
  "#6d3d06",
];

export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: { light: 8, dark: 7 },
  colors: { teal: TEAL, dark: DARK, red: RED, yellow: YELLOW },
  black: "#18201d",
  defaultRadius: "md",
  autoContrast: true,
  luminanceThreshold: 0.2,
  fontFamily: "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  headings: { fontWeight: "600" },
  components: {
    PasswordInput: {
      defaultProps: {
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: { "aria-label": "Show password" },
      },
    },
    Notification: {
      defaultProps: { closeButtonProps: { "aria-label": "Dismiss" } },
      styles: { description: { color: "var(--mantine-color-dimmed)" } },
    },
    Table: { defaultProps: { verticalSpacing: "sm" } },
    TextInput: { defaultProps: { autoComplete: "off" } },
  },
});

/** Overrides of defaults with too little contrast. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#56605c",
    "--mantine-color-placeholder": "#66706c",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    "--mantine-color-default-border": "#dde2df",
    "--mantine-color-default-hover": "#f1f4f2",
    "--ground": "#f6f8f7",
  },
  dark: {
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--ground": "var(--mantine-color-dark-7)",
  },
});
