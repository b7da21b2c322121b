// The limit for publishing: the same route with the same validation and answer, and nothing behind it.
import { servePostRoute } from "./post-route.mjs";

await servePostRoute(Number(process.argv[2]));
