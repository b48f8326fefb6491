import { createTheme } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: "md",
  autoContrast: true,
  fontFamily: "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  headings: { fontWeight: "600" },
  components: {
    Table: { defaultProps: { verticalSpacing: "sm" } },
    TextInput: { defaultProps: { autoComplete: "off" } },
  },
});
