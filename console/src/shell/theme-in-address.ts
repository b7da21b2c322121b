/** Where Mantine keeps the theme that was chosen. */
const STORED_AS = "mantine-color-scheme-value";

/** `?theme=dark` or `?theme=light` chooses the theme, as the menu does: for links and for screens on a wall. */
export function takeThemeFromAddress(): void {
  const theme = new URLSearchParams(location.search).get("theme");
  if (theme === "dark" || theme === "light") localStorage.setItem(STORED_AS, theme);
}
