import { Button, Container, Group, Kbd, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { loadCode } from "../api/load-code.js";
import { useSession } from "../session.js";
import { SearchIcon } from "../ui/icons.js";
import { LazyOwnerMenu } from "./lazy-owner-menu.js";
import { Logo } from "./logo.js";
import { NavigationProgress } from "./progress.js";
import { RouteAnnouncer } from "./route-announcer.js";
import { ServiceNotice } from "./service-notice.js";
import classes from "./shell.module.css";

/** Loaded when it is first opened. */
const FindDialog = lazy(async () => ({
  default: (await loadCode(() => import("./find-dialog.js"))).FindDialog,
}));

/** Loaded when one of them is needed: the service answers then. */
const SessionDialogs = lazy(async () => ({
  default: (await loadCode(() => import("./session-dialogs.js"))).SessionDialogs,
}));

/** The frame of every page for a signed-in owner. */
export function Shell() {
  // The list of bots is the home page, "/".
  const isAmongBots = useLocation().pathname.startsWith("/bots/");
  const [isFinding, finding] = useDisclosure();
  const { isOver, offered } = useSession();
  // Then they stay mounted, so that closing one can return the focus.
  const [wereNeeded, setWereNeeded] = useState(false);
  if (!wereNeeded && (isOver || offered !== undefined)) setWereNeeded(true);
  const focusedBefore = useRef<Element | null>(null);
  const find = () => {
    focusedBefore.current = document.activeElement;
    finding.open();
  };
  useHotkeys([["mod+K", isFinding ? finding.close : find]], []);
  useEffect(() => {
    // The dialog is gone by then, which kept the focus in itself.
    if (!isFinding && focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus();
  }, [isFinding]);
  return (
    <div className={classes["shell"]}>
      <NavigationProgress />
      <a href="#main" className={classes["skip"]}>
        Skip to the content
      </a>
      <header className={classes["header"]}>
        <Container size="xl" h="100%">
          <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
            <div className={classes["places"]}>
              <Link to="/" className={classes["home"]}>
                <Logo size={28} />
                <Text component="span" fw={700} visibleFrom="sm">
                  Botyard
                </Text>
                <VisuallyHidden>Botyard console, home</VisuallyHidden>
              </Link>
              <nav aria-label="Main" className={classes["nav"]}>
                <Link
                  to="/"
                  className={classes["link"]}
                  activeOptions={{ exact: true, includeSearch: false }}
                  data-open={isAmongBots || undefined}
                >
                  Bots
                </Link>
                <Link to="/channels" className={classes["link"]}>
                  Channels
                </Link>
              </nav>
            </div>
            <Group gap="xs" wrap="nowrap">
              <Button
                variant="default"
                size="xs"
                leftSection={<SearchIcon size={14} />}
                rightSection={
                  <Kbd size="xs" visibleFrom="sm">
                    Ctrl K
                  </Kbd>
                }
                onClick={find}
              >
                <span className={classes["find"]}>Find</span>
              </Button>
              <LazyOwnerMenu />
            </Group>
          </Group>
        </Container>
      </header>
      <main id="main" tabIndex={-1} className={classes["main"]}>
        <Container size="xl" py={{ base: "md", sm: "xl" }}>
          <ServiceNotice />
          <Outlet />
        </Container>
      </main>
      {isFinding && (
        <Suspense>
          <FindDialog onClose={finding.close} />
        </Suspense>
      )}
      {wereNeeded && (
        <Suspense>
          <SessionDialogs />
        </Suspense>
      )}
      <RouteAnnouncer />
    </div>
  );
}
