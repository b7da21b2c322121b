import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import classes from "./tabs.module.css";

const TABS = [
  { to: "/bots/$botId", label: "Overview" },
  { to: "/bots/$botId/updates", label: "Updates" },
  { to: "/bots/$botId/errors", label: "Errors" },
  { to: "/bots/$botId/live", label: "Live" },
  { to: "/bots/$botId/channels", label: "Channels" },
  { to: "/bots/$botId/webhook", label: "Webhook" },
  { to: "/bots/$botId/settings", label: "Settings" },
] as const;

/** The name of the tab that is open; undefined for the first one, which is the bot itself. */
export function useOpenTab(): string | undefined {
  const [, , , last] = useLocation().pathname.split("/");
  return TABS.find(({ to }) => to.endsWith(`$botId/${last}`))?.label;
}

export function BotTabs({ botId }: { botId: string }) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a phone the open tab may be scrolled out of view.
  useEffect(() => {
    const open = nav.current?.querySelector(`[href$="${pathname}"]`);
    open?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname]);
  return (
    <nav ref={nav} aria-label="Bot" className={classes["tabs"]}>
      {TABS.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ botId }}
          activeOptions={{ exact: true, includeSearch: false }}
          className={classes["tab"]}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
