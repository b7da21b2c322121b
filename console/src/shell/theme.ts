import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/** Plain and quiet: the system's fonts, one accent, borders rather than shadows. */
export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: "md",
  cursorType: "pointer",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: {
    fontWeight: "650",
    sizes: { h1: { fontSize: "1.625rem" }, h2: { fontSize: "1.125rem" }, h3: { fontSize: "1rem" } },
  },
});

/** The library's own dimmed text has too little contrast to be read by everybody (3.3 and 4.2 instead of 4.5). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5c636b",
    "--mantine-color-placeholder": "#6b727a",
    "--botyard-canvas": "#f8f9fb",
  },
  dark: {
    "--mantine-color-dimmed": "#a3a8b0",
    "--mantine-color-placeholder": "#9398a1",
    "--mantine-color-body": "#17191d",
    "--mantine-color-default": "#1f2227",
    "--mantine-color-default-hover": "#292d33",
    "--mantine-color-default-border": "#363b43",
    "--mantine-color-anchor": "#9db3ff",
    "--botyard-canvas": "#121417",
  },
});
