import { join } from "node:path";
import {
  Bot,
  button,
  type Components,
  Context,
  type EventPayloads,
  type FileItem,
  type ImageItem,
  type InteractionPayload,
  type InteractionUser,
  isMedia,
  isUpdateOf,
  type KnownUpdate,
  type MediaItem,
  OwnerClient,
  Router,
  row,
  type Update,
} from "@botyard/sdk";
import ts from "typescript";
import { describe, expect, expectTypeOf, it } from "vitest";
import { repository } from "../../../server/test/support/program.js";

declare module "@botyard/sdk" {
  interface EventPayloads {
    "ticket.opened": { ticket: number };
  }
}

const ENTRIES = ["index", "node", "conversation", "sqlite", "postgres", "testing"];
const bot = new Bot("bot_x", { url: "http://127.0.0.1:1" });

/** What does not compile here is marked, and the compiler says so when it does compile: `npm test` checks the types of tests. */
describe("types", () => {
  it("tell updates apart by their kind, custom ones too", () => {
    const check = (update: Update) => {
      if (update.event_type === "channel.post_created") {
        expectTypeOf(update.payload).toEqualTypeOf<EventPayloads["channel.post_created"]>();
        expectTypeOf(update.payload.body).toEqualTypeOf<string>();
      }
      switch (update.event_type) {
        case "ticket.opened":
          expectTypeOf(update.payload).toEqualTypeOf<{ ticket: number }>();
          break;
        case "channel.post_edited":
          expectTypeOf(update.payload.revision).toEqualTypeOf<number>();
          break;
        case "bot.attached":
        case "bot.detached":
          expectTypeOf(update.payload.by).toEqualTypeOf<string>();
          break;
        case "channel.post_created":
        case "channel.post_deleted":
        case "channel.updated":
          break;
        default:
          expectTypeOf(update.payload).toEqualTypeOf<unknown>();
      }
      // @ts-expect-error nobody has declared this kind
      if (isUpdateOf(update, "chanel.post_created")) return;
    };
    expect(check).toBeTypeOf("function");
    expectTypeOf<KnownUpdate>().toExtend<Update>();
  });

  it("know the kinds that handlers can be for", () => {
    const router = new Router();
    router.on("ticket.opened", (ctx) => expectTypeOf(ctx.payload).toEqualTypeOf<{ ticket: number }>());
    router.on("ticket.*", ({ update }) => {
      if (update.event_type === "ticket.opened") expectTypeOf(update.payload.ticket).toEqualTypeOf<number>();
      else expectTypeOf(update.payload).toEqualTypeOf<unknown>();
    });
    router.on(["bot.attached", "channel.updated"], ({ payload }) => {
      expectTypeOf(payload.channel.slug).toEqualTypeOf<string>();
    });
    router.on("channel.post_created").filter((ctx) => ctx.payload.body !== "");
    router.use((ctx) => expectTypeOf(ctx).toEqualTypeOf<Context>());
    // @ts-expect-error a slip of the pen
    expect(() => router.on("channel.post_createt", () => {})).toThrow();
    // @ts-expect-error nothing begins like this
    router.on("tickets.*", () => {});
    // @ts-expect-error one of two is wrong
    expect(() => router.on(["bot.attached", "bot.atached"], () => {})).toThrow();
    // @ts-expect-error there is no such author
    expect(() => router.onPost().from("admin")).toThrow();
    router.mention(({ payload }) => expectTypeOf(payload.body).toEqualTypeOf<string>());
    router
      .onPost()
      .mention((ctx) => expectTypeOf(ctx.update).toEqualTypeOf<Update<"channel.post_created">>());
  });

  it("know the payload of a context by its kind", () => {
    const check = (ctx: Context) => {
      if (ctx.is("channel.post_created")) expectTypeOf(ctx.payload.body).toEqualTypeOf<string>();
      else if (ctx.is("ticket.opened")) expectTypeOf(ctx.payload).toEqualTypeOf<{ ticket: number }>();
      else expectTypeOf(ctx.payload).toEqualTypeOf<unknown>();
      // @ts-expect-error nobody has declared this kind
      if (ctx.is("chanel.post_created")) return;
    };
    expect(check).toBeTypeOf("function");
    const update = { update_id: 1, event_type: "ticket.opened", payload: { ticket: 7 }, created_at: "" };
    const ctx = new Context(update as Update, bot.api);
    expect([ctx.is("ticket.opened"), ctx.is("channel.post_edited")]).toEqual([true, false]);
    bot.on(["bot.attached", "channel.post_edited"], (two) => {
      if (two.is("channel.post_edited")) expectTypeOf(two.payload.revision).toEqualTypeOf<number>();
      else if (two.is("bot.attached")) expectTypeOf(two.payload.by).toEqualTypeOf<string>();
    });
  });

  it("refuse an author of a bot's post", () => {
    bot.onPost(async (ctx) => {
      // @ts-expect-error a bot is the author itself
      await ctx.reply({ body: "hello", author: { id: "1", username: "alice" } });
    });
  });

  it("know media by convention, and take any other object", () => {
    const image: ImageItem = { type: "image", url: "https://a.example/1.png", width: 8, alt: "One" };
    const file: FileItem = { type: "file", url: "https://a.example/1.pdf", name: "1.pdf", bytes: 7 };
    const others: MediaItem[] = [{ kind: "photo" }, { type: "poll", options: [1, 2] }];
    // @ts-expect-error a picture is somewhere
    const nowhere: ImageItem = { type: "image" };
    // @ts-expect-error a file has no width
    const wide: FileItem = { type: "file", url: "https://a.example/1.pdf", width: 8 };
    const media: MediaItem[] = [image, file, ...others, nowhere, wide];
    bot.onPost(async (ctx) => {
      await ctx.reply({ body: "x", media });
      await bot.api.createBotPost("c", { body: "x", media: [image] });
      await new OwnerClient("token", { url: "http://127.0.0.1:1" }).createChannelPost("c", {
        body: "",
        media,
      });
      for (const item of ctx.payload.media ?? []) {
        if (isMedia(item, "image")) expectTypeOf(item.width).toEqualTypeOf<number | undefined>();
        else if (isMedia(item, "link")) expectTypeOf(item.url).toEqualTypeOf<string>();
      }
    });
    expect(media.filter((item) => isMedia(item, "image"))).toEqual([image]);
    expect(media.filter((item) => isMedia(item, "file"))).toEqual([file, wide]);
    expect(media.some((item) => isMedia(item, "video"))).toBe(false);
  });

  it("know what handlers get beside", () => {
    bot.command("weather", (ctx) => {
      expectTypeOf(ctx.command).toEqualTypeOf<string>();
      expectTypeOf(ctx.args).toEqualTypeOf<readonly string[]>();
    });
    bot.hears(/x/, (ctx) => expectTypeOf(ctx.match).toEqualTypeOf<RegExpExecArray>());
    bot.hears("x", (ctx) => expectTypeOf(ctx.match).toEqualTypeOf<RegExpExecArray | undefined>());
  });

  it("know the options of commands, and what was pressed", () => {
    const options = [
      { name: "city", type: "string", description: "Where", required: true },
      { name: "days", type: "integer", description: "For how many days" },
      {
        name: "unit",
        type: "string",
        description: "In which unit",
        choices: [
          { label: "Celsius", value: "C" },
          { label: "Fahrenheit", value: "F" },
        ],
      },
      { name: "alert", type: "boolean", description: "Whether to tell of storms" },
    ] as const;
    bot.command("weather", { description: "x", descriptions: { de: "y" }, options }, (ctx) => {
      expectTypeOf(ctx.options.city).toEqualTypeOf<string>();
      expectTypeOf(ctx.options.days).toEqualTypeOf<number | undefined>();
      expectTypeOf(ctx.options.unit).toEqualTypeOf<"C" | "F" | undefined>();
      expectTypeOf(ctx.options.alert).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(ctx.user).toEqualTypeOf<InteractionUser>();
      // @ts-expect-error there is no such option
      if (ctx.options.town) return;
      if (ctx.is("interaction.created")) expectTypeOf(ctx.payload.interaction_id).toEqualTypeOf<string>();
      else if (ctx.is("channel.post_created")) expectTypeOf(ctx.payload.body).toEqualTypeOf<string>();
    });
    // Also without `as const`.
    const offer = { description: "x" };
    bot.command(
      "close",
      { ...offer, options: [{ name: "ticket", type: "integer", description: "Which", required: true }] },
      (ctx) => expectTypeOf(ctx.options.ticket).toEqualTypeOf<number>(),
    );
    bot.command("help", offer, (ctx) => expectTypeOf(ctx.options).toExtend<object>());
    // @ts-expect-error a type that there is not
    bot.command("x", { ...offer, options: [{ name: "a", type: "text", description: "b" }] }, () => {});
    // @ts-expect-error an offer is described
    bot.command("x", { options }, () => {});
    bot.button("approve:*", (ctx) => {
      expectTypeOf(ctx.rest).toEqualTypeOf<string>();
      expectTypeOf(ctx.value).toEqualTypeOf<string | undefined>();
      expectTypeOf(ctx.interaction).toEqualTypeOf<InteractionPayload>();
      expectTypeOf(ctx.user).toEqualTypeOf<InteractionUser>();
    });
    bot.select("when", (ctx) => expectTypeOf(ctx.values).toEqualTypeOf<readonly string[]>());
    bot.onPost((ctx) => {
      expectTypeOf(ctx.interaction).toEqualTypeOf<InteractionPayload | undefined>();
      expectTypeOf(ctx.options).toEqualTypeOf<unknown>();
    });
    const components: Components = [row(button("a", "A", { style: "danger" }))];
    expect(components).toHaveLength(1);
    // @ts-expect-error no button looks so
    expect(button("a", "A", { style: "big" })).toBeTypeOf("object");
  });

  it("need no cast for what comes from the environment", () => {
    const { NO_SUCH_VARIABLE: unset } = process.env;
    expect(() => new Bot(unset, { url: unset })).toThrow("is its variable set?");
  });
});

describe("the declarations", () => {
  it("say what every field is", () => {
    const files = ENTRIES.map((entry) => join(repository, `sdk/dist/esm/${entry}.d.ts`));
    const program = ts.createProgram(files, {
      module: ts.ModuleKind.NodeNext,
      lib: ["lib.es2023.d.ts"],
      types: [],
      skipLibCheck: true,
    });
    const checker = program.getTypeChecker();
    const exported = files.flatMap((file) => {
      const source = program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      return module ? checker.getExportsOfModule(module) : [];
    });
    const silent = exported.flatMap((one) => {
      const symbol = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one;
      return fieldsOf(symbol)
        .filter((field) => field.name !== "#private" && field.getDocumentationComment(checker).length === 0)
        .map((field) => `${one.name}.${field.name}`);
    });
    expect(exported.length).toBeGreaterThan(50);
    expect(silent).toEqual([]);

    function fieldsOf(symbol: ts.Symbol): ts.Symbol[] {
      // What these have is explained by the kind of event, or by the line's type.
      if (["EventPayloads", "FeedPayloads", "ExportLine"].includes(symbol.name)) return [];
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      const parts = type.isUnionOrIntersection() ? type.types : [type];
      return parts
        .flatMap((part) => checker.getPropertiesOfType(part))
        .filter((field) =>
          field.declarations?.some((one) => one.getSourceFile().fileName.includes("/sdk/dist/")),
        );
    }
  }, 180_000);
});
