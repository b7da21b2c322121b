import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { onSignedOut, queryClient } from "./api/query-client.js";
import { BotsPage } from "./pages/bots.js";
import { BrokenPage } from "./pages/broken.js";
import { NotFoundPage } from "./pages/not-found.js";
import { SignInPage } from "./pages/sign-in.js";
import { currentToken, endSession } from "./session.js";
import { Shell } from "./shell/shell.js";
import { type DeliveryState, STATE_WORDS } from "./ui/state-badge.js";

/** The update that is open in the drawer. */
interface OpenUpdate {
  update?: number | undefined;
}

interface UpdatesSearch extends OpenUpdate {
  state?: DeliveryState | undefined;
}

const openUpdate = (update: unknown): OpenUpdate =>
  typeof update === "number" && Number.isInteger(update) && update > 0 ? { update } : {};

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ from, expired }: Record<string, unknown>): { from?: string; expired?: boolean } => ({
    // Only a path of the console: URLs of other sites are ignored.
    ...(typeof from === "string" && /^\/(?![/\\])/.test(from) ? { from } : {}),
    ...(expired === true ? { expired } : {}),
  }),
  component: SignInPage,
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: ({ location }) => {
    if (currentToken() === undefined) throw redirect({ to: "/sign-in", search: { from: location.href } });
  },
  component: Shell,
});

const bots = createRoute({ getParentRoute: () => signedIn, path: "/", component: BotsPage });

const bot = createRoute({
  getParentRoute: () => signedIn,
  path: "/bots/$botId",
  component: lazyRouteComponent(() => import("./pages/bot.js"), "BotPage"),
});
const botPages = [
  createRoute({
    getParentRoute: () => bot,
    path: "/",
    component: lazyRouteComponent(() => import("./pages/bot/overview.js"), "OverviewPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/channels",
    component: lazyRouteComponent(() => import("./pages/bot/channels.js"), "BotChannelsPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/webhook",
    component: lazyRouteComponent(() => import("./pages/bot/webhook.js"), "WebhookPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/updates",
    validateSearch: ({ state, update }: Record<string, unknown>): UpdatesSearch => ({
      ...(typeof state === "string" && state in STATE_WORDS ? { state: state as DeliveryState } : {}),
      ...openUpdate(update),
    }),
    component: lazyRouteComponent(() => import("./pages/bot/updates.js"), "UpdatesPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/errors",
    validateSearch: ({ update }: Record<string, unknown>): OpenUpdate => openUpdate(update),
    component: lazyRouteComponent(() => import("./pages/bot/errors.js"), "ErrorsPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/live",
    validateSearch: ({ update }: Record<string, unknown>): OpenUpdate => openUpdate(update),
    component: lazyRouteComponent(() => import("./pages/bot/live.js"), "LivePage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/settings",
    component: lazyRouteComponent(() => import("./pages/bot/settings.js"), "SettingsPage"),
  }),
] as const;

const channels = createRoute({
  getParentRoute: () => signedIn,
  path: "/channels",
  component: lazyRouteComponent(() => import("./pages/channels.js"), "ChannelsPage"),
});

const channel = createRoute({
  getParentRoute: () => signedIn,
  path: "/channels/$channelId",
  component: lazyRouteComponent(() => import("./pages/channels/channel.js"), "ChannelPage"),
});

/** The routes of the console, below `/console`. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signedIn.addChildren([bots, bot.addChildren([...botPages]), channels, channel]),
  ]),
  basepath: "/console",
  defaultPreload: "intent",
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

/** Return to this page after the next sign-in. */
onSignedOut(() => {
  endSession();
  const { pathname, href } = router.state.location;
  if (pathname === "/sign-in") return;
  queryClient.clear();
  void router.navigate({ to: "/sign-in", search: { from: href, expired: true } });
});
