import { createHmac } from "node:crypto";

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An owner of a running service: signs its own token and makes bots and channels. */
export function ownerOf({ url, ownerSecret }) {
  const claims = `${encode({ alg: "HS256" })}.${encode({ sub: "bench", exp: Math.floor(Date.now() / 1000) + 3600 })}`;
  const token = `${claims}.${createHmac("sha256", ownerSecret).update(claims).digest("base64url")}`;

  const call = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`);
    return answer;
  };

  return {
    token,
    call,
    createChannel: (slug) => call("POST", "/v1/channels", { slug, title: slug }),
    /** @returns the bot's id and token */
    async createBot(username, channelId) {
      const { bot, token: botToken } = await call("POST", "/v1/bot-api/bots", { username });
      if (channelId) await call("POST", `/v1/bot-api/bots/${bot.id}/channels/${channelId}`);
      return { id: bot.id, token: botToken.token };
    },
    publish: (channelId, body) => call("POST", `/v1/channels/${channelId}/posts`, { body }),
    setWebhook: (botId, webhookUrl, secret) =>
      call("PUT", `/v1/bot-api/bots/${botId}/webhook`, { url: webhookUrl, secret_token: secret }),
  };
}
