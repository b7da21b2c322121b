import { createRootRoute, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router";
import { forgetOldUpdates, isSearch, lists } from "./api/lists.js";
import { pageOf } from "./api/load-code.js";
import { forgetOldPosts, postList } from "./api/posts.js";
import { queries } from "./api/queries.js";
import { queryClient } from "./api/query-client.js";
import { BotsPage } from "./pages/bots.js";
import { BrokenPage } from "./pages/broken.js";
import { NotFoundPage } from "./pages/not-found.js";
import {
  botsSearch,
  channelsSearch,
  errorsSearch,
  openUpdate,
  overviewSearch,
  updatesSearch,
  webhookSearch,
} from "./pages/search-params.js";
import { isSignedIn, takeSessionOfOtherTab } from "./session.js";
import { Shell } from "./shell/shell.js";

const root = createRootRoute({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ from }: Record<string, unknown>): { from?: string } =>
    // Only a path of the console: URLs of other sites are ignored.
    typeof from === "string" && /^\/(?![/\\])/.test(from) ? { from } : {},
  component: pageOf(() => import("./pages/sign-in.js"), "SignInPage"),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    if (isSignedIn() || (await takeSessionOfOtherTab())) return;
    throw redirect({ to: "/sign-in", search: { from: location.href } });
  },
  component: Shell,
});

const bots = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  validateSearch: botsSearch,
  loader: () => inBackground(read(queries.bots())),
  component: BotsPage,
});

const bot = createRoute({
  getParentRoute: () => signedIn,
  path: "/bots/$botId",
  loader: ({ params: { botId } }) => inBackground(read(queries.bot(botId))),
  component: pageOf(() => import("./pages/bot.js"), "BotPage"),
});
const botPages = [
  createRoute({
    getParentRoute: () => bot,
    path: "/",
    validateSearch: overviewSearch,
    loaderDeps: ({ search: { range = "1h", webhook } }) => ({ range, webhook }),
    loader: ({ params: { botId }, deps: { range, webhook } }) =>
      inBackground(
        read(queries.stats(botId, webhook)),
        read(queries.timeline(botId, range, webhook)),
        read(queries.consumers(botId)),
        read(queries.webhooks(botId)),
      ),
    component: pageOf(() => import("./pages/bot/overview.js"), "OverviewPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/channels",
    loader: ({ params: { botId } }) =>
      inBackground(read(queries.botChannels(botId)), read(queries.subscription(botId))),
    component: pageOf(() => import("./pages/bot/channels.js"), "BotChannelsPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/webhook",
    validateSearch: webhookSearch,
    loaderDeps: ({ search: { webhook } }) => ({ webhook }),
    loader: ({ params: { botId }, deps: { webhook } }) =>
      inBackground(
        read(queries.webhook(botId, webhook)),
        read(queries.webhooks(botId)),
        read(queries.consumers(botId)),
      ),
    component: pageOf(() => import("./pages/bot/webhook.js"), "WebhookPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/updates",
    validateSearch: updatesSearch,
    loaderDeps: ({ search: { state, search, channel, kind, since, until, webhook } }) => ({
      state,
      search,
      channel,
      kind,
      since,
      until,
      webhook,
    }),
    loader: ({ params: { botId }, deps, cause }) => {
      if (cause === "enter") forgetOldUpdates(botId);
      inBackground(
        read(queries.stats(botId)),
        read(queries.botChannels(botId)),
        read(queries.webhooks(botId)),
        isSearch(deps) ? readList(lists.found(botId, deps)) : readList(lists.updates(botId, deps)),
      );
    },
    component: pageOf(() => import("./pages/bot/updates.js"), "UpdatesPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/errors",
    validateSearch: errorsSearch,
    loaderDeps: ({ search: { webhook } }) => ({ webhook }),
    loader: ({ params: { botId }, deps: { webhook } }) => {
      inBackground(
        read(queries.errorGroups(botId, webhook)),
        read(queries.webhooks(botId)),
        readList(lists.errors(botId, "failed", webhook)),
        readList(lists.errors(botId, "scheduled", webhook)),
      );
    },
    component: pageOf(() => import("./pages/bot/errors.js"), "ErrorsPage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/live",
    validateSearch: openUpdate,
    loader: ({ params: { botId } }) => inBackground(read(queries.botChannels(botId))),
    component: pageOf(() => import("./pages/bot/live.js"), "LivePage"),
  }),
  createRoute({
    getParentRoute: () => bot,
    path: "/settings",
    component: pageOf(() => import("./pages/bot/settings.js"), "SettingsPage"),
  }),
] as const;

const channels = createRoute({
  getParentRoute: () => signedIn,
  path: "/channels",
  validateSearch: channelsSearch,
  loader: () => inBackground(read(queries.channels())),
  component: pageOf(() => import("./pages/channels.js"), "ChannelsPage"),
});

const channel = createRoute({
  getParentRoute: () => signedIn,
  path: "/channels/$channelId",
  loader: ({ params: { channelId }, cause }) => {
    if (cause === "enter") forgetOldPosts(channelId);
    inBackground(
      read(queries.channel(channelId)),
      readList(postList(channelId)),
      read(queries.bots()),
      read(queries.channelBots(channelId)),
    );
  },
  component: pageOf(() => import("./pages/channels/channel.js"), "ChannelPage"),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  component: pageOf(() => import("./pages/account.js"), "AccountPage"),
});

/** Every other URL: not found, shown with the menu to a signed-in owner. */
const notFound = createRoute({ getParentRoute: () => signedIn, path: "$", component: NotFoundPage });

/**
 * Starts a page's requests together with loading its code. Nothing waits for them: the page is shown with placeholders
 * first, and shows failures itself.
 */
function inBackground(..._reads: Promise<unknown>[]): void {}

const read = queryClient.prefetchQuery.bind(queryClient);
const readList = queryClient.prefetchInfiniteQuery.bind(queryClient);

/** The routes of the console, below `/console`. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signedIn.addChildren([bots, bot.addChildren([...botPages]), channels, channel, account, notFound]),
  ]),
  basepath: "/console",
  defaultPreload: "intent",
  // The query client decides how long data is fresh.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
