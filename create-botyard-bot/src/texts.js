/** @typedef {import("./main.js").Wishes} Wishes */

/** @param {Wishes["language"]} language */
export function ignored(language) {
  return `node_modules\n.env\n${language === "typescript" ? "dist\n" : ""}`;
}

/**
 * The variables of the bot, for `npm run dev`.
 *
 * @param {Wishes} wishes
 */
export function environment({ transport }) {
  const secret = transport === "webhook" ? "WEBHOOK_SECRET=open-sesame\n" : "";
  return `BOT_TOKEN=\nBOTYARD_URL=http://127.0.0.1:8080\n${secret}`;
}

/** @param {Wishes} wishes */
export function dockerfile({ transport, language }) {
  const port = transport === "webhook" ? "EXPOSE 3000\n" : "";
  if (language === "javascript") {
    return `FROM node:24-slim
WORKDIR /bot
COPY package*.json ./
RUN npm install --omit=dev
COPY src src
USER node
${port}CMD ["node", "src/main.js"]
`;
  }
  return `FROM node:24-slim AS build
WORKDIR /bot
COPY package*.json tsconfig.json ./
RUN npm install
COPY src src
COPY test test
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
WORKDIR /bot
COPY --from=build /bot/package.json ./
COPY --from=build /bot/node_modules node_modules
COPY --from=build /bot/dist dist
USER node
${port}CMD ["node", "dist/src/main.js"]
`;
}

/**
 * @param {string} name
 * @param {Wishes} wishes
 */
export function readme(name, { transport, language }) {
  const ending = language === "typescript" ? "ts" : "js";
  const isWebhook = transport === "webhook";
  const secret = isWebhook ? " WEBHOOK_SECRET=open-sesame" : "";
  const docker = isWebhook ? " -e WEBHOOK_SECRET=open-sesame -p 3000:3000" : "";
  const compiling = language === "typescript" ? ", which `npx tsc --watch` beside it compiles" : "";
  const hook = isWebhook
    ? `
Then tell the service where it listens:

\`\`\`sh
npx botyard webhook set ${name} http://127.0.0.1:3000/ --secret-token open-sesame
\`\`\`
`
    : "";
  return `# ${name}

A bot for [Botyard](https://github.com/botyard/botyard). It answers \`/hello\`, \`/help\`, and every other post.

## Run it

\`\`\`sh
npm install
npm test
\`\`\`

The owner of a channel makes the bot's account and its token, in the console or with the command, which needs the address of
the service and an owner token:

\`\`\`sh
export BOTYARD_URL=http://127.0.0.1:8080 BOTYARD_TOKEN=…
npx botyard bot create --username ${name}
npx botyard bot attach ${name} CHANNEL
\`\`\`

Put the token into \`.env\`. Then the bot runs, and starts anew whenever its code is changed${compiling}:

\`\`\`sh
npm run dev
\`\`\`
${hook}
\`npm start\` runs it without that, with variables of the environment: \`BOT_TOKEN=bot_…${secret} npm start\`.

| Variable | |
|---|---|
| \`BOT_TOKEN\` | the bot's token |
| \`BOTYARD_URL\` | the address of the service; \`http://127.0.0.1:8080\` unless set |
${isWebhook ? "| `WEBHOOK_SECRET` | the webhook's secret token |\n| `PORT` | the port to listen on; 3000 unless set |\n" : ""}
In a container:

\`\`\`sh
docker build -t ${name} .
docker run -e BOT_TOKEN=bot_… -e BOTYARD_URL=https://bots.example.com${docker} ${name}
\`\`\`

## Go on

\`src/bot.${ending}\` is what the bot does, \`src/main.${ending}\` how it runs, \`test/bot.test.${ending}\` tries it without a service.
[The guide](https://github.com/botyard/botyard/blob/main/docs/bot-guide.md) says what else bots can do.
`;
}
