import { useRouterState } from "@tanstack/react-router";
import classes from "./progress.module.css";

/** A line at the top while a page is being opened. */
export function NavigationProgress() {
  const isLoading = useRouterState({ select: ({ isLoading }) => isLoading });
  return isLoading ? (
    <div className={classes["line"]} role="progressbar" aria-label="Opening the page" />
  ) : null;
}
