import { Badge, type CSSVariablesResolver, createTheme } from "@mantine/core";

const DIALOG_TITLE = { fontWeight: 650, fontSize: "1.125rem", lineHeight: 1.35 } as const;

/** The theme: the system's fonts, one accent colour, borders instead of shadows. */
export const theme = createTheme({
  primaryColor: "indigo",
  colors: {
    // The library's own greys are warmer than its accent colours.
    dark: [
      "#dfe2e7",
      "#bcc2cc",
      "#a3a8b0",
      "#9398a1",
      "#3a404a",
      "#30353d",
      "#23272e",
      "#191c21",
      "#14171b",
      "#0f1114",
    ],
  },
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Badge: Badge.extend({ defaultProps: { variant: "light" }, styles: { root: { textTransform: "none" } } }),
    // Plain objects: their `extend` would bring the components into the first page, 10 kB of it.
    Drawer: { styles: { title: DIALOG_TITLE } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Modal: {
      defaultProps: { centered: true, closeButtonProps: { "aria-label": "Close" } },
      styles: { title: DIALOG_TITLE },
    },
  },
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: {
    fontWeight: "650",
    sizes: { h1: { fontSize: "1.625rem" }, h2: { fontSize: "1.125rem" }, h3: { fontSize: "1rem" } },
  },
});

/** The library's own dimmed, red, orange and yellow text has too little contrast (3.3 instead of 4.5). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-red-filled": "var(--mantine-color-red-9)",
    "--mantine-color-red-filled-hover": "#b02525",
    "--mantine-color-dimmed": "#5c636b",
    "--mantine-color-placeholder": "#6b727a",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    "--mantine-color-red-outline": "var(--mantine-color-red-9)",
    "--mantine-color-orange-light-color": "#9c3a06",
    "--mantine-color-teal-light-color": "#066b4c",
    "--mantine-color-yellow-light-color": "#855600",
    "--botyard-canvas": "#f8f9fb",
    "--botyard-bad": "#b02525",
    "--botyard-warn": "#9c3a06",
  },
  dark: {
    "--mantine-color-red-filled": "var(--mantine-color-red-9)",
    "--mantine-color-red-filled-hover": "#b02525",
    "--mantine-color-anchor": "#9db3ff",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-red-outline": "var(--mantine-color-red-4)",
    "--botyard-canvas": "var(--mantine-color-dark-9)",
    "--botyard-bad": "var(--mantine-color-red-4)",
    "--botyard-warn": "var(--mantine-color-orange-4)",
  },
});
