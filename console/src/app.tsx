import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { lazy, StrictMode, Suspense } from "react";
import { loadCode } from "./api/load-code.js";
import { queryClient } from "./api/query-client.js";
import { router } from "./router.js";
import { NONCE } from "./shell/nonce.js";
import { cssVariables, theme } from "./shell/theme.js";

/** 15 kB that are not needed before the user does something. Notifications that are shown earlier wait for it. */
const Notifications = lazy(async () => ({
  default: (await loadCode(() => import("./shell/notifications.js"))).Notifications,
}));

/** The console with its providers. */
export function App() {
  return (
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => NONCE}
      >
        <Suspense>
          <Notifications position="bottom-right" />
        </Suspense>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}
