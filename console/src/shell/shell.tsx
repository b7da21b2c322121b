import { AppShell, Container, Group, Text, VisuallyHidden } from "@mantine/core";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Logo } from "./logo.js";
import { OwnerMenu } from "./owner-menu.js";
import { RouteAnnouncer } from "./route-announcer.js";
import { ServiceNotice } from "./service-notice.js";
import classes from "./shell.module.css";

/** The frame of every page for a signed-in owner. */
export function Shell() {
  // The list of bots is the home page, "/".
  const isAmongBots = useLocation().pathname.startsWith("/bots/");
  return (
    <AppShell header={{ height: 56 }} bg="var(--botyard-canvas)" mih="100vh">
      <a href="#main" className={classes.skip}>
        Skip to the content
      </a>
      <AppShell.Header>
        <Container size="xl" h="100%">
          <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
            <Group gap="lg" wrap="nowrap" h="100%">
              <Link to="/" className={classes.home}>
                <Logo size={28} />
                <Text component="span" fw={700} visibleFrom="sm">
                  Botyard
                </Text>
                <VisuallyHidden>Botyard console, home</VisuallyHidden>
              </Link>
              <nav aria-label="Main" className={classes.nav}>
                <Link
                  to="/"
                  className={classes.link}
                  activeOptions={{ exact: true }}
                  data-open={isAmongBots || undefined}
                >
                  Bots
                </Link>
                <Link to="/channels" className={classes.link}>
                  Channels
                </Link>
              </nav>
            </Group>
            <OwnerMenu />
          </Group>
        </Container>
      </AppShell.Header>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <Container size="xl" py={{ base: "md", sm: "xl" }}>
          <ServiceNotice />
          <Outlet />
        </Container>
      </AppShell.Main>
      <RouteAnnouncer />
    </AppShell>
  );
}
