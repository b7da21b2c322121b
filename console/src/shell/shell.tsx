import { Button, Container, Group, Kbd, Text, VisuallyHidden } from "@mantine/core";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { SearchIcon } from "../ui/icons.js";
import { DeliveriesOff } from "./deliveries-off.js";
import { LazyOwnerMenu } from "./lazy-owner-menu.js";
import { Logo } from "./logo.js";
import { NavigationProgress } from "./progress.js";
import { RouteAnnouncer } from "./route-announcer.js";
import { ServiceNotice } from "./service-notice.js";
import { SessionGuard } from "./session-guard.js";
import classes from "./shell.module.css";
import { useSignOut } from "./sign-out.js";
import { useFind } from "./use-find.js";

/** The frame of every page for a signed-in owner. */
export function Shell() {
  // The list of bots is the home page, "/".
  const isAmongBots = useLocation().pathname.startsWith("/bots/");
  const [signOut, signOutQuestion] = useSignOut();
  const [find, findDialog] = useFind(signOut);
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
              <LazyOwnerMenu onSignOut={signOut} />
            </Group>
          </Group>
        </Container>
      </header>
      <main id="main" tabIndex={-1} className={classes["main"]}>
        <Container size="xl" py={{ base: "md", sm: "xl" }}>
          <DeliveriesOff />
          <Outlet />
          <ServiceNotice />
        </Container>
      </main>
      {findDialog}
      {signOutQuestion}
      <SessionGuard />
      <RouteAnnouncer />
    </div>
  );
}
