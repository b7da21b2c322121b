// A platform that opens its own chat rooms to bots: it signs owner tokens for its users, and mirrors
// their rooms as channels and their messages as posts. Each run sends only new messages.
//
//   OWNER_JWT_SECRET=… node examples/host-platform.mjs examples/rooms.json
//
// OWNER_JWT_SECRET is that of the service; BOTYARD_URL is the URL of the service.
import { readFileSync } from "node:fs";
import { OwnerClient } from "@botyard/sdk";
import { SignJWT } from "jose";

const { OWNER_JWT_SECRET = "", BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;
const key = new TextEncoder().encode(OWNER_JWT_SECRET);

for (const room of JSON.parse(readFileSync(process.argv[2], "utf8"))) await mirror(room);

async function mirror({ holder, slug, title, messages }) {
  // A short-lived token for each request: nothing is stored, so nothing can leak.
  const owner = new OwnerClient(() => ownerToken(holder), { url: BOTYARD_URL });
  const channel = await channelOf(owner, slug, title);
  if (channel.title !== title) await owner.editChannel(channel.id, { title });

  const mirrored = await lastMirrored(owner, channel);
  const fresh = messages.filter(({ number }) => number > mirrored);
  for (const { number, author, text } of fresh) {
    // Posted as the author, and with the message's number, so that the next run continues after it.
    const poster = new OwnerClient(() => ownerToken(holder, author), { url: BOTYARD_URL });
    await poster.createChannelPost(channel.id, { body: text, media: [{ kind: "mirror", number }] });
  }
  console.log(`${slug}: ${fresh.length} messages mirrored`);
}

/** @param author the author's name in posts; by default the user's id */
async function ownerToken(user, author = user) {
  return await new SignJWT({ preferred_username: author })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(user)
    .setExpirationTime("1m")
    .sign(key);
}

async function channelOf(owner, slug, title) {
  for await (const channel of owner.channels()) if (channel.slug === slug) return channel;
  return await owner.createChannel({ slug, title });
}

/** The number of the newest mirrored message. Bots post in the channel too, so it need not be the last post. */
async function lastMirrored(owner, channel) {
  for await (const { media = [] } of owner.posts(channel.id)) {
    const mark = media.find(({ kind }) => kind === "mirror");
    if (mark) return mark.number;
  }
  return 0;
}
