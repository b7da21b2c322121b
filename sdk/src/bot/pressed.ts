import type { Context } from "./context.js";
import type { Handler } from "./handlers.js";

const ID = /^(?=.)[\w.:-]{0,64}\*?$/;

/**
 * What a component's id has in place of the `*` that ends `wanted`; empty when the two are the same, undefined when they do not match.
 *
 * @throws {TypeError} when no component can have this id
 */
export function idMatcher(wanted: string): (id: string) => string | undefined {
  if (!ID.test(wanted))
    throw new TypeError(
      `${JSON.stringify(wanted)} is no id of a component: use letters, digits and _.:-, and * at the end`,
    );
  const start = wanted.replace("*", "");
  return (id) =>
    (start === wanted ? id === start : id.startsWith(start)) ? id.slice(start.length) : undefined;
}

/** A handler that has what was pressed in its context, also once others have run within its `next()`. */
export function withPressed(handler: Handler, restIn: (ctx: Context) => string | undefined): Handler {
  return (ctx, next) => {
    const set = () => {
      ctx.values = ctx.interaction?.component?.values ?? [];
      ctx.value = ctx.values[0];
      ctx.rest = restIn(ctx);
    };
    set();
    return handler(ctx, () => next().finally(set));
  };
}
