// Written by `npm run sdk:types` from openapi.json. Change that instead.

export interface paths {
    "/v1/bot-api/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bots you own
         * Disabled ones included: all of them in one answer, or page by page with `limit` and `after`.
         */
        get: operations["listBots"];
        put?: never;
        /**
         * Create a bot
         * Creates a bot account with a token of its own. The token is in this answer only: the service stores a hash of it.
         */
        post: operations["createBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a bot
         * The bot as it was created and changed, with the URL of its webhook if it has one.
         */
        get: operations["getBot"];
        put?: never;
        post?: never;
        /**
         * Delete a bot with its token, attachments and updates; its posts stay
         * Its token is refused from then on, and nothing is delivered any more. This cannot be undone. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteBot"];
        options?: never;
        head?: never;
        /**
         * Change a bot's display name, description, metadata or visibility
         * Fields that are left out stay as they are. An extension of Botyard: not part of the bot API's specification.
         */
        patch: operations["editBot"];
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuse a bot's token and stop its deliveries; its updates are still recorded
         * The bot's calls get 401 and its webhook receives nothing until it is enabled again, but for what its owner then has sent at once (`testWebhook`, `sendUpdateAgain`), which is refused when the platform disabled it. Disabling it again changes nothing. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["disableBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a disabled bot back into service
         * Its token works again, and what was recorded meanwhile is delivered. What the platform disabled, only the platform enables. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["enableBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bots that every owner may attach
         * Listed bots of all owners, page by page with `cursor`, oldest first. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listListedBots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what every owner may see of a listed bot
         * A bot that is listed, yours, or in a channel that you hold. All others look as if they did not exist. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getBotProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bots you own with how each is doing
         * The same bots as `listBots`, each with counts of its updates and with what keeps it from receiving, if anything does. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell how one bot is doing
         * The bot as it is in the list of `overview`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getBotOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the channels a bot is attached to
         * The channels in which the bot may post, and whose posts it receives.
         */
        get: operations["listBotChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/channels/{channelId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach a bot to one of your channels, as moderator
         * The bot is yours, or a listed one of another owner. From then on the bot may post in the channel, and every post in it becomes an update of the bot. A bot that is attached as `reader`, a role of Botyard alone, gets the updates only: its posts, and changes of earlier ones, are refused.
         */
        post: operations["attachBot"];
        /**
         * Take a bot out of a channel
         * The bot gets no further updates from the channel. Those it has stay. The holder of the channel may do so, and the owner of the bot. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["detachBot"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a bot a new token and refuse the old one
         * The new token is in this answer only. From the moment of the answer the old one is refused.
         */
        post: operations["rotateBotToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a bot's most recent updates with their delivery
         * With payload and state of delivery, page by page with `before`. Reading changes nothing. With `search`, `channel_id`, `event_type` or `since` it looks through at most 2000 updates; while the answer has `stopped_at`, there may be more below that number.
         */
        get: operations["listBotUpdates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/updates/{updateId}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the failed attempts to deliver an update
         * When each was made, and what the receiver answered. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listUpdateAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/updates/{updateId}/send-again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivered update once more, at once, and tell what the receiver answered
         * One request with the same body, signed anew, with the header `Botyard-Sent-Again: true`: at most 10 a minute for each bot. The update stays delivered whatever comes of it, and is counted nowhere. Refused for a bot that the platform disabled, or whose owner it suspended. A receiver that remembers what it has handled, as the SDK's does, accepts it and does nothing more. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["sendUpdateAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count a bot's channels and updates
         * The counters include updates that have expired since.
         */
        get: operations["getBotStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * By the webhook's name: list a bot's most recent updates with their delivery
         * With payload and state of delivery, page by page with `before`. Reading changes nothing. With `search`, `channel_id`, `event_type` or `since` it looks through at most 2000 updates; while the answer has `stopped_at`, there may be more below that number. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listNamedWebhookUpdates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/updates/{updateId}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * By the webhook's name: list the failed attempts to deliver an update
         * When each was made, and what the receiver answered. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listNamedWebhookAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/updates/{updateId}/send-again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * By the webhook's name: send a delivered update once more, at once, and tell what the receiver answered
         * One request with the same body, signed anew, with the header `Botyard-Sent-Again: true`: at most 10 a minute for each bot. The update stays delivered whatever comes of it, and is counted nowhere. Refused for a bot that the platform disabled, or whose owner it suspended. A receiver that remembers what it has handled, as the SDK's does, accepts it and does nothing more. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["sendNamedWebhookUpdateAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * By the webhook's name: count a bot's channels and updates
         * What was delivered, waits, failed or was skipped at this webhook, and when it was attempted; what was recorded, the channels and the consumers are the bot's. The counters include updates that have expired since. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getNamedWebhookStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell how a bot's deliveries went over the last hour, day or week
         * Counts of attempts, response times and the backlog, by minute, quarter of an hour or hour; without a webhook, of recorded updates too. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["readTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * By the webhook's name: tell how a bot's deliveries went over the last hour, day or week
         * Counts of attempts, response times and the backlog, by minute, quarter of an hour or hour; without a webhook, of recorded updates too. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["readNamedWebhookTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/updates/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a bot's updates as they are recorded, as server-sent events
         * For an owner who watches. The stream ends when the owner token expires or the bot is deleted. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["streamBotUpdates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a bot's consumers
         * Where each reader of the bot's log is, how far behind, and when it last polled. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listBotConsumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/given-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the updates that a bot's programs gave up
         * What programs that poll have failed to handle, the 200 with the highest numbers, the highest first. What a webhook refused for good is listed by its delivery errors. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listGivenUp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/given-up/hand-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a bot's programs handle again what they gave up
         * A program of the SDK notices within 10 seconds, and takes from the list what it handles. One that fails again is given up again. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["handInGivenUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a bot's webhooks
         * Each is sent the bot's updates on its own, and has a position, retries and errors of its own. The one named `default` is that of `getWebhook`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a bot's webhook and its health
         * Where updates are sent, and how the receiver has been answering.
         */
        get: operations["getWebhook"];
        /**
         * Set a bot's webhook; undelivered updates are delivered to it
         * Replaces the webhook. At another URL all undelivered updates are due at once, with a new retry schedule. Setting it as it is changes nothing. The `webhooks` section describes what the receiver gets.
         */
        put: operations["putWebhook"];
        post?: never;
        /**
         * Stop webhook delivery and forget the URL and secret token
         * Undelivered updates stay, and can be polled. Removing it again changes nothing.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send nothing until the webhook is resumed; updates are still recorded
         * For maintenance of the receiver. Attempts in flight may still arrive. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["pauseWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver again, beginning with what was recorded meanwhile
         * Resuming a webhook that is not paused changes nothing. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["resumeWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a webhook.test event at once and tell what the receiver answered
         * Signed like an update, and answered here: at most 10 a minute for each bot. It is in no log and no statistics. A receiver that is only probed after failures gets its updates again at once when it accepts. Refused for a bot that the platform disabled, or whose owner it suspended; a bot that its owner disabled may be tested. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * By the webhook's name: get a bot's webhook and its health
         * Where updates are sent, and how the receiver has been answering. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getNamedWebhook"];
        /**
         * By the webhook's name: set a bot's webhook; undelivered updates are delivered to it
         * Creates the webhook, or replaces it. A bot has at most 16. A new one is sent what is recorded from now on, unless `deliver_from` says otherwise; its receiver gets the same updates as the others do. At another URL all undelivered updates are due at once, with a new retry schedule. Setting it as it is changes nothing. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putNamedWebhook"];
        post?: never;
        /**
         * By the webhook's name: stop webhook delivery and forget the URL and secret token
         * What was still to be sent to it and its history are removed; the updates stay, for other webhooks and for polls. `default` stays without a URL, and keeps its history. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteNamedWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * By the webhook's name: send nothing until the webhook is resumed; updates are still recorded
         * For maintenance of the receiver. Attempts in flight may still arrive. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["pauseNamedWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * By the webhook's name: deliver again, beginning with what was recorded meanwhile
         * Resuming a webhook that is not paused changes nothing. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["resumeNamedWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * By the webhook's name: send a webhook.test event at once and tell what the receiver answered
         * Signed like an update, and answered here: at most 10 a minute for each bot. It is in no log and no statistics. A receiver that is only probed after failures gets its updates again at once when it accepts. Refused for a bot that the platform disabled, or whose owner it suspended; a bot that its owner disabled may be tested. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["testNamedWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the updates whose delivery failed at least once
         * Without payloads; `listUpdateAttempts` has what the receiver answered. Page by page with `before`.
         */
        get: operations["listWebhookErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook/errors/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Group what failed and is not delivered by the reason
         * How many updates each reason keeps from being delivered. It looks at the newest 2000 updates that failed for good and as many that wait for a retry. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["groupWebhookErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * By the webhook's name: list the updates whose delivery failed at least once
         * Without payloads; `listUpdateAttempts` has what the receiver answered. Page by page with `before`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listNamedWebhookErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/errors/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * By the webhook's name: group what failed and is not delivered by the reason
         * How many updates each reason keeps from being delivered. It looks at the newest 2000 updates that failed for good and as many that wait for a retry. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["groupNamedWebhookErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret token, shown once
         * Give the receiver both, and it loses nothing: until `overlap` has passed, or the webhook is set with the new secret, the headers of Botyard are still made with the secret before, and `webhook-signature` has a signature by each that has the form of Standard Webhooks. Updates that wait for a retry are due at once. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * By the webhook's name: give a webhook a new secret token, shown once
         * Give the receiver both, and it loses nothing: until `overlap` has passed, or the webhook is set with the new secret, the headers of Botyard are still made with the secret before, and `webhook-signature` has a signature by each that has the form of Standard Webhooks. Updates that wait for a retry are due at once. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["rotateNamedWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook/updates/{updateId}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give up an update that waits to be sent
         * For an update that its receiver cannot handle. It has failed for good, with `skipped_by_owner` in its error, and can be replayed; polling still returns it. Other updates are sent as before. An attempt in flight may still deliver it. 400 when it is neither pending nor scheduled. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["skipUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/updates/{updateId}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * By the webhook's name: give up an update that waits to be sent
         * For an update that its receiver cannot handle. It has failed for good, with `skipped_by_owner` in its error, and can be replayed; polling still returns it. Other updates are sent as before. An attempt in flight may still deliver it. 400 when it is neither pending nor scheduled. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["skipNamedWebhookUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the channels you hold
         * Page by page with `after`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listChannels"];
        put?: never;
        /**
         * Create a channel
         * You hold it from then on, and may attach your bots to it. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["createChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel you hold
         * Only its holder sees a channel here. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getChannel"];
        put?: never;
        post?: never;
        /**
         * Delete a channel
         * Detaches its bots and erases its posts, also in the updates that were recorded; with many posts that takes a while. Its slug is free again. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteChannel"];
        options?: never;
        head?: never;
        /**
         * Change a channel's title, description or metadata
         * Fields that are left out stay as they are. The slug cannot be changed. An extension of Botyard: not part of the bot API's specification.
         */
        patch: operations["editChannel"];
        trace?: never;
    };
    "/v1/channels/external/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the channel that has this id with you
         * Only its holder sees a channel here. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getExternalChannel"];
        /**
         * Create or change the channel that has this id with you
         * Safe to repeat, also at the same moment: there is one channel for each external id. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putExternalChannel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bots that are attached to a channel you hold
         * Page by page with `after`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listChannelBots"];
        /**
         * Attach exactly these bots to a channel you hold
         * Attaches those that are missing, gives roles that are named and detaches all others, one after the other. When it fails in between, the same call again does the rest. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putChannelBots"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the commands that bots offer in a channel you hold
         * Of all enabled bots that are attached to it, other than as `reader`, and offer some. With `If-None-Match` the answer is 304, without a body, while nothing has changed. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listChannelCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the posts of a channel you hold
         * Page by page with `before`, or oldest first with `after`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listChannelPosts"];
        put?: never;
        /**
         * Publish a post in a channel you hold, in your own name
         * Every bot that is attached to the channel gets an update. When the answer comes, all of it is stored safely. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["createChannelPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/posts/{postId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a post in a channel you hold
         * The newest revision. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getChannelPost"];
        put?: never;
        post?: never;
        /**
         * Delete a post in a channel you hold, whoever published it
         * Its text and media are erased everywhere: in the channel, in the updates that were recorded, and in every later delivery. Bots that hear of deletions get an update. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteChannelPost"];
        options?: never;
        head?: never;
        /**
         * Change a post in a channel you hold, whoever published it
         * Bots that hear of edits get an update. At most 5 edits of one post in a second. Updates that were recorded before keep the text they had. An extension of Botyard: not part of the bot API's specification.
         */
        patch: operations["editChannelPost"];
        trace?: never;
    };
    "/v1/channels/{id}/posts/{postId}/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell what became of a post in each bot of a channel you hold
         * The bots that are attached now, each with its update of the post. Page by page with `after`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listPostUpdates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Emit a custom event in a channel you hold
         * Every bot that is attached to the channel gets an update, unless its subscription leaves it out. When the answer comes, all of it is stored safely. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["emitChannelEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Emit a custom event to one of your bots
         * For a command or a direct message: only this bot gets an update, unless its subscription leaves it out. When the answer comes, it is stored safely. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["emitBotEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell a bot that a user chose its command or pressed its component
         * In a channel you hold. That bot alone gets an update, whatever it subscribes to. It may respond for 15 minutes: read this interaction, or the feed (`interaction.responded`). You know the user; the service only passes on who it was. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["createInteraction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/interactions/{interactionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an interaction in a channel you hold, with what the bot responded
         * As long as updates of its time are kept. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getInteraction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/subscription": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell which events a bot hears
         * Without a subscription a bot hears posts and every custom event. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getSubscription"];
        /**
         * Set which events a bot hears
         * It holds for everything that happens afterwards; what the bot has in its log stays. Events that are not heard get no `update_id`. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putSubscription"];
        post?: never;
        /**
         * Let a bot hear posts and every custom event again
         * Removes the subscription, also when there is none. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/subscription/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a subscription on what happened in a channel
         * Says which of the channel's last 100 events the bot would have got, and changes nothing. Edits, deletions and changes of the channel are kept only while a bot hears them, and are looked at only then. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["previewSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/owner/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export everything you have
         * Streams the webhook for alerts, bots with their subscriptions and webhooks, channels with their posts and other events, attachments, updates with the state of their delivery, and the audit log, as JSON lines; no tokens and no secrets. An export that broke off goes on with `after`. One at a time, and at most 10 within a minute. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["exportOwner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase everything you have
         * Deletes all your bots with their logs, and all your channels with their posts and events. A call works for some seconds; as long as it answers `erasing`, call again. It cannot be undone. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["eraseOwner"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/owner/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the webhook that is told when your webhooks fail
         * Where alerts are sent, and how the receiver has been answering. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getAlerts"];
        /**
         * Set the webhook that is told when your webhooks fail
         * It gets `webhook.failing`, `webhook.recovered` and `webhook.paused` of all webhooks of all your bots, as updates with numbers of their own; what happened before is not sent. When it fails itself, nobody is told. Bots that subscribe to these events get them too. With `alert.audit_entry` in `event_types` it also gets the entries of your audit log, as they are written. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putAlerts"];
        post?: never;
        /**
         * Stop telling a webhook when your webhooks fail
         * What was still to be sent is removed. Removing it again changes nothing. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteAlerts"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/owner/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how much you may have
         * Of each limit, whether the platform has set it for you or the service for all. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/owner/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See who changed what of yours
         * What you, your bots and the platform changed, by which token and which request. Page by page with `before`; an empty page is the end. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listOwnerAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/owner/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what you and your bots have used, by day
         * Counted after the fact, each thing once: posts within some seconds, updates and deliveries within some minutes. Days without usage are left out. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhook/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put failed updates back in the delivery queue, oldest first
         * Takes updates that failed for good first, then those that wait for a retry. Each begins anew with its retry schedule. Updates that were delivered are never requeued.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/bots/{id}/webhooks/{name}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * By the webhook's name: put failed updates back in the delivery queue, oldest first
         * Takes updates that failed for good first, then those that wait for a retry. Each begins anew with its retry schedule. Updates that were delivered are never requeued. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["replayNamedWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/external": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or change many channels, with their bots, in one call
         * Each as `putExternalChannel` and then `putChannelBots` do: in their order, each by itself, so that one that is wrong fails alone. Nothing is done of one that names an unknown bot. Safe to repeat: what is as it shall be is not changed. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putExternalChannels"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/direct/{botId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Get the direct channel with a bot, or create it
         * A channel with one of your bots, for one user of your product or for none. A new one has the bot attached at once; where it was detached since, it is attached again. Safe to repeat, also at the same moment: there is one channel for each bot and user. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putDirectChannel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish many posts in one call, in any of your channels
         * Those to one channel in their order, each by itself: one that is wrong fails alone. The platform may leave `Botyard-Owner` out: then the channels may be of any owners. When the answer comes, what has the status 201 is stored safely. The same batch again, with its keys, is answered the same. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["createPosts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Emit many custom events in one call, in any of your channels or to any of your bots
         * Those to one channel or bot in their order, each by itself: one that is wrong fails alone. The platform may leave `Botyard-Owner` out: then channels and bots may be of any owners. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["emitEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what happens in all channels, waiting for it if there is nothing
         * Posts, edits, deletions and custom events of every channel, and what becomes of channels, bots and webhooks: for each owner in order, none missing, and readable again for `RETENTION_DAYS`. With `owner` or `author_type`, an answer may have no items although there is more: go on after its `cursor`. A reader that has reached the end gets its next page up to 50 ms later, the more events the last one had. Needs `PLATFORM_FEED`. Reading does not acknowledge: moving the consumer does. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["readFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/feed/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Receive what happens in all channels as it happens, as server-sent events
         * One connection that stays open, in place of repeated reads. After a lost connection, `Last-Event-ID`, a cursor, continues where it ended. It never moves a consumer. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["streamFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the consumers of the feed
         * The positions that the service keeps for you, with how far each is behind. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listFeedConsumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/consumers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say how far a consumer has handled the feed
         * When the answer comes, the position is stored safely. It moves forward only, unless `rewind` is true: a cursor that is further back, for any owner, is refused. A consumer that does not exist is created. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["moveFeedConsumer"];
        post?: never;
        /**
         * Forget a consumer of the feed
         * The feed stays. Reading with its name again creates another one. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteFeedConsumer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/feed/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the webhook that the feed is sent to
         * Where the feed is sent, how the receiver has been answering, and how far it is behind. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getFeedWebhook"];
        /**
         * Send the feed to a webhook
         * For a platform that runs no loop. Each request has a page of the feed, as `readFeed` returns it, signed as for a bot; the next one follows when it was accepted. A page that is refused is sent again, in halves, without an end: nothing is left out. The position is that of the consumer `webhook`: a new one begins at the oldest event that is kept. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putFeedWebhook"];
        post?: never;
        /**
         * Send the feed to no webhook any more
         * Its consumer is removed too, so that one that is set later begins at the oldest event that is kept. Removing it again changes nothing. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteFeedWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bots that their owners have listed, with what you decided on them
         * Page by page with `cursor`, oldest first; those that wait for a decision with `state=waiting`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listReviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/bots/{id}/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Approve or reject a bot
         * A rejected bot is not listed, whatever its owner wants; with `BOT_REVIEW=required` only an approved one is. It stays in the channels that it is in. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putBotReview"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase a user of your product
         * Everything that is stored in their name, for any owner: posts with their edits, custom events, interactions with their responses, direct channels, and that posts of others answer them. A call works for some seconds; as long as it answers `erasing`, call again, within 15 minutes. What is published for them after the first call may stay. It cannot be undone. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["eraseUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the owners of whom you have decided something
         * Page by page with `after`. An owner of whom nothing was ever decided is not listed. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listOwners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/owners/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what you have decided about an owner
         * Every user id may be an owner's: of one of whom nothing was decided, the defaults. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getOwner"];
        /**
         * Suspend an owner, or set their limits or your data about them
         * What is left out stays as it is. The tokens of a suspended owner and of their bots get 401 with your `reason`, nothing is sent to their webhooks, and updates are recorded; you act for them as before. When the answer comes, all instances go by it. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putOwner"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See who changed what
         * What owners, their bots and the platform changed, by which token and which request. Page by page with `before`; an empty page is the end. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what all owners have used, by day
         * Page by page with `after`. Counted after the fact, each thing once: posts within some seconds, updates and deliveries within some minutes. Kept for 800 days, also of owners who were erased. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell who you are
         * A quick check that a token works.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the channels you are attached to
         * The channels in which you may post, and whose posts you receive.
         */
        get: operations["listMyChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/subscription": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell which events you hear
         * Your owner sets it, or you yourself. Without a subscription you hear posts and every custom event. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getMySubscription"];
        /**
         * Set which events you hear
         * In place of what your owner has set. It holds for everything that happens afterwards; what you have in your log stays. Events that are not heard get no `update_id`. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putMySubscription"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your updates, waiting for one if there is none
         * Reading does not acknowledge: `offset` of the next call does. With `timeout`, the answer comes as soon as an update is there (long polling). Any number of calls may wait at once, and a webhook may be set as well. A consumer keeps the position in the service.
         */
        get: operations["pollUpdates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/updates/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Receive your updates as they are recorded, as server-sent events
         * One connection that stays open, in place of repeated polls. After a lost connection, `Last-Event-ID` continues where it ended. The stream ends when the token is rotated, or the bot disabled or deleted. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["streamUpdates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/channels/{id}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the posts of a channel you are attached to
         * All of them as `moderator`, those since you were attached as `member`. Page by page with `before`, or oldest first with `after`. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listBotPosts"];
        put?: never;
        /**
         * Publish a post in a channel you are attached to
         * When the answer comes, the post and the updates that it causes are stored safely. A bot gets its own posts as updates too: compare `author.id` with its own `id`. Bots that answer each other without a post of a person between are slowed: 429 with `bot_loop`.
         */
        post: operations["createBotPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/channels/{id}/posts/{postId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a post that you published, or that your role lets you read
         * The newest revision. Of the posts of others, a `moderator` reads all, a `member` those since it was attached. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getBotPost"];
        put?: never;
        post?: never;
        /**
         * Delete a post that you published, or any as moderator
         * Its text and media are erased everywhere: in the channel, in the updates that were recorded, and in every later delivery. Bots that hear of deletions get an update, you do not. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteBotPost"];
        options?: never;
        head?: never;
        /**
         * Change a post that you published
         * Bots that hear of edits get an update, you do not. At most 5 edits of one post in a second. Updates that were recorded before keep the text they had. An extension of Botyard: not part of the bot API's specification.
         */
        patch: operations["editBotPost"];
        trace?: never;
    };
    "/v1/bot-api/consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your consumers
         * The positions that the service keeps for you, with how far each is behind. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listConsumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/consumers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say how far a consumer has handled your updates
         * When the answer comes, the position is stored safely. It moves forward only: a lower `position` is refused unless `rewind` is true or `done` names numbers, which are then added and the position stays. Of two calls at once the one with the higher position wins. A consumer that does not exist is created. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["moveConsumer"];
        post?: never;
        /**
         * Forget a consumer
         * Your updates stay. Reading with its name again creates another one. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteConsumer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell which commands you offer
         * As you have set them. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getMyCommands"];
        /**
         * Set which commands you offer
         * In place of those before, in all your channels: products offer them to people who write there. The feed of the platform says when they change (`bot.commands_set`). An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["putMyCommands"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/consumers/{name}/given-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what you gave up
         * The updates that you gave up while you read for this consumer, the highest numbers first. Those with `handed_in_at` your owner asks you to handle again: read each by `offset`, and take it from the list when it is handled. An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listMyGivenUp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/consumers/{name}/given-up/{updateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say that you give up an update
         * For an update that you failed to handle and will not try again by yourself. Your owner sees it, and can ask for it to be handled again. Say so before you move the consumer past it. Repeating it does no harm. An extension of Botyard: not part of the bot API's specification.
         */
        put: operations["giveUpUpdate"];
        post?: never;
        /**
         * Say that an update you gave up is handled
         * Takes it from the list. An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["forgetGivenUp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/channels/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Emit a custom event in a channel you are attached to
         * Every other bot that is attached to the channel gets an update, unless its subscription leaves it out. Its payload has you as `author`. When the answer comes, all of it is stored safely. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["emitMyEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-api/interactions/{id}/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Respond to an interaction
         * Up to five times within 15 minutes. An `update` with `If-Match` counts only while the post has that revision: of two who press at once, one decides. When the answer comes, the response is stored safely, with the post that it publishes or edits. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["respondToInteraction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    update: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An update of a bot
         * Sent to the URL of the bot's webhook for each update, in the order of `update_id`, up to 16 at once. Delivery is at least once: `update_id` tells a repeated update.
         */
        post: operations["receiveUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    batch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Several updates of a bot
         * Sent in place of single updates when the webhook's `max_batch` is above 1: as soon as there is something to send and a request is free, with what waits by then, at most `max_batch` updates or 256 KiB of payloads. After a refused batch its updates are sent again in batches of at most half the size, down to one; those refusals together count as the first of the retry schedule. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["receiveBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test event
         * Sent once when the owner calls `testWebhook`, whose answer says what the receiver answered. Verify it like an update, answer 2xx and do nothing else. With a `max_batch` above 1 it is sent as the only item of a batch. An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["receiveTestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * Who may attach a bot to their channels: its owner only (`private`), or every owner (`listed`).
         * @enum {string}
         */
        BotVisibility: "private" | "listed";
        /**
         * What the platform decides on a bot.
         * @enum {string}
         */
        BotVerdict: "approved" | "rejected";
        /** The platform's decision on a bot. An extension of Botyard. */
        BotReview: {
            /** What the platform decides on a bot. */
            status: components["schemas"]["BotVerdict"];
            /** Why; empty when nothing was said. */
            note: string;
            /**
             * Format: date-time
             * When it was decided.
             * @example 2026-01-31T12:00:00.000Z
             */
            reviewed_at: string;
        };
        /**
         * An owner or a bot with a token of their own, or the platform. An extension of Botyard.
         * @enum {string}
         */
        AuditActorType: "owner" | "bot" | "platform";
        /** Who changed something. An extension of Botyard. */
        AuditActor: {
            /** An owner or a bot with a token of their own, or the platform. An extension of Botyard. */
            type: components["schemas"]["AuditActorType"];
            /**
             * The owner's user id or the bot's id; `platform`.
             * @example alice
             */
            id: string;
            /**
             * Which token it was: the `jti` of an owner token that has one, else the beginning of the token's SHA-256.
             * @example sha256:1f0c7a52d5c3
             */
            token_id: string;
        };
        /**
         * What kind of thing was changed. An extension of Botyard.
         * @enum {string}
         */
        AuditTargetType: "bot" | "channel" | "attachment" | "webhook" | "consumer" | "post" | "alerts" | "feed_webhook" | "owner" | "user";
        /** What was changed. An extension of Botyard. */
        AuditTarget: {
            /** What kind of thing was changed. An extension of Botyard. */
            type: components["schemas"]["AuditTargetType"];
            /**
             * The id of the bot, the channel or the post; of an attachment, a webhook or a consumer that of its bot; the owner's user id; `feed` of what belongs to the feed.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The channel of an attachment or a post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /**
             * The name of a webhook or a consumer.
             * @example default
             */
            name?: string;
        };
        /**
         * A field before and after. Of secrets, URLs and long texts both are left out. An extension of Botyard.
         * @example {
         *       "before": "member",
         *       "after": "moderator"
         *     }
         */
        AuditChange: {
            /** Left out when the field had no value. */
            before?: unknown;
            /** Left out when the field has no value any more. */
            after?: unknown;
        };
        /** Entries of the audit log. */
        AuditList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["AuditEntry"][];
        };
        /** A bot as its owner sees it. */
        Bot: {
            /**
             * The bot's identifier, `id` in the owner's paths.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The user record that represents the bot.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_user_id: string;
            /**
             * The user who owns the bot.
             * @example alice
             */
            owner_user_id: string;
            /**
             * The bot's username.
             * @example weather_bot
             */
            username: string;
            /**
             * The bot's name for people.
             * @example Weather
             */
            display_name: string;
            /** What the bot does; empty when nothing was given. */
            description: string;
            /** Present while a webhook is configured. */
            webhook_url?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * When the bot was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * When the bot's own fields last changed.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * Since when the bot is disabled; left out while it is enabled.
             * @example 2026-01-31T12:00:00.000Z
             */
            disabled_at?: string;
            /** `listed` of a bot that others may attach; left out of a private one. */
            visibility?: components["schemas"]["BotVisibility"];
            /** The platform's decision on a bot. An extension of Botyard. */
            review?: components["schemas"]["BotReview"];
            /** Who disabled a bot; left out while it is enabled, and where that is not known. What the platform disabled, only the platform enables. An extension of Botyard. */
            disabled_by?: components["schemas"]["Disabler"];
        };
        /** Bots of one owner. */
        BotList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["Bot"][];
        };
        /**
         * Who disabled a bot; left out while it is enabled, and where that is not known. What the platform disabled, only the platform enables. An extension of Botyard.
         * @enum {string}
         */
        Disabler: "owner" | "platform" | "suspension";
        /**
         * The first that applies: disabled; its webhook is paused, failing (no attempt is accepted), untried or healthy; without a webhook, a consumer polls, all consumers have stopped for five minutes (`unread`), or nobody is known to read (`no_webhook`). An extension of Botyard.
         * @enum {string}
         */
        BotStateName: "disabled" | "paused" | "failing" | "untried" | "healthy" | "polling" | "unread" | "no_webhook";
        /**
         * What keeps the bot from receiving by webhook, the first that applies; healthy when nothing does. An extension of Botyard.
         * @enum {string}
         */
        BotHealth: "disabled" | "no_webhook" | "paused" | "failing" | "healthy";
        /** How a bot gets its updates, and whether that works. An extension of Botyard. */
        BotState: {
            /** The first that applies: disabled; its webhook is paused, failing (no attempt is accepted), untried or healthy; without a webhook, a consumer polls, all consumers have stopped for five minutes (`unread`), or nobody is known to read (`no_webhook`). An extension of Botyard. */
            name: components["schemas"]["BotStateName"];
            /**
             * Format: date-time
             * Since when, where that is known; of `polling` and `unread`, when it was last polled.
             * @example 2026-01-31T12:00:00.000Z
             */
            since?: string;
            /**
             * Of `failing`: why the last attempt failed.
             * @example connection refused
             */
            error?: string;
            /** Updates that wait to be sent by webhook; 0 without one. */
            waiting: number;
            /** Only without a webhook: updates that the consumer furthest behind has not handled; of a bot without consumers, all that are recorded, since nobody is known to read them. */
            unread?: number;
        };
        /** A bot with the state of its delivery. An extension of Botyard. */
        BotOverview: {
            /** A bot as its owner sees it. */
            bot: components["schemas"]["Bot"];
            /** Channels the bot is attached to. */
            attached_channel_count: number;
            /** As in the statistics: without those that wait for a retry. */
            pending_updates: number;
            /** Updates that failed and wait for a retry. */
            scheduled_retries: number;
            /** Updates that failed for good. */
            terminal_failed_updates: number;
            /** How a bot gets its updates, and whether that works. An extension of Botyard. */
            state: components["schemas"]["BotState"];
            /** What keeps the bot from receiving by webhook, the first that applies; healthy when nothing does. An extension of Botyard. */
            health: components["schemas"]["BotHealth"];
            /**
             * Format: date-time
             * Since when every attempt has failed; left out when the last one was accepted or none was made.
             * @example 2026-01-31T12:00:00.000Z
             */
            failing_since?: string;
            /**
             * Format: date-time
             * `created_at` of the oldest update that is pending or waits for a retry; left out when none does.
             * @example 2026-01-31T12:00:00.000Z
             */
            oldest_pending_at?: string;
            /** Attempts accepted in each five minutes of the last hour, oldest first: 12 numbers. */
            delivered: number[];
            /** Attempts that failed, by the same intervals. */
            failed_attempts: number[];
        };
        /** Bots with the state of their delivery. An extension of Botyard. */
        BotOverviewList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["BotOverview"][];
        };
        /** A bot's credential, shown this once. */
        BotToken: {
            /** The bot's credential. Shown once: only a hash of it is stored. */
            token: string;
            /**
             * Format: date-time
             * When the token was made.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** A new bot and its credential. */
        BotWithToken: {
            /** A bot as its owner sees it. */
            bot: components["schemas"]["Bot"];
            /** A bot's credential, shown this once. */
            token: components["schemas"]["BotToken"];
        };
        /** The bot that a token belongs to. */
        BotIdentity: {
            /**
             * The bot's identifier, `id` in the owner's paths.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The user record that represents the bot.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_user_id: string;
            /**
             * The bot's username.
             * @example weather_bot
             */
            username: string;
            /**
             * The bot's name for people.
             * @example Weather
             */
            display_name: string;
        };
        /** Counts of a bot's channels and updates. Total is pending + scheduled retries + delivered + terminal failed + skipped. */
        BotStats: {
            /**
             * The bot's identifier, `id` in the owner's paths.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /** Channels the bot is attached to. */
            attached_channel_count: number;
            /** Every update ever recorded. */
            total_updates: number;
            /** Updates that the receiver accepted. */
            delivered_updates: number;
            /** Updates that were not attempted yet, or were put back by a replay. */
            pending_updates: number;
            /** Updates that failed and wait for a retry. */
            scheduled_retries: number;
            /** Updates that failed for good: the schedule is used up, or they expired. */
            terminal_failed_updates: number;
            /** Updates that were skipped when a webhook was set (`deliver_from`), that are not of the webhook's `event_types`, or that expired without ever having had one to go to. */
            skipped_updates: number;
            /** The `lag` of the consumer that is furthest behind; left out without consumers. */
            slowest_consumer_lag?: number;
            /**
             * Format: date-time
             * `created_at` of the oldest update that is pending or waits for a retry; left out when none does.
             */
            oldest_pending_at?: string;
            /**
             * Format: date-time
             * When the last update was recorded; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_update_at?: string;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Format: date-time
             * When the last update was accepted; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_delivered_at?: string;
        };
        /**
         * The bot to create.
         * @example {
         *       "username": "weather_bot",
         *       "display_name": "Weather",
         *       "description": "Tells the weather."
         *     }
         */
        CreateBotRequest: {
            /**
             * Unique in the whole service, whatever the case.
             * @example weather_bot
             */
            username: string;
            /**
             * Format: clean-text
             * Shown to people; the username when left out.
             * @example Weather
             */
            display_name?: string;
            /**
             * Format: clean-text
             * Free text; empty when left out.
             * @example About the weather.
             */
            description?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
            /** `private` when left out. */
            visibility?: components["schemas"]["BotVisibility"];
        };
        /**
         * What to change; what is left out stays. An extension of Botyard.
         * @example {
         *       "display_name": "Weather"
         *     }
         */
        EditBotRequest: {
            /**
             * Format: clean-text
             * Shown to people; the username when left out.
             * @example Weather
             */
            display_name?: string;
            /**
             * Format: clean-text
             * Free text; empty when left out.
             * @example About the weather.
             */
            description?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
            /** Listing a bot that the platform rejected asks for another review. Making it private takes it out of no channel. */
            visibility?: components["schemas"]["BotVisibility"];
        };
        /** A channel as a bot that is attached to it sees it. */
        BotChannel: {
            /**
             * The channel's identifier.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The channel's short name.
             * @example weather-reports
             */
            slug: string;
            /**
             * The channel's name for people.
             * @example Weather reports
             */
            title: string;
            /** What the channel is about; empty when nothing was given. */
            description: string;
            /**
             * The bot's role in the channel: `moderator`, which attaching gives, or, an extension of Botyard, `member` or `reader`.
             * @example moderator
             */
            bot_role: string;
            /** `true` of a direct channel, which is with one bot and for one user; else left out. An extension of Botyard. */
            direct?: boolean;
            /** `true` of a channel that the bot's owner does not hold; else left out. An extension of Botyard. */
            of_another_owner?: boolean;
            /**
             * Format: date-time
             * When the channel was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * When the last post was published; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_activity_at?: string;
        };
        /** Channels a bot is attached to. */
        BotChannelList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["BotChannel"][];
        };
        /** The fact that a bot is attached to a channel. */
        AttachChannelResult: {
            /**
             * The bot.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /**
             * The channel.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /**
             * The bot's role in the channel: `moderator`, which attaching gives, or, an extension of Botyard, `member` or `reader`.
             * @example moderator
             */
            role: string;
            /**
             * The owner who attached the bot.
             * @example alice
             */
            attached_by: string;
        };
        /** A channel as its holder sees it. An extension of Botyard. */
        Channel: {
            /**
             * The channel's identifier.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The channel's short name.
             * @example weather-reports
             */
            slug: string;
            /**
             * The channel's name for people.
             * @example Weather reports
             */
            title: string;
            /** What the channel is about; empty when nothing was given. */
            description: string;
            /**
             * The owner who holds the channel.
             * @example alice
             */
            owner_user_id: string;
            /**
             * Format: external-id
             * Your own id of the channel, unique among your channels.
             * @example room-42
             */
            external_id?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
            /** `true` of a direct channel, which is with one bot and for one user; else left out. An extension of Botyard. */
            direct?: boolean;
            /**
             * Of a direct channel: the bot that it is with. It may be deleted by now.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            direct_bot_id?: string;
            /** The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard. */
            direct_user?: components["schemas"]["PostUser"];
            /** Ids of bots that answer each other without a post of a person between, and are slowed. Only in the answer of `getChannel`, and left out when there are none. */
            bots_in_loop?: string[];
            /**
             * Format: date-time
             * When the channel was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * When the last post was published; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_activity_at?: string;
        };
        /** Channels of one owner. An extension of Botyard. */
        ChannelList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["Channel"][];
        };
        /**
         * The channel to create. An extension of Botyard.
         * @example {
         *       "slug": "weather-reports",
         *       "title": "Weather reports"
         *     }
         */
        CreateChannelRequest: {
            /**
             * Unique among all channels of the owner, and all that one bot is in. A slug that another owner has may be refused.
             * @example weather-reports
             */
            slug: string;
            /**
             * Format: clean-text
             * Shown to people.
             * @example Weather reports
             */
            title: string;
            /**
             * Format: clean-text
             * Free text; empty when left out.
             * @example About the weather.
             */
            description?: string;
            /**
             * Format: external-id
             * Your own id of the channel, unique among your channels.
             * @example room-42
             */
            external_id?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /**
         * What to change; what is left out stays. An extension of Botyard.
         * @example {
         *       "title": "Weather reports"
         *     }
         */
        EditChannelRequest: {
            /**
             * Format: clean-text
             * Shown to people.
             * @example Weather reports
             */
            title?: string;
            /**
             * Format: clean-text
             * Free text; empty when left out.
             * @example About the weather.
             */
            description?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /**
         * A channel as it shall be. Of a new one, `slug` is made up when left out; of one there is, what is left out stays, and the slug cannot be changed. An extension of Botyard.
         * @example {
         *       "title": "Room 42"
         *     }
         */
        PutExternalChannelRequest: {
            /**
             * Format: clean-text
             * Shown to people.
             * @example Weather reports
             */
            title: string;
            /**
             * Format: clean-text
             * Free text; empty when left out.
             * @example About the weather.
             */
            description?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Unique among all channels of the owner, and all that one bot is in. A slug that another owner has may be refused.
             * @example weather-reports
             */
            slug?: string;
        };
        /**
         * For whom the channel is: there is one for each `user.id`, and one for nobody. A new one has this title; left out: the user's name, or that of your own bot; `Direct channel` with the bot of another owner. May be left out as a whole. An extension of Botyard.
         * @example {
         *       "user": {
         *         "id": "user-7",
         *         "username": "Zoë"
         *       }
         *     }
         */
        PutDirectChannelRequest: {
            /** The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard. */
            user?: components["schemas"]["PostUser"];
            /**
             * Format: clean-text
             * Shown to people.
             * @example Weather reports
             */
            title?: string;
        };
        /** A bot that is attached to a channel, as the channel's holder sees it: of another owner's bot the profile only. An extension of Botyard. */
        AttachedBot: {
            /**
             * The bot's identifier, `id` in the owner's paths.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The user record that represents the bot.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_user_id: string;
            /**
             * The bot's username.
             * @example weather_bot
             */
            username: string;
            /**
             * The bot's name for people.
             * @example Weather
             */
            display_name: string;
            /** What the bot does; empty when nothing was given. */
            description: string;
            /**
             * The user who owns the bot.
             * @example alice
             */
            owner_user_id?: string;
            /** Present while a webhook is configured. */
            webhook_url?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * When the bot was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at?: string;
            /**
             * Format: date-time
             * When the bot's own fields last changed.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at?: string;
            /**
             * Format: date-time
             * Since when the bot is disabled; left out while it is enabled.
             * @example 2026-01-31T12:00:00.000Z
             */
            disabled_at?: string;
            /** `listed` of a bot that others may attach; left out of a private one. */
            visibility?: components["schemas"]["BotVisibility"];
            /** The platform's decision on a bot. An extension of Botyard. */
            review?: components["schemas"]["BotReview"];
            /** Who disabled a bot; left out while it is enabled, and where that is not known. What the platform disabled, only the platform enables. An extension of Botyard. */
            disabled_by?: components["schemas"]["Disabler"];
        };
        /** A bot that is attached to a channel. An extension of Botyard. */
        ChannelBot: {
            /** A bot that is attached to a channel, as the channel's holder sees it: of another owner's bot the profile only. An extension of Botyard. */
            bot: components["schemas"]["AttachedBot"];
            /**
             * The bot's role in the channel: `moderator`, which attaching gives, or, an extension of Botyard, `member` or `reader`.
             * @example moderator
             */
            role: string;
            /**
             * The owner who attached it.
             * @example alice
             */
            attached_by: string;
        };
        /** Bots that are attached to a channel. An extension of Botyard. */
        ChannelBotList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["ChannelBot"][];
        };
        /**
         * What a bot may do in a channel, beside hearing it: `member` posts, emits events, and reads what was posted since it was attached; `moderator` reads all posts and deletes any; `reader` nothing.
         * @enum {string}
         */
        BotRole: "moderator" | "member" | "reader";
        /**
         * As what to attach the bot. May be left out. An extension of Botyard.
         * @example {
         *       "role": "reader"
         *     }
         */
        AttachBotRequest: {
            /** Left out: of a bot that is attached already its role stays, another gets `moderator`. */
            role?: components["schemas"]["BotRole"];
        };
        /** A bot, and as what it shall be attached. An extension of Botyard. */
        WishedBot: {
            /** Bot id. */
            id: string;
            /** Left out: of a bot that is attached already its role stays, another gets `moderator`. */
            role?: components["schemas"]["BotRole"];
        };
        /**
         * The wished bots of a channel: `bot_ids` or `bots`. An extension of Botyard.
         * @example {
         *       "bot_ids": []
         *     }
         */
        PutChannelBotsRequest: {
            /** The bots that shall be attached, and no others. Their roles stay. */
            bot_ids?: string[];
            /** The same with roles, in place of `bot_ids`. Each bot once. */
            bots?: components["schemas"]["WishedBot"][];
        };
        /** What setting a channel's bots has changed. An extension of Botyard. */
        ChannelBotsChange: {
            /** Ids of the bots that were attached. */
            attached: string[];
            /** Ids of the bots that were detached. */
            detached: string[];
            /** Ids of the bots that were attached before, in another role. */
            role_changed: string[];
        };
        /**
         * A channel of a batch as it shall be, with its bots: `bot_ids` or `bots`, or neither, and then those that are attached stay. An extension of Botyard.
         * @example {
         *       "external_id": "room-42",
         *       "title": "Room 42",
         *       "bot_ids": []
         *     }
         */
        BatchChannelRequest: {
            /**
             * Format: external-id
             * Your own id of the channel, unique among your channels.
             * @example room-42
             */
            external_id: string;
            /**
             * Format: clean-text
             * Shown to people.
             * @example Weather reports
             */
            title: string;
            /**
             * Format: clean-text
             * Free text; empty when left out.
             * @example About the weather.
             */
            description?: string;
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Unique among all channels of the owner, and all that one bot is in. A slug that another owner has may be refused.
             * @example weather-reports
             */
            slug?: string;
            /** The bots that shall be attached, and no others. Their roles stay. */
            bot_ids?: string[];
            /** The same with roles, in place of `bot_ids`. Each bot once. */
            bots?: components["schemas"]["WishedBot"][];
        };
        /**
         * Channels to create or change, in their order. An extension of Botyard.
         * @example {
         *       "channels": [
         *         {
         *           "external_id": "room-42",
         *           "title": "Room 42",
         *           "bot_ids": []
         *         }
         *       ]
         *     }
         */
        ChannelBatchRequest: {
            /** 1 to 1000 channels. One that is wrong fails alone. */
            channels: components["schemas"]["BatchChannelRequest"][];
        };
        /** A channel of a batch, or why it was refused. An extension of Botyard. */
        ChannelResult: {
            /**
             * 201 for a new channel, 200 for one there was, or the status with which a call for it alone would have been refused.
             * @example 201
             */
            status: number;
            /** What is wrong and how to fix it. */
            error?: string;
            /**
             * Why a request was refused: the header `Botyard-Error`. An extension of Botyard. Codes keep their meaning; later versions may have more.
             *
             *     - `invalid_input` (400): A field, a parameter or a header is not what it must be; the message names it.
             *     - `invalid_json` (400): The body is not JSON, not whole, or not UTF-8, or has keys that change prototypes.
             *     - `body_too_large` (400): The body has more bytes than the service accepts.
             *     - `unsupported_media_type` (400): `Content-Type` is not `application/json`, or the body is compressed.
             *     - `invalid_http` (400): What was sent is not HTTP as the service accepts it.
             *     - `headers_too_large` (400): The header fields have more bytes than the service accepts.
             *     - `request_timeout` (400): The request did not arrive as a whole in time.
             *     - `conflicting_parameters` (400): Two parameters exclude each other.
             *     - `invalid_owner_header` (400): The platform's token goes with one user id in `Botyard-Owner`, except for the feed, and an owner token without that header.
             *     - `invalid_cursor` (400): `before`, `after`, `cursor` or `Last-Event-ID` is nothing that an answer of this list can have had.
             *     - `invalid_idempotency_key` (400): `Idempotency-Key` is not 1 to 255 visible ASCII characters.
             *     - `nothing_to_change` (400): The request would change nothing: it has no field to change.
             *     - `field_fixed` (400): The request names a field that cannot be changed.
             *     - `revision_conflict` (400): It was changed since it was read: read it again, and decide again.
             *     - `username_taken` (400): Another bot of the service has this username.
             *     - `owner_needed` (400): An external id needs `Botyard-Owner`: it is one owner's.
             *     - `slug_taken` (400): Another channel of the service has this slug.
             *     - `external_id_taken` (400): Another channel of the owner has this external id.
             *     - `slug_fixed` (400): The channel of this external id has another slug, which cannot be changed.
             *     - `unknown_bot` (400): `bot_ids` or `bots` names a bot that is neither the owner's nor listed.
             *     - `direct_channel` (400): The channel is a direct one: no bot but its own may be attached to it.
             *     - `too_many_bots_in_channel` (400): The channel has more bots than are set at once.
             *     - `too_many_bots` (400): The owner has as many bots as one may have.
             *     - `too_many_channels` (400): The owner has as many channels as one may have, or the bot is attached to as many of the owner's as one may be.
             *     - `bot_full` (400): The bot is attached to as many channels of all owners as one may be.
             *     - `too_many_consumers` (400): The bot, or the feed, has as many consumers as one may have.
             *     - `too_many_webhooks` (400): The bot, or the owner, has as many webhooks as they may have.
             *     - `too_many_bytes` (400): The channels of the owner keep as many bytes of posts and other events as they may: delete some.
             *     - `blank_body` (400): The text of the post is only white space, or it has neither text nor media.
             *     - `invalid_created_at` (400): `created_at` of a post is before the year 2000, in the future or a leap second, or the post is not `silent`.
             *     - `reply_not_found` (400): `reply_to` names no post of the same channel that the author may read.
             *     - `invalid_commands` (400): Commands, options or choices are named twice, in a wrong order, or of a wrong type.
             *     - `invalid_components` (400): A component of the post lacks what its type needs, has what another type has, or its id twice.
             *     - `unknown_command` (400): The bot offers no command of this name.
             *     - `invalid_options` (400): The options of a command are not those that it has.
             *     - `unknown_component` (400): There is no component of this id that can be pressed.
             *     - `invalid_values` (400): The values that were chosen are not what the component allows.
             *     - `bot_disabled` (400): The bot is disabled.
             *     - `bot_is_reader` (400): The bot is in the channel as `reader`: it could not respond.
             *     - `interaction_expired` (400): The interaction takes no more responses: its time is over.
             *     - `too_many_responses` (400): The interaction has as many responses as one may have.
             *     - `no_pressed_post` (400): The interaction is not of a post, so that none can be edited.
             *     - `too_many_secrets` (400): As many secrets that were replaced sign still as may: wait, or end them with `overlap=0s`.
             *     - `invalid_secret_token` (400): A secret token that begins with `whsec_` is not of the form of Standard Webhooks.
             *     - `too_deep` (400): JSON is nested deeper than the service accepts.
             *     - `too_large` (400): `media`, `components`, `payload`, `metadata`, `commands` or `command.options` has more bytes than the service accepts.
             *     - `unclean_text` (400): `payload`, `metadata` or `command.options` contains NUL characters or unpaired surrogates.
             *     - `invalid_event_type` (400): `event_type`, or an entry of `event_types`, is not the name of a kind.
             *     - `reserved_event_type` (400): Kinds that begin so are the service's own.
             *     - `unknown_event_type` (400): No event of the service is of the kind that is subscribed to.
             *     - `invalid_headers` (400): `headers` has one that a webhook may not have.
             *     - `invalid_auto_pause` (400): `auto_pause` is neither a duration from `1s` to `365d` nor `off`.
             *     - `invalid_overlap` (400): `overlap` is not a duration from `0s` to `24h`.
             *     - `secret_unreadable` (400): No key opens the stored secret token of the webhook: set it anew.
             *     - `invalid_url` (400): `url` is not a URL that a webhook may have.
             *     - `address_not_allowed` (400): `url` has an address that the service does not deliver to.
             *     - `host_not_allowed` (400): `url` has a host that the service is not configured to deliver to.
             *     - `no_webhook` (400): The bot has no webhook.
             *     - `deliveries_off` (400): The service sends nothing to webhooks: `DELIVERIES=off`, or `botyard deliveries off`.
             *     - `not_delivered` (400): Only an update that was delivered can be sent again.
             *     - `not_waiting` (400): Only an update that is pending or scheduled can be skipped.
             *     - `webhook_conflict` (400): Others set the webhook at the same time: try again.
             *     - `unknown_consumer` (400): `deliver_from` names a consumer that the bot does not have.
             *     - `beyond_log` (400): A number is beyond the end of the bot's log.
             *     - `position_backwards` (400): The consumer is further already; only `rewind` moves it back.
             *     - `too_many_done` (400): `done` and what was sent before have too many numbers.
             *     - `feed_position_expired` (400): Events that followed the cursor have expired: read the feed from the oldest that is kept.
             *     - `feed_changed` (400): The cursor is of another feed: read from the oldest event that is kept.
             *     - `wrong_confirmation` (400): `confirm` is not the owner's user id.
             *     - `credential_missing` (401): The request has no bearer token.
             *     - `credential_wrong_kind` (401): A token of a bot was sent where one of an owner or of the platform belongs, or the reverse.
             *     - `token_invalid` (401): The token is unknown, rotated, of a disabled or deleted bot, or not signed as it must be.
             *     - `token_expired` (401): The owner token has expired.
             *     - `owner_suspended` (401): The platform has suspended the owner, of the token or of the bot; the message says why.
             *     - `keys_unavailable` (401): The keys that check owner tokens cannot be fetched now.
             *     - `forbidden` (403): The caller may not do this.
             *     - `not_attached` (403): The bot is not attached to the channel.
             *     - `read_only` (403): The bot is in the channel as `reader`: it may not post there.
             *     - `disabled_by_platform` (403): The platform disabled the bot, and it alone enables it again.
             *     - `not_author` (403): The bot did not publish the post.
             *     - `not_found` (404): What the request refers to does not exist, or belongs to another owner.
             *     - `bot_not_found` (404): The bot does not exist, or belongs to another owner.
             *     - `webhook_not_found` (404): The bot has no webhook of this name, or does not exist, or belongs to another owner.
             *     - `channel_not_found` (404): The channel does not exist, or belongs to another owner.
             *     - `post_not_found` (404): The channel has no such post.
             *     - `interaction_not_found` (404): The channel, or the bot, has no such interaction, or it expired with the updates of its time.
             *     - `response_not_found` (404): The channel has no such response to an interaction.
             *     - `update_not_found` (404): The bot's log has no such update.
             *     - `consumer_not_found` (404): The bot, or the feed, has no such consumer.
             *     - `feed_off` (404): The feed of the platform is not switched on: `PLATFORM_FEED`.
             *     - `attachment_not_found` (404): The bot does not exist, or is not attached to the channel.
             *     - `route_not_found` (404): There is no such path, or not with this method.
             *     - `too_many_batches` (429): Batches of the caller, or of all callers, hold as much memory as they may, or the caller's own take some seconds already.
             *     - `rate_limited` (429): Too many requests of this credential, or failing ones of this address.
             *     - `too_many_polls` (429): As many polls and streams of the bot, or of the feed, wait as may.
             *     - `owner_moving` (429): The owner is being moved to another database: for a moment nothing of theirs can be changed.
             *     - `too_many_posts` (429): More posts wait to be stored than the service takes on, and the owner has more than an equal share of them.
             *     - `owner_post_limit` (429): The owner and their bots have published as many posts in a second as the platform lets them.
             *     - `too_many_edits` (429): The post was edited as often as it may be in a second.
             *     - `bot_loop` (429): Bots of the channel answer each other, and have published as much as they may without a post of a person (`MAX_BOT_LOOP_POSTS`).
             *     - `too_many_tests` (429): The webhook was sent as many test events as it may be in a minute.
             *     - `too_many_sent_again` (429): As many updates of the bot were sent again as may be in a minute.
             *     - `too_many_exports` (429): The owner has begun as many exports as one may in a minute.
             *     - `export_running` (429): An export of the owner is running.
             *     - `internal_error` (500): A fault of the service, which its log describes.
             *     - `unavailable` (503): The service cannot reach its storage now.
             *     - `stopping` (503): The service is stopping.
             */
            code?: components["schemas"]["ErrorCode"];
            /** A channel as its holder sees it. An extension of Botyard. */
            channel?: components["schemas"]["Channel"];
        };
        /** What came of a batch. An extension of Botyard. */
        ChannelBatchResult: {
            /** One for each channel, in their order. */
            items: components["schemas"]["ChannelResult"][];
        };
        /**
         * A button, or a select of which people choose options. An extension of Botyard.
         * @enum {string}
         */
        PostComponentType: "button" | "select";
        /**
         * How a button looks; `default` when left out. An extension of Botyard.
         * @enum {string}
         */
        ButtonStyle: "default" | "primary" | "danger";
        /** What may be chosen of a select. An extension of Botyard. */
        SelectOption: {
            /**
             * Format: clean-text
             * What people read.
             * @example Tomorrow
             */
            label: string;
            /**
             * Format: clean-text
             * What the bot gets, unique in its select.
             * @example 1
             */
            value: string;
        };
        /** A button or a select under a post. An extension of Botyard. */
        PostComponent: {
            /** A button, or a select of which people choose options. An extension of Botyard. */
            type: components["schemas"]["PostComponentType"];
            /**
             * Unique in its post; the bot gets it with a press.
             * @example approve:17
             */
            id: string;
            /**
             * Format: clean-text
             * Of a button, which must have it: what people read.
             * @example Approve
             */
            label?: string;
            /** How a button looks; `default` when left out. An extension of Botyard. */
            style?: components["schemas"]["ButtonStyle"];
            /**
             * Format: clean-text
             * Of a button: what the bot gets with a press.
             * @example 17
             */
            value?: string;
            /**
             * Format: clean-text
             * Of a button: what people are asked before it counts.
             * @example Approve 17?
             */
            confirm?: string;
            /**
             * Of a button: the page that it opens. No bot hears of its press.
             * @example https://example.com/17
             */
            url?: string;
            /** Of a select, which must have them: what may be chosen. */
            options?: components["schemas"]["SelectOption"][];
            /**
             * Format: clean-text
             * Of a select: what people read before they choose.
             * @example When?
             */
            placeholder?: string;
            /**
             * Of a select: the fewest options that may be chosen; 1 when left out.
             * @example 1
             */
            min?: number;
            /**
             * Of a select: the most options that may be chosen; 1 when left out.
             * @example 1
             */
            max?: number;
        };
        /** A post as the bot that published it sees it. */
        BotPost: {
            /**
             * The post's identifier.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The channel it was published in.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /**
             * The username of the bot, or the name of the owner, that published it.
             * @example weather_bot
             */
            author_username: string;
            /**
             * The text of the post.
             * @example Sunny, 24 °C
             */
            body: string;
            /** `true` in the answer to an `Idempotency-Key` whose post has been deleted since: then `body` is empty. Else left out. An extension of Botyard. */
            deleted?: boolean;
            /** Who published a post. An extension of Botyard. */
            author?: components["schemas"]["Author"];
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
            /** Which post another one answers, and who published it. An extension of Botyard. */
            reply_to?: components["schemas"]["ReplyTo"];
            /**
             * Counts 1, 2, 3 …: each edit is one more.
             * @example 1
             */
            revision: number;
            /**
             * Format: date-time
             * When the newest revision was made; left out before the first edit.
             * @example 2026-01-31T12:00:00.000Z
             */
            edited_at?: string;
            /**
             * Format: date-time
             * When the post was published.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** A post in its newest revision. An extension of Botyard. */
        Post: {
            /**
             * The post's identifier.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The channel it was published in.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /**
             * The username of the bot, or the name of the owner, that published it.
             * @example weather_bot
             */
            author_username: string;
            /**
             * The text of the post.
             * @example Sunny, 24 °C
             */
            body: string;
            /** `true` in the answer to an `Idempotency-Key` whose post has been deleted since: then `body` is empty. Else left out. An extension of Botyard. */
            deleted?: boolean;
            /** Who published a post. An extension of Botyard. */
            author?: components["schemas"]["Author"];
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
            /** Which post another one answers, and who published it. An extension of Botyard. */
            reply_to?: components["schemas"]["ReplyTo"];
            /**
             * Counts 1, 2, 3 …: each edit is one more.
             * @example 1
             */
            revision: number;
            /**
             * Format: date-time
             * When the newest revision was made; left out before the first edit.
             * @example 2026-01-31T12:00:00.000Z
             */
            edited_at?: string;
            /**
             * Format: date-time
             * When the post was published.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /**
         * `oldest` begins with the oldest. Both go by the time at which publishing began: a post may come in before one that is listed already, when both were published at the same moment. To follow a channel, read the feed or be a bot. An extension of Botyard.
         * @enum {string}
         */
        PostOrder: "newest" | "oldest";
        /** Posts of one channel. An extension of Botyard. */
        PostList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["Post"][];
        };
        /**
         * A bot, the owner of the channel, or a user for whom the owner published. An extension of Botyard.
         * @enum {string}
         */
        AuthorType: "bot" | "owner" | "user";
        /** Who published a post. An extension of Botyard. */
        Author: {
            /** A bot, the owner of the channel, or a user for whom the owner published. An extension of Botyard. */
            type: components["schemas"]["AuthorType"];
            /**
             * The bot's id, the owner's user id, or the owner's own id of the user.
             * @example alice
             */
            id: string;
            /**
             * The name to show.
             * @example alice
             */
            username: string;
        };
        /** Which post another one answers, and who published it. An extension of Botyard. */
        ReplyTo: {
            /**
             * The post that is answered. It may be deleted by now.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            post_id: string;
            /** Who published a post. An extension of Botyard. */
            author?: components["schemas"]["Author"];
        };
        /**
         * What to change; what is left out stays, and empty `media` or `components` removes them. An extension of Botyard.
         * @example {
         *       "body": "Sunny, 25 °C"
         *     }
         */
        EditPostRequest: {
            /**
             * Format: clean-text
             * The text of the post; not only white space. At most 4096 characters, or as many as the service is configured to take (`MAX_POST_CHARACTERS`), up to 32768. Empty only for a post with media, which is an extension of Botyard.
             * @example Sunny, 24 °C
             */
            body?: string;
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
        };
        /**
         * The post to publish.
         * @example {
         *       "body": "Sunny, 24 °C"
         *     }
         */
        CreateChannelPostRequest: {
            /**
             * Format: clean-text
             * The text of the post; not only white space. At most 4096 characters, or as many as the service is configured to take (`MAX_POST_CHARACTERS`), up to 32768. Empty only for a post with media, which is an extension of Botyard.
             * @example Sunny, 24 °C
             */
            body: string;
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
            /**
             * The post in the same channel that this one answers. An extension of Botyard.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            reply_to?: string;
        };
        /**
         * The post to publish, and for whom. An extension of Botyard.
         * @example {
         *       "body": "Sunny, 24 °C"
         *     }
         */
        CreateOwnerPostRequest: {
            /**
             * Format: clean-text
             * The text of the post; not only white space. At most 4096 characters, or as many as the service is configured to take (`MAX_POST_CHARACTERS`), up to 32768. Empty only for a post with media, which is an extension of Botyard.
             * @example Sunny, 24 °C
             */
            body: string;
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
            /**
             * The post in the same channel that this one answers. An extension of Botyard.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            reply_to?: string;
            /** The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard. */
            author?: components["schemas"]["PostUser"];
            /** `true` for a post that is only stored in its channel: no bot gets an update, and the feed does not have it. */
            silent?: boolean;
            /**
             * Format: date-time
             * When the post was written, in a product that is imported: from the year 2000 on and not in the future, and only with `silent`. It is listed at its time.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at?: string;
        };
        /**
         * The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard.
         * @example {
         *       "id": "user-7",
         *       "username": "Zoë"
         *     }
         */
        PostUser: {
            /**
             * Format: user-id
             * Your own id of the user, without control characters.
             * @example user-7
             */
            id: string;
            /**
             * Format: clean-text
             * The name to show.
             * @example Zoë
             */
            username: string;
        };
        /**
         * A post of a batch. An extension of Botyard.
         * @example {
         *       "external_id": "room-42",
         *       "body": "Hello",
         *       "idempotency_key": "message-1"
         *     }
         */
        BatchPostRequest: {
            /** The channel, by its id. */
            channel_id?: string;
            /**
             * Format: external-id
             * The channel, by your own id of it, instead of `channel_id`.
             * @example room-42
             */
            external_id?: string;
            /**
             * Format: clean-text
             * The text of the post; not only white space. At most 4096 characters, or as many as the service is configured to take (`MAX_POST_CHARACTERS`), up to 32768. Empty only for a post with media, which is an extension of Botyard.
             * @example Sunny, 24 °C
             */
            body: string;
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
            /**
             * The post in the same channel that this one answers. An extension of Botyard.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            reply_to?: string;
            /** The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard. */
            author?: components["schemas"]["PostUser"];
            /** `true` for a post that is only stored in its channel: no bot gets an update, and the feed does not have it. */
            silent?: boolean;
            /**
             * Format: date-time
             * When the post was written, in a product that is imported: from the year 2000 on and not in the future, and only with `silent`. It is listed at its time.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at?: string;
            /** As the header `Idempotency-Key`: the same key again, for at least 24 hours, creates nothing and gives the first answer. */
            idempotency_key?: string;
        };
        /**
         * A custom event of a batch. An extension of Botyard.
         * @example {
         *       "external_id": "room-42",
         *       "event_type": "ticket.opened",
         *       "payload": {
         *         "ticket": 42
         *       }
         *     }
         */
        BatchEventRequest: {
            /** The channel, by its id. */
            channel_id?: string;
            /**
             * Format: external-id
             * The channel, by your own id of it, instead of `channel_id`.
             * @example room-42
             */
            external_id?: string;
            /** The bot, for an event to one bot. */
            bot_id?: string;
            /**
             * 2 to 4 lower-case names with dots between them. `channel.`, `bot.`, `interaction.`, `webhook.` and `alert.` are reserved.
             * @example ticket.opened
             */
            event_type: string;
            /** An object of any shape, passed on unchanged; at most 32768 bytes of JSON. */
            payload: {
                [key: string]: unknown;
            };
            /** The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard. */
            author?: components["schemas"]["PostUser"];
            /** As the header `Idempotency-Key`: the same key again, for at least 24 hours, creates nothing and gives the first answer. */
            idempotency_key?: string;
        };
        /**
         * Posts to publish, in their order. An extension of Botyard.
         * @example {
         *       "posts": [
         *         {
         *           "external_id": "room-42",
         *           "body": "Hello",
         *           "idempotency_key": "message-1"
         *         }
         *       ]
         *     }
         */
        PostBatchRequest: {
            /** 1 to 1000 posts. One that is wrong fails alone. */
            posts: components["schemas"]["BatchPostRequest"][];
        };
        /**
         * Custom events to emit. An extension of Botyard.
         * @example {
         *       "events": [
         *         {
         *           "external_id": "room-42",
         *           "event_type": "ticket.opened",
         *           "payload": {
         *             "ticket": 42
         *           }
         *         }
         *       ]
         *     }
         */
        EventBatchRequest: {
            /** 1 to 1000 custom events. One that is wrong fails alone. */
            events: components["schemas"]["BatchEventRequest"][];
        };
        /** A post of a batch, or why it was refused. An extension of Botyard. */
        PostResult: {
            /**
             * 201, or the status with which the item alone would have been refused.
             * @example 201
             */
            status: number;
            /** `true` when an earlier call with the same `idempotency_key` created it. */
            replayed?: boolean;
            /** What is wrong and how to fix it. */
            error?: string;
            /**
             * Why a request was refused: the header `Botyard-Error`. An extension of Botyard. Codes keep their meaning; later versions may have more.
             *
             *     - `invalid_input` (400): A field, a parameter or a header is not what it must be; the message names it.
             *     - `invalid_json` (400): The body is not JSON, not whole, or not UTF-8, or has keys that change prototypes.
             *     - `body_too_large` (400): The body has more bytes than the service accepts.
             *     - `unsupported_media_type` (400): `Content-Type` is not `application/json`, or the body is compressed.
             *     - `invalid_http` (400): What was sent is not HTTP as the service accepts it.
             *     - `headers_too_large` (400): The header fields have more bytes than the service accepts.
             *     - `request_timeout` (400): The request did not arrive as a whole in time.
             *     - `conflicting_parameters` (400): Two parameters exclude each other.
             *     - `invalid_owner_header` (400): The platform's token goes with one user id in `Botyard-Owner`, except for the feed, and an owner token without that header.
             *     - `invalid_cursor` (400): `before`, `after`, `cursor` or `Last-Event-ID` is nothing that an answer of this list can have had.
             *     - `invalid_idempotency_key` (400): `Idempotency-Key` is not 1 to 255 visible ASCII characters.
             *     - `nothing_to_change` (400): The request would change nothing: it has no field to change.
             *     - `field_fixed` (400): The request names a field that cannot be changed.
             *     - `revision_conflict` (400): It was changed since it was read: read it again, and decide again.
             *     - `username_taken` (400): Another bot of the service has this username.
             *     - `owner_needed` (400): An external id needs `Botyard-Owner`: it is one owner's.
             *     - `slug_taken` (400): Another channel of the service has this slug.
             *     - `external_id_taken` (400): Another channel of the owner has this external id.
             *     - `slug_fixed` (400): The channel of this external id has another slug, which cannot be changed.
             *     - `unknown_bot` (400): `bot_ids` or `bots` names a bot that is neither the owner's nor listed.
             *     - `direct_channel` (400): The channel is a direct one: no bot but its own may be attached to it.
             *     - `too_many_bots_in_channel` (400): The channel has more bots than are set at once.
             *     - `too_many_bots` (400): The owner has as many bots as one may have.
             *     - `too_many_channels` (400): The owner has as many channels as one may have, or the bot is attached to as many of the owner's as one may be.
             *     - `bot_full` (400): The bot is attached to as many channels of all owners as one may be.
             *     - `too_many_consumers` (400): The bot, or the feed, has as many consumers as one may have.
             *     - `too_many_webhooks` (400): The bot, or the owner, has as many webhooks as they may have.
             *     - `too_many_bytes` (400): The channels of the owner keep as many bytes of posts and other events as they may: delete some.
             *     - `blank_body` (400): The text of the post is only white space, or it has neither text nor media.
             *     - `invalid_created_at` (400): `created_at` of a post is before the year 2000, in the future or a leap second, or the post is not `silent`.
             *     - `reply_not_found` (400): `reply_to` names no post of the same channel that the author may read.
             *     - `invalid_commands` (400): Commands, options or choices are named twice, in a wrong order, or of a wrong type.
             *     - `invalid_components` (400): A component of the post lacks what its type needs, has what another type has, or its id twice.
             *     - `unknown_command` (400): The bot offers no command of this name.
             *     - `invalid_options` (400): The options of a command are not those that it has.
             *     - `unknown_component` (400): There is no component of this id that can be pressed.
             *     - `invalid_values` (400): The values that were chosen are not what the component allows.
             *     - `bot_disabled` (400): The bot is disabled.
             *     - `bot_is_reader` (400): The bot is in the channel as `reader`: it could not respond.
             *     - `interaction_expired` (400): The interaction takes no more responses: its time is over.
             *     - `too_many_responses` (400): The interaction has as many responses as one may have.
             *     - `no_pressed_post` (400): The interaction is not of a post, so that none can be edited.
             *     - `too_many_secrets` (400): As many secrets that were replaced sign still as may: wait, or end them with `overlap=0s`.
             *     - `invalid_secret_token` (400): A secret token that begins with `whsec_` is not of the form of Standard Webhooks.
             *     - `too_deep` (400): JSON is nested deeper than the service accepts.
             *     - `too_large` (400): `media`, `components`, `payload`, `metadata`, `commands` or `command.options` has more bytes than the service accepts.
             *     - `unclean_text` (400): `payload`, `metadata` or `command.options` contains NUL characters or unpaired surrogates.
             *     - `invalid_event_type` (400): `event_type`, or an entry of `event_types`, is not the name of a kind.
             *     - `reserved_event_type` (400): Kinds that begin so are the service's own.
             *     - `unknown_event_type` (400): No event of the service is of the kind that is subscribed to.
             *     - `invalid_headers` (400): `headers` has one that a webhook may not have.
             *     - `invalid_auto_pause` (400): `auto_pause` is neither a duration from `1s` to `365d` nor `off`.
             *     - `invalid_overlap` (400): `overlap` is not a duration from `0s` to `24h`.
             *     - `secret_unreadable` (400): No key opens the stored secret token of the webhook: set it anew.
             *     - `invalid_url` (400): `url` is not a URL that a webhook may have.
             *     - `address_not_allowed` (400): `url` has an address that the service does not deliver to.
             *     - `host_not_allowed` (400): `url` has a host that the service is not configured to deliver to.
             *     - `no_webhook` (400): The bot has no webhook.
             *     - `deliveries_off` (400): The service sends nothing to webhooks: `DELIVERIES=off`, or `botyard deliveries off`.
             *     - `not_delivered` (400): Only an update that was delivered can be sent again.
             *     - `not_waiting` (400): Only an update that is pending or scheduled can be skipped.
             *     - `webhook_conflict` (400): Others set the webhook at the same time: try again.
             *     - `unknown_consumer` (400): `deliver_from` names a consumer that the bot does not have.
             *     - `beyond_log` (400): A number is beyond the end of the bot's log.
             *     - `position_backwards` (400): The consumer is further already; only `rewind` moves it back.
             *     - `too_many_done` (400): `done` and what was sent before have too many numbers.
             *     - `feed_position_expired` (400): Events that followed the cursor have expired: read the feed from the oldest that is kept.
             *     - `feed_changed` (400): The cursor is of another feed: read from the oldest event that is kept.
             *     - `wrong_confirmation` (400): `confirm` is not the owner's user id.
             *     - `credential_missing` (401): The request has no bearer token.
             *     - `credential_wrong_kind` (401): A token of a bot was sent where one of an owner or of the platform belongs, or the reverse.
             *     - `token_invalid` (401): The token is unknown, rotated, of a disabled or deleted bot, or not signed as it must be.
             *     - `token_expired` (401): The owner token has expired.
             *     - `owner_suspended` (401): The platform has suspended the owner, of the token or of the bot; the message says why.
             *     - `keys_unavailable` (401): The keys that check owner tokens cannot be fetched now.
             *     - `forbidden` (403): The caller may not do this.
             *     - `not_attached` (403): The bot is not attached to the channel.
             *     - `read_only` (403): The bot is in the channel as `reader`: it may not post there.
             *     - `disabled_by_platform` (403): The platform disabled the bot, and it alone enables it again.
             *     - `not_author` (403): The bot did not publish the post.
             *     - `not_found` (404): What the request refers to does not exist, or belongs to another owner.
             *     - `bot_not_found` (404): The bot does not exist, or belongs to another owner.
             *     - `webhook_not_found` (404): The bot has no webhook of this name, or does not exist, or belongs to another owner.
             *     - `channel_not_found` (404): The channel does not exist, or belongs to another owner.
             *     - `post_not_found` (404): The channel has no such post.
             *     - `interaction_not_found` (404): The channel, or the bot, has no such interaction, or it expired with the updates of its time.
             *     - `response_not_found` (404): The channel has no such response to an interaction.
             *     - `update_not_found` (404): The bot's log has no such update.
             *     - `consumer_not_found` (404): The bot, or the feed, has no such consumer.
             *     - `feed_off` (404): The feed of the platform is not switched on: `PLATFORM_FEED`.
             *     - `attachment_not_found` (404): The bot does not exist, or is not attached to the channel.
             *     - `route_not_found` (404): There is no such path, or not with this method.
             *     - `too_many_batches` (429): Batches of the caller, or of all callers, hold as much memory as they may, or the caller's own take some seconds already.
             *     - `rate_limited` (429): Too many requests of this credential, or failing ones of this address.
             *     - `too_many_polls` (429): As many polls and streams of the bot, or of the feed, wait as may.
             *     - `owner_moving` (429): The owner is being moved to another database: for a moment nothing of theirs can be changed.
             *     - `too_many_posts` (429): More posts wait to be stored than the service takes on, and the owner has more than an equal share of them.
             *     - `owner_post_limit` (429): The owner and their bots have published as many posts in a second as the platform lets them.
             *     - `too_many_edits` (429): The post was edited as often as it may be in a second.
             *     - `bot_loop` (429): Bots of the channel answer each other, and have published as much as they may without a post of a person (`MAX_BOT_LOOP_POSTS`).
             *     - `too_many_tests` (429): The webhook was sent as many test events as it may be in a minute.
             *     - `too_many_sent_again` (429): As many updates of the bot were sent again as may be in a minute.
             *     - `too_many_exports` (429): The owner has begun as many exports as one may in a minute.
             *     - `export_running` (429): An export of the owner is running.
             *     - `internal_error` (500): A fault of the service, which its log describes.
             *     - `unavailable` (503): The service cannot reach its storage now.
             *     - `stopping` (503): The service is stopping.
             */
            code?: components["schemas"]["ErrorCode"];
            /** A post in its newest revision. An extension of Botyard. */
            post?: components["schemas"]["Post"];
        };
        /** An event of a batch, or why it was refused. An extension of Botyard. */
        EventResult: {
            /**
             * 201, or the status with which the item alone would have been refused.
             * @example 201
             */
            status: number;
            /** `true` when an earlier call with the same `idempotency_key` created it. */
            replayed?: boolean;
            /** What is wrong and how to fix it. */
            error?: string;
            /**
             * Why a request was refused: the header `Botyard-Error`. An extension of Botyard. Codes keep their meaning; later versions may have more.
             *
             *     - `invalid_input` (400): A field, a parameter or a header is not what it must be; the message names it.
             *     - `invalid_json` (400): The body is not JSON, not whole, or not UTF-8, or has keys that change prototypes.
             *     - `body_too_large` (400): The body has more bytes than the service accepts.
             *     - `unsupported_media_type` (400): `Content-Type` is not `application/json`, or the body is compressed.
             *     - `invalid_http` (400): What was sent is not HTTP as the service accepts it.
             *     - `headers_too_large` (400): The header fields have more bytes than the service accepts.
             *     - `request_timeout` (400): The request did not arrive as a whole in time.
             *     - `conflicting_parameters` (400): Two parameters exclude each other.
             *     - `invalid_owner_header` (400): The platform's token goes with one user id in `Botyard-Owner`, except for the feed, and an owner token without that header.
             *     - `invalid_cursor` (400): `before`, `after`, `cursor` or `Last-Event-ID` is nothing that an answer of this list can have had.
             *     - `invalid_idempotency_key` (400): `Idempotency-Key` is not 1 to 255 visible ASCII characters.
             *     - `nothing_to_change` (400): The request would change nothing: it has no field to change.
             *     - `field_fixed` (400): The request names a field that cannot be changed.
             *     - `revision_conflict` (400): It was changed since it was read: read it again, and decide again.
             *     - `username_taken` (400): Another bot of the service has this username.
             *     - `owner_needed` (400): An external id needs `Botyard-Owner`: it is one owner's.
             *     - `slug_taken` (400): Another channel of the service has this slug.
             *     - `external_id_taken` (400): Another channel of the owner has this external id.
             *     - `slug_fixed` (400): The channel of this external id has another slug, which cannot be changed.
             *     - `unknown_bot` (400): `bot_ids` or `bots` names a bot that is neither the owner's nor listed.
             *     - `direct_channel` (400): The channel is a direct one: no bot but its own may be attached to it.
             *     - `too_many_bots_in_channel` (400): The channel has more bots than are set at once.
             *     - `too_many_bots` (400): The owner has as many bots as one may have.
             *     - `too_many_channels` (400): The owner has as many channels as one may have, or the bot is attached to as many of the owner's as one may be.
             *     - `bot_full` (400): The bot is attached to as many channels of all owners as one may be.
             *     - `too_many_consumers` (400): The bot, or the feed, has as many consumers as one may have.
             *     - `too_many_webhooks` (400): The bot, or the owner, has as many webhooks as they may have.
             *     - `too_many_bytes` (400): The channels of the owner keep as many bytes of posts and other events as they may: delete some.
             *     - `blank_body` (400): The text of the post is only white space, or it has neither text nor media.
             *     - `invalid_created_at` (400): `created_at` of a post is before the year 2000, in the future or a leap second, or the post is not `silent`.
             *     - `reply_not_found` (400): `reply_to` names no post of the same channel that the author may read.
             *     - `invalid_commands` (400): Commands, options or choices are named twice, in a wrong order, or of a wrong type.
             *     - `invalid_components` (400): A component of the post lacks what its type needs, has what another type has, or its id twice.
             *     - `unknown_command` (400): The bot offers no command of this name.
             *     - `invalid_options` (400): The options of a command are not those that it has.
             *     - `unknown_component` (400): There is no component of this id that can be pressed.
             *     - `invalid_values` (400): The values that were chosen are not what the component allows.
             *     - `bot_disabled` (400): The bot is disabled.
             *     - `bot_is_reader` (400): The bot is in the channel as `reader`: it could not respond.
             *     - `interaction_expired` (400): The interaction takes no more responses: its time is over.
             *     - `too_many_responses` (400): The interaction has as many responses as one may have.
             *     - `no_pressed_post` (400): The interaction is not of a post, so that none can be edited.
             *     - `too_many_secrets` (400): As many secrets that were replaced sign still as may: wait, or end them with `overlap=0s`.
             *     - `invalid_secret_token` (400): A secret token that begins with `whsec_` is not of the form of Standard Webhooks.
             *     - `too_deep` (400): JSON is nested deeper than the service accepts.
             *     - `too_large` (400): `media`, `components`, `payload`, `metadata`, `commands` or `command.options` has more bytes than the service accepts.
             *     - `unclean_text` (400): `payload`, `metadata` or `command.options` contains NUL characters or unpaired surrogates.
             *     - `invalid_event_type` (400): `event_type`, or an entry of `event_types`, is not the name of a kind.
             *     - `reserved_event_type` (400): Kinds that begin so are the service's own.
             *     - `unknown_event_type` (400): No event of the service is of the kind that is subscribed to.
             *     - `invalid_headers` (400): `headers` has one that a webhook may not have.
             *     - `invalid_auto_pause` (400): `auto_pause` is neither a duration from `1s` to `365d` nor `off`.
             *     - `invalid_overlap` (400): `overlap` is not a duration from `0s` to `24h`.
             *     - `secret_unreadable` (400): No key opens the stored secret token of the webhook: set it anew.
             *     - `invalid_url` (400): `url` is not a URL that a webhook may have.
             *     - `address_not_allowed` (400): `url` has an address that the service does not deliver to.
             *     - `host_not_allowed` (400): `url` has a host that the service is not configured to deliver to.
             *     - `no_webhook` (400): The bot has no webhook.
             *     - `deliveries_off` (400): The service sends nothing to webhooks: `DELIVERIES=off`, or `botyard deliveries off`.
             *     - `not_delivered` (400): Only an update that was delivered can be sent again.
             *     - `not_waiting` (400): Only an update that is pending or scheduled can be skipped.
             *     - `webhook_conflict` (400): Others set the webhook at the same time: try again.
             *     - `unknown_consumer` (400): `deliver_from` names a consumer that the bot does not have.
             *     - `beyond_log` (400): A number is beyond the end of the bot's log.
             *     - `position_backwards` (400): The consumer is further already; only `rewind` moves it back.
             *     - `too_many_done` (400): `done` and what was sent before have too many numbers.
             *     - `feed_position_expired` (400): Events that followed the cursor have expired: read the feed from the oldest that is kept.
             *     - `feed_changed` (400): The cursor is of another feed: read from the oldest event that is kept.
             *     - `wrong_confirmation` (400): `confirm` is not the owner's user id.
             *     - `credential_missing` (401): The request has no bearer token.
             *     - `credential_wrong_kind` (401): A token of a bot was sent where one of an owner or of the platform belongs, or the reverse.
             *     - `token_invalid` (401): The token is unknown, rotated, of a disabled or deleted bot, or not signed as it must be.
             *     - `token_expired` (401): The owner token has expired.
             *     - `owner_suspended` (401): The platform has suspended the owner, of the token or of the bot; the message says why.
             *     - `keys_unavailable` (401): The keys that check owner tokens cannot be fetched now.
             *     - `forbidden` (403): The caller may not do this.
             *     - `not_attached` (403): The bot is not attached to the channel.
             *     - `read_only` (403): The bot is in the channel as `reader`: it may not post there.
             *     - `disabled_by_platform` (403): The platform disabled the bot, and it alone enables it again.
             *     - `not_author` (403): The bot did not publish the post.
             *     - `not_found` (404): What the request refers to does not exist, or belongs to another owner.
             *     - `bot_not_found` (404): The bot does not exist, or belongs to another owner.
             *     - `webhook_not_found` (404): The bot has no webhook of this name, or does not exist, or belongs to another owner.
             *     - `channel_not_found` (404): The channel does not exist, or belongs to another owner.
             *     - `post_not_found` (404): The channel has no such post.
             *     - `interaction_not_found` (404): The channel, or the bot, has no such interaction, or it expired with the updates of its time.
             *     - `response_not_found` (404): The channel has no such response to an interaction.
             *     - `update_not_found` (404): The bot's log has no such update.
             *     - `consumer_not_found` (404): The bot, or the feed, has no such consumer.
             *     - `feed_off` (404): The feed of the platform is not switched on: `PLATFORM_FEED`.
             *     - `attachment_not_found` (404): The bot does not exist, or is not attached to the channel.
             *     - `route_not_found` (404): There is no such path, or not with this method.
             *     - `too_many_batches` (429): Batches of the caller, or of all callers, hold as much memory as they may, or the caller's own take some seconds already.
             *     - `rate_limited` (429): Too many requests of this credential, or failing ones of this address.
             *     - `too_many_polls` (429): As many polls and streams of the bot, or of the feed, wait as may.
             *     - `owner_moving` (429): The owner is being moved to another database: for a moment nothing of theirs can be changed.
             *     - `too_many_posts` (429): More posts wait to be stored than the service takes on, and the owner has more than an equal share of them.
             *     - `owner_post_limit` (429): The owner and their bots have published as many posts in a second as the platform lets them.
             *     - `too_many_edits` (429): The post was edited as often as it may be in a second.
             *     - `bot_loop` (429): Bots of the channel answer each other, and have published as much as they may without a post of a person (`MAX_BOT_LOOP_POSTS`).
             *     - `too_many_tests` (429): The webhook was sent as many test events as it may be in a minute.
             *     - `too_many_sent_again` (429): As many updates of the bot were sent again as may be in a minute.
             *     - `too_many_exports` (429): The owner has begun as many exports as one may in a minute.
             *     - `export_running` (429): An export of the owner is running.
             *     - `internal_error` (500): A fault of the service, which its log describes.
             *     - `unavailable` (503): The service cannot reach its storage now.
             *     - `stopping` (503): The service is stopping.
             */
            code?: components["schemas"]["ErrorCode"];
            /** A custom event. An extension of Botyard. */
            event?: components["schemas"]["Event"];
        };
        /** What came of a batch. An extension of Botyard. */
        PostBatchResult: {
            /** One for each post, in their order. */
            items: components["schemas"]["PostResult"][];
        };
        /** What came of a batch. An extension of Botyard. */
        EventBatchResult: {
            /** One for each event, in their order. */
            items: components["schemas"]["EventResult"][];
        };
        /** A channel. An extension of Botyard. */
        ChannelNames: {
            /**
             * The channel.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The channel's short name.
             * @example weather-reports
             */
            slug: string;
            /**
             * The channel's name for people.
             * @example Weather reports
             */
            title: string;
        };
        /** A channel as it is now. An extension of Botyard. */
        ChannelNow: {
            /**
             * The channel.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The channel's short name.
             * @example weather-reports
             */
            slug: string;
            /**
             * The channel's name for people.
             * @example Weather reports
             */
            title: string;
            /** What the channel is about. */
            description: string;
        };
        /** A post was published in a channel that the bot is attached to. */
        ChannelPostCreatedPayload: {
            /**
             * The text of the post.
             * @example Sunny, 24 °C
             */
            body: string;
            /**
             * The channel that the post was published in.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /**
             * The post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            post_id: string;
            /**
             * The username of the bot, or the name of the owner, that published it. An extension of Botyard.
             * @example alice
             */
            author_username: string;
            /** Who published a post. An extension of Botyard. */
            author?: components["schemas"]["Author"];
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
            /** Which post another one answers, and who published it. An extension of Botyard. */
            reply_to?: components["schemas"]["ReplyTo"];
            /** `true` when the post has been deleted since: then `body` and `author_username` are empty, and `author`, `media`, `components` and `reply_to` are left out. */
            deleted?: boolean;
        };
        /** A post was edited. An extension of Botyard. */
        ChannelPostEditedPayload: {
            /**
             * The post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            post_id: string;
            /**
             * The channel of the post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /**
             * The new revision, from 2 on.
             * @example 2
             */
            revision: number;
            /**
             * The text from this revision on.
             * @example Sunny, 25 °C
             */
            body: string;
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
            /** Which post another one answers, and who published it. An extension of Botyard. */
            reply_to?: components["schemas"]["ReplyTo"];
            /**
             * The username of the bot, or the name of the owner, that published it. An extension of Botyard.
             * @example alice
             */
            author_username: string;
            /** Who published a post. An extension of Botyard. */
            author?: components["schemas"]["Author"];
            /**
             * Format: date-time
             * When the post was edited.
             * @example 2026-01-31T12:00:00.000Z
             */
            edited_at: string;
            /** `true` when the post has been deleted since: then `body` and `author_username` are empty, and `author`, `media`, `components` and `reply_to` are left out. */
            deleted?: boolean;
        };
        /** A post was deleted. An extension of Botyard. */
        ChannelPostDeletedPayload: {
            /**
             * The post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            post_id: string;
            /**
             * The channel of the post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
        };
        /** The title or the description of a channel was changed. An extension of Botyard. */
        ChannelUpdatedPayload: {
            /**
             * The channel.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /** A channel as it is now. An extension of Botyard. */
            channel: components["schemas"]["ChannelNow"];
            /**
             * The owner who did it.
             * @example alice
             */
            by: string;
            /** `true` once the channel is deleted: then only ids are left, and every other text is empty, but for `by` in the update that tells of the deletion. */
            deleted?: boolean;
        };
        /** The bot was attached to a channel. An extension of Botyard. */
        BotAttachedPayload: {
            /**
             * The channel.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /** A channel. An extension of Botyard. */
            channel: components["schemas"]["ChannelNames"];
            /**
             * The owner who did it.
             * @example alice
             */
            by: string;
            /** `true` once the channel is deleted: then only ids are left, and every other text is empty, but for `by` in the update that tells of the deletion. */
            deleted?: boolean;
        };
        /** The bot was detached from a channel, or the channel deleted: the last update that the channel causes. An extension of Botyard. */
        BotDetachedPayload: {
            /**
             * The channel.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /** A channel. An extension of Botyard. */
            channel: components["schemas"]["ChannelNames"];
            /**
             * The owner who did it.
             * @example alice
             */
            by: string;
            /** `true` once the channel is deleted: then only ids are left, and every other text is empty, but for `by` in the update that tells of the deletion. */
            deleted?: boolean;
        };
        /** A user of the product chose a command of the bot, or pressed a component under a post of it. Always heard, and by this bot alone. An extension of Botyard. */
        InteractionCreatedPayload: {
            /**
             * The interaction: respond to it by this id.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            interaction_id: string;
            /** Whether a user chose a command or pressed a component. An extension of Botyard. */
            kind: components["schemas"]["InteractionKind"];
            /**
             * The channel.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /**
             * The bot whose command or component it is.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /** The user who did something. An extension of Botyard. */
            user: components["schemas"]["InteractionUser"];
            /** A command, and what it is given. An extension of Botyard. */
            command?: components["schemas"]["ChosenCommand"];
            /** A component that was pressed. An extension of Botyard. */
            component?: components["schemas"]["PressedComponent"];
            /** The post under which a component was pressed. An extension of Botyard. */
            post?: components["schemas"]["PressedPost"];
            /**
             * The private response under which the component was pressed, instead of a post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            response_id?: string;
            /**
             * Format: date-time
             * Until when responses are taken.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
            /** `true` once its channel is deleted: then only ids are left. */
            deleted?: boolean;
        };
        /** The receiver of a webhook has failed five times in a row, over a minute or more. For bots of its owner that subscribe to it, and the webhook for alerts. An extension of Botyard. */
        WebhookFailingPayload: {
            /**
             * The bot whose webhook it is.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /**
             * Its username.
             * @example weather_bot
             */
            username: string;
            /**
             * The webhook's name; left out of `default`.
             * @example mirror
             */
            webhook?: string;
            /**
             * The owner of the bot.
             * @example alice
             */
            owner_user_id: string;
            /**
             * Why the last attempt failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
        };
        /** The receiver of a webhook that was failing has accepted everything for a minute. For bots of its owner that subscribe to it, and the webhook for alerts. An extension of Botyard. */
        WebhookRecoveredPayload: {
            /**
             * The bot whose webhook it is.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /**
             * Its username.
             * @example weather_bot
             */
            username: string;
            /**
             * The webhook's name; left out of `default`.
             * @example mirror
             */
            webhook?: string;
            /**
             * The owner of the bot.
             * @example alice
             */
            owner_user_id: string;
        };
        /** A webhook was paused. For bots of its owner that subscribe to it, and the webhook for alerts. An extension of Botyard. */
        WebhookPausedPayload: {
            /**
             * The bot whose webhook it is.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /**
             * Its username.
             * @example weather_bot
             */
            username: string;
            /**
             * The webhook's name; left out of `default`.
             * @example mirror
             */
            webhook?: string;
            /**
             * The owner of the bot.
             * @example alice
             */
            owner_user_id: string;
            /** Why a webhook is paused: its receiver has answered 410, has failed for as long as `auto_pause` says, or its owner or the platform has paused it. An extension of Botyard. */
            reason?: components["schemas"]["PauseReason"];
        };
        /** A change, and who made it. An extension of Botyard. */
        AuditEntry: {
            /**
             * The entry's id. Entries are in the order of their ids.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * Format: date-time
             * When it was changed.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * Whose it is; left out of what is the platform's own.
             * @example alice
             */
            owner_user_id?: string;
            /** Who changed something. An extension of Botyard. */
            by: components["schemas"]["AuditActor"];
            /**
             * The `operationId` of the operation in this document.
             * @example editBot
             */
            operation: string;
            /** What was changed. An extension of Botyard. */
            target: components["schemas"]["AuditTarget"];
            /**
             * The `X-Request-Id` of the answer; an id of its own when a bot has left a channel because its owner deleted it or was erased.
             * @example 5f1d2c3b4a59-2k
             */
            request_id: string;
            /**
             * By the name of the field.
             * @example {
             *       "display_name": {
             *         "before": "Weather",
             *         "after": "Weather and tides"
             *       },
             *       "description": {}
             *     }
             */
            changes: {
                [key: string]: components["schemas"]["AuditChange"];
            };
        };
        /** A test event: like an update, but in no log. An extension of Botyard. */
        WebhookTestEvent: {
            /**
             * Always 0, which no update has.
             * @enum {integer}
             */
            update_id: 0;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "webhook.test";
            /** Who asked for the test. */
            payload: {
                /**
                 * The bot whose webhook is tested.
                 * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
                 */
                bot_id: string;
                /**
                 * The owner who asked for the test.
                 * @example alice
                 */
                sent_by: string;
            };
            /**
             * Format: date-time
             * When the test was asked for.
             */
            created_at: string;
        };
        /**
         * Whether a user chose a command or pressed a component. An extension of Botyard.
         * @enum {string}
         */
        InteractionKind: "command" | "component";
        /**
         * A post in the channel, an edit of the post that was pressed, an answer for the user alone, or that the bot is still working. An extension of Botyard.
         * @enum {string}
         */
        ResponseType: "post" | "update" | "private" | "working";
        /**
         * No response yet, only that the bot is working, some response, or none in time. An extension of Botyard.
         * @enum {string}
         */
        InteractionState: "waiting" | "working" | "responded" | "expired";
        /** A command, and what it is given. An extension of Botyard. */
        ChosenCommand: {
            /**
             * What people type after `/`, unique among the commands of its bot.
             * @example weather
             */
            name: string;
            /**
             * The values of its options, by name; at most 16 KiB of JSON.
             * @example {
             *       "city": "Oslo"
             *     }
             */
            options?: {
                [key: string]: unknown;
            };
        };
        /** A component that was pressed. An extension of Botyard. */
        PressedComponent: {
            /**
             * Unique in its post; the bot gets it with a press.
             * @example approve:17
             */
            id: string;
            /** Of a select: the values of the options that were chosen. Of a button the bot gets its value. */
            values?: string[];
        };
        /** The post under which a component was pressed. An extension of Botyard. */
        PressedPost: {
            /**
             * The post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The revision that the user saw. If the post has another one by now, the press is refused.
             * @example 1
             */
            revision?: number;
        };
        /**
         * What a user of your product did: chose a command (`bot_id`, `command`), or pressed a component (`component`, and `post` or `response_id`). An extension of Botyard.
         * @example {
         *       "kind": "component",
         *       "user": {
         *         "id": "user-7",
         *         "username": "Zoë"
         *       },
         *       "component": {
         *         "id": "approve:17"
         *       },
         *       "post": {
         *         "id": "0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41",
         *         "revision": 1
         *       }
         *     }
         */
        CreateInteractionRequest: {
            /** Whether a user chose a command or pressed a component. An extension of Botyard. */
            kind: components["schemas"]["InteractionKind"];
            /** The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard. */
            user: components["schemas"]["PostUser"];
            /**
             * Of a command: whose it is.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id?: string;
            /** A command, and what it is given. An extension of Botyard. */
            command?: components["schemas"]["ChosenCommand"];
            /** A component that was pressed. An extension of Botyard. */
            component?: components["schemas"]["PressedComponent"];
            /** The post under which a component was pressed. An extension of Botyard. */
            post?: components["schemas"]["PressedPost"];
            /**
             * The private response under which the component was pressed, instead of a post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            response_id?: string;
        };
        /** The user who did something. An extension of Botyard. */
        InteractionUser: {
            /**
             * The product's own id of the user.
             * @example user-7
             */
            id: string;
            /**
             * The name to show.
             * @example Zoë
             */
            username: string;
        };
        /** A post that a response published or edited. An extension of Botyard. */
        RespondedPost: {
            /**
             * The post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * Its revision.
             * @example 1
             */
            revision: number;
        };
        /**
         * What the bot answers. A `post` and a `private` one have a text or media; an `update` has what changes of the post that was pressed; `working` has nothing. An extension of Botyard.
         * @example {
         *       "type": "private",
         *       "body": "Approved, thank you."
         *     }
         */
        RespondRequest: {
            /** A post in the channel, an edit of the post that was pressed, an answer for the user alone, or that the bot is still working. An extension of Botyard. */
            type: components["schemas"]["ResponseType"];
            /**
             * Format: clean-text
             * The text of the post; not only white space. At most 4096 characters, or as many as the service is configured to take (`MAX_POST_CHARACTERS`), up to 32768. Empty only for a post with media, which is an extension of Botyard.
             * @example Sunny, 24 °C
             */
            body?: string;
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
        };
        /** What a bot responded. The text of a `post` and of an `update` is in the post. An extension of Botyard. */
        InteractionResponse: {
            /**
             * The response's identifier; of its event in the feed too.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /** A post in the channel, an edit of the post that was pressed, an answer for the user alone, or that the bot is still working. An extension of Botyard. */
            type: components["schemas"]["ResponseType"];
            /**
             * Format: clean-text
             * The text of the post; not only white space. At most 4096 characters, or as many as the service is configured to take (`MAX_POST_CHARACTERS`), up to 32768. Empty only for a post with media, which is an extension of Botyard.
             * @example Sunny, 24 °C
             */
            body?: string;
            /** Objects of any shape, passed on unchanged; by convention with a `type` (`image`, `file`, `audio`, `video`, `link`) and a `url`; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates. */
            media?: {
                [key: string]: unknown;
            }[];
            /**
             * Rows of buttons and selects under the post, for products that show them; at most 8 KiB of JSON. An extension of Botyard.
             * @example [
             *       [
             *         {
             *           "type": "button",
             *           "id": "approve:17",
             *           "label": "Approve",
             *           "style": "primary"
             *         }
             *       ]
             *     ]
             */
            components?: components["schemas"]["PostComponent"][][];
            /** A post that a response published or edited. An extension of Botyard. */
            post?: components["schemas"]["RespondedPost"];
            /**
             * Format: date-time
             * When the bot responded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** A response that is stored, and the post that it published or edited. An extension of Botyard. */
        RespondedInteraction: {
            /** What a bot responded. The text of a `post` and of an `update` is in the post. An extension of Botyard. */
            response: components["schemas"]["InteractionResponse"];
            /** A post in its newest revision. An extension of Botyard. */
            post?: components["schemas"]["Post"];
        };
        /** What a user did, and what the bot responded. An extension of Botyard. */
        Interaction: {
            /**
             * The interaction's identifier.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /** Whether a user chose a command or pressed a component. An extension of Botyard. */
            kind: components["schemas"]["InteractionKind"];
            /**
             * The channel.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id: string;
            /**
             * The bot whose command or component it is.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /** The user who did something. An extension of Botyard. */
            user: components["schemas"]["InteractionUser"];
            /** A command, and what it is given. An extension of Botyard. */
            command?: components["schemas"]["ChosenCommand"];
            /** A component that was pressed. An extension of Botyard. */
            component?: components["schemas"]["PressedComponent"];
            /** The post under which a component was pressed. An extension of Botyard. */
            post?: components["schemas"]["PressedPost"];
            /**
             * The private response under which the component was pressed, instead of a post.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            response_id?: string;
            /**
             * Format: date-time
             * Until when responses are taken.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
            /** No response yet, only that the bot is working, some response, or none in time. An extension of Botyard. */
            state: components["schemas"]["InteractionState"];
            /** What the bot responded, oldest first. */
            responses: components["schemas"]["InteractionResponse"][];
            /**
             * Format: date-time
             * When the user did it.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /**
         * The custom event to emit. An extension of Botyard.
         * @example {
         *       "event_type": "ticket.opened",
         *       "payload": {
         *         "ticket": 42
         *       }
         *     }
         */
        EmitEventRequest: {
            /**
             * 2 to 4 lower-case names with dots between them. `channel.`, `bot.`, `interaction.`, `webhook.` and `alert.` are reserved.
             * @example ticket.opened
             */
            event_type: string;
            /** An object of any shape, passed on unchanged; at most 32768 bytes of JSON. */
            payload: {
                [key: string]: unknown;
            };
            /** The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard. */
            author?: components["schemas"]["PostUser"];
        };
        /**
         * The custom event to emit; its payload has no `author`. An extension of Botyard.
         * @example {
         *       "event_type": "ticket.closed",
         *       "payload": {
         *         "ticket": 42
         *       }
         *     }
         */
        EmitBotEventRequest: {
            /**
             * 2 to 4 lower-case names with dots between them. `channel.`, `bot.`, `interaction.`, `webhook.` and `alert.` are reserved.
             * @example ticket.opened
             */
            event_type: string;
            /** An object of any shape, passed on unchanged; at most 32768 bytes of JSON. */
            payload: {
                [key: string]: unknown;
            };
        };
        /** A custom event. An extension of Botyard. */
        Event: {
            /**
             * The event's identifier.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The kind of event.
             * @example ticket.opened
             */
            event_type: string;
            /** The channel in which it was emitted; left out of an event to one bot. */
            channel_id?: string;
            /** The bot to which it was emitted; left out of an event in a channel. */
            bot_id?: string;
            /** An object of any shape, passed on unchanged; at most 32768 bytes of JSON. */
            payload: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * When the event was emitted.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /**
         * Which posts, and edits of posts, a bot hears: all, or those whose body contains `@` and the bot's username, and answers to its own posts. An extension of Botyard.
         * @enum {string}
         */
        HeardPosts: "all" | "mentions";
        /**
         * Which events the bot hears. An extension of Botyard.
         * @example {
         *       "event_types": [
         *         "channel.post_created",
         *         "ticket.*"
         *       ],
         *       "posts": "mentions",
         *       "own_posts": false
         *     }
         */
        PutSubscriptionRequest: {
            /**
             * Kinds of events: exact, all that begin alike (`ticket.*`), every custom event (`custom`), or all (`*`).
             * @example [
             *       "channel.post_created",
             *       "ticket.*"
             *     ]
             */
            event_types: string[];
            /**
             * Which posts, and edits of posts, a bot hears: all, or those whose body contains `@` and the bot's username, and answers to its own posts. An extension of Botyard.
             * @default all
             */
            posts: components["schemas"]["HeardPosts"];
            /**
             * Whether the bot hears its own posts.
             * @default true
             */
            own_posts: boolean;
        };
        /**
         * A subscription to try, and the channel to try it on. An extension of Botyard.
         * @example {
         *       "channel_id": "0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41",
         *       "event_types": [
         *         "channel.post_created",
         *         "ticket.*"
         *       ],
         *       "posts": "mentions",
         *       "own_posts": false
         *     }
         */
        PreviewSubscriptionRequest: {
            /** A channel of yours. */
            channel_id: string;
            /**
             * Kinds of events: exact, all that begin alike (`ticket.*`), every custom event (`custom`), or all (`*`).
             * @example [
             *       "channel.post_created",
             *       "ticket.*"
             *     ]
             */
            event_types: string[];
            /**
             * Which posts, and edits of posts, a bot hears: all, or those whose body contains `@` and the bot's username, and answers to its own posts. An extension of Botyard.
             * @default all
             */
            posts: components["schemas"]["HeardPosts"];
            /**
             * Whether the bot hears its own posts.
             * @default true
             */
            own_posts: boolean;
        };
        /** Which events a bot hears. An extension of Botyard. */
        Subscription: {
            /** Whether none is set: then the bot hears posts and every custom event. */
            is_default: boolean;
            /** Kinds of events that the bot hears, as they are set: the answer can be sent back and changes nothing. */
            event_types: string[];
            /** Which posts, and edits of posts, a bot hears: all, or those whose body contains `@` and the bot's username, and answers to its own posts. An extension of Botyard. */
            posts: components["schemas"]["HeardPosts"];
            /** Whether the bot hears its own posts. */
            own_posts: boolean;
        };
        /** An event of a channel, and whether the subscription matches it. An extension of Botyard. */
        PreviewedEvent: {
            /**
             * The kind of event.
             * @example channel.post_created
             */
            event_type: string;
            /** An object of any shape, passed on unchanged; at most 32768 bytes of JSON. */
            payload: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** Whether the bot would have got it. */
            heard: boolean;
        };
        /** The last events of a channel. An extension of Botyard. */
        SubscriptionPreview: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["PreviewedEvent"][];
        };
        /**
         * What the value of an option is; of a `user` or a `channel` it is the id. An extension of Botyard.
         * @enum {string}
         */
        CommandOptionType: "string" | "integer" | "number" | "boolean" | "user" | "channel";
        /** A value that an option may have. An extension of Botyard. */
        CommandChoice: {
            /**
             * Format: clean-text
             * What people read.
             * @example Celsius
             */
            label: string;
            /**
             * What the bot gets, of the option's type.
             * @example celsius
             */
            value: string | number;
        };
        /** What a command is given. An extension of Botyard. */
        CommandOption: {
            /**
             * Unique in its command.
             * @example city
             */
            name: string;
            /** What the value of an option is; of a `user` or a `channel` it is the id. An extension of Botyard. */
            type: components["schemas"]["CommandOptionType"];
            /**
             * Format: clean-text
             * What it means, for people.
             * @example Where
             */
            description: string;
            /** Whether it has to be given. Those that have to come first. */
            required?: boolean;
            /** The only values that it may have. Only of texts and numbers. */
            choices?: components["schemas"]["CommandChoice"][];
        };
        /** A command that a bot offers in its channels. An extension of Botyard. */
        BotCommand: {
            /**
             * What people type after `/`, unique among the commands of its bot.
             * @example weather
             */
            name: string;
            /**
             * Format: clean-text
             * What it does, for people.
             * @example Tell the weather of a place
             */
            description: string;
            /** What it is given, in order. */
            options?: components["schemas"]["CommandOption"][];
            /**
             * The description in other languages, by language tag.
             * @example {
             *       "de": "Sagt das Wetter an einem Ort"
             *     }
             */
            descriptions?: {
                [key: string]: string;
            };
        };
        /**
         * The commands that a bot offers. An extension of Botyard.
         * @example {
         *       "commands": [
         *         {
         *           "name": "weather",
         *           "description": "Tell the weather of a place",
         *           "options": [
         *             {
         *               "name": "city",
         *               "type": "string",
         *               "description": "Where",
         *               "required": true
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        PutCommandsRequest: {
            /** All commands of the bot, in the order in which they are shown; at most 48 KiB of JSON. Empty: none. */
            commands: components["schemas"]["BotCommand"][];
        };
        /** Commands of a bot. An extension of Botyard. */
        BotCommandList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["BotCommand"][];
        };
        /** The commands of a bot in a channel. An extension of Botyard. */
        ChannelCommands: {
            /**
             * The bot.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /**
             * The bot's username.
             * @example weather_bot
             */
            username: string;
            /**
             * The bot's name for people.
             * @example Weather
             */
            display_name: string;
            /** What it offers. */
            commands: components["schemas"]["BotCommand"][];
        };
        /** Commands in a channel, by bot. An extension of Botyard. */
        ChannelCommandsList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["ChannelCommands"][];
        };
        /**
         * Where a listed bot stands with the platform: `waiting` until it decides.
         * @enum {string}
         */
        BotReviewState: "waiting" | "approved" | "rejected";
        /** A bot as every owner may see it. An extension of Botyard. */
        BotProfile: {
            /**
             * The bot's identifier.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The bot's username.
             * @example weather_bot
             */
            username: string;
            /**
             * The bot's name for people.
             * @example Weather
             */
            display_name: string;
            /** What the bot does; empty when nothing was given. */
            description: string;
            /** Whether you may attach it: it is listed, or yours. Where it is attached already, it stays. */
            may_attach: boolean;
            /** Whether it is in a channel that you hold. */
            is_attached_by_you: boolean;
            /** What it offers. Only in the answer of `getBotProfile`, and left out when that is nothing. */
            commands?: components["schemas"]["BotCommand"][];
        };
        /** Listed bots. An extension of Botyard. */
        BotProfilePage: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["BotProfile"][];
            /** The `cursor` of the next page; left out at the end. A call looks at 1,000 listed bots at most, so a page may have few items, or none, and be followed by another. */
            next_cursor?: string;
        };
        /** Bots that their owners have listed. An extension of Botyard. */
        BotReviewPage: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["Bot"][];
            /** The `cursor` of the next page; left out at the end. A call looks at 1,000 listed bots at most, so a page may have few items, or none, and be followed by another. */
            next_cursor?: string;
        };
        /**
         * The platform's decision on a bot. An extension of Botyard.
         * @example {
         *       "status": "approved"
         *     }
         */
        PutBotReviewRequest: {
            /** What the platform decides on a bot. */
            status: components["schemas"]["BotVerdict"];
            /**
             * Format: clean-text
             * Why, for the bot's owner; empty when left out.
             * @example Fine.
             */
            note?: string;
        };
        /** The channel that something happened in. An extension of Botyard. */
        FeedChannel: {
            /**
             * The channel's identifier.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The owner's own id of it, if it has one.
             * @example room-42
             */
            external_id?: string;
        };
        /**
         * An owner or a bot with a token of their own, or the platform for an owner. An extension of Botyard.
         * @enum {string}
         */
        FeedActorType: "owner" | "bot" | "platform";
        /** Who did something, beside in whose name (`author`). An extension of Botyard. */
        FeedActor: {
            /** An owner or a bot with a token of their own, or the platform for an owner. An extension of Botyard. */
            type: components["schemas"]["FeedActorType"];
            /**
             * The owner's user id, or the bot's. Left out of the platform, of a bot or a channel that has been deleted since, and of an owner who was erased.
             * @example alice
             */
            id?: string;
        };
        /** Something that happened, as the platform sees it. An extension of Botyard. */
        FeedItem: {
            /**
             * The event's identifier, the same for every reader: of a post, the post's. An item that is read again has it again.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            id: string;
            /**
             * The position right after this item. Opaque.
             * @example AZ3vkq0cR1ZTKgEA
             */
            cursor: string;
            /**
             * The kind of event.
             * @example channel.post_created
             */
            event_type: string;
            /**
             * Whose channel or bot it is. Left out of what happened in a channel that has been deleted since, and of an owner who was erased.
             * @example alice
             */
            owner_user_id?: string;
            /** Where it happened; left out when it was in no channel, or that has been deleted since. */
            channel?: components["schemas"]["FeedChannel"];
            /** Who did it. Left out of `webhook.failing`, `webhook.recovered` and a `webhook.paused` by the service itself, a `channel.post_deleted` of a post that goes because the owner of its bot is erased, and of what an earlier version stored. */
            by?: components["schemas"]["FeedActor"];
            /** What happened, by `event_type`. */
            payload: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** A part of the feed. An extension of Botyard. */
        FeedPage: {
            /** What happened, for each owner in order. */
            items: components["schemas"]["FeedItem"][];
            /**
             * The position after the items. Opaque.
             * @example AZ3vkq0cR1ZTKgEA
             */
            cursor: string;
        };
        /** A named position in the feed that the service keeps. An extension of Botyard. */
        FeedConsumer: {
            /**
             * As it was first written.
             * @example main
             */
            name: string;
            /**
             * Everything up to here is handled. Opaque.
             * @example AZ3vkq0cR1ZTKgEA
             */
            cursor: string;
            /** Events up to the end of the feed that are not handled. */
            lag: number;
            /**
             * Format: date-time
             * When it was last polled, within 5 s; left out before the first poll.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_polled_at?: string;
            /**
             * Format: date-time
             * When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** Consumers of the feed. */
        FeedConsumerList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["FeedConsumer"][];
        };
        /**
         * How far a consumer has handled the feed. An extension of Botyard.
         * @example {
         *       "cursor": "AZ3vkq0cR1ZTKgEA"
         *     }
         */
        MoveFeedConsumerRequest: {
            /**
             * Everything up to here is handled.
             * @example AZ3vkq0cR1ZTKgEA
             */
            cursor: string;
            /** Sets the position even where it goes back. */
            rewind?: boolean;
        };
        /**
         * What confirms that everything shall be erased. An extension of Botyard.
         * @example {
         *       "confirm": "alice"
         *     }
         */
        EraseOwnerRequest: {
            /**
             * Your user id.
             * @example alice
             */
            confirm: string;
        };
        /** How far an erasure has got. An extension of Botyard. */
        EraseStatus: {
            /** `erasing`: there is more, call again. `deleted`: everything is gone. An extension of Botyard. */
            status: components["schemas"]["ErasureProgress"];
        };
        /**
         * `erasing`: there is more, call again. `deleted`: everything is gone. An extension of Botyard.
         * @enum {string}
         */
        ErasureProgress: "erasing" | "deleted";
        /** What the platform lets an owner have. One that is below what the owner has already refuses new ones only. An extension of Botyard. */
        OwnerLimits: {
            /** Bots that the owner may have. Null: what the configuration of the service says. */
            bots: number | null;
            /** Channels that the owner may have. Null: what the configuration of the service says. */
            channels: number | null;
            /** Posts that the owner and the owner's bots may publish in a second, at each instance; edits, custom events and responses to interactions count too. Null: any. */
            posts_per_second: number | null;
            /** Webhooks of all bots of the owner together. Null: any. */
            destinations: number | null;
            /** Bytes of posts, edits and other events that the owner's channels may keep. They are counted within minutes. Null: what the configuration of the service says. */
            bytes_kept: number | null;
        };
        /** What the platform has decided about an owner. An extension of Botyard. */
        PlatformOwner: {
            /**
             * The owner's user id.
             * @example alice
             */
            user_id: string;
            /** Whether the owner is suspended. */
            suspended: boolean;
            /**
             * Format: date-time
             * Since when; left out while the owner is not suspended.
             * @example 2026-01-31T12:00:00.000Z
             */
            suspended_at?: string;
            /** Why, as the owner is told. */
            reason?: string;
            /** What the platform lets an owner have. One that is below what the owner has already refuses new ones only. An extension of Botyard. */
            limits: components["schemas"]["OwnerLimits"];
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** Owners of whom the platform has said something. An extension of Botyard. */
        PlatformOwnerList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["PlatformOwner"][];
        };
        /** Those that are left out stay as they are. An extension of Botyard. */
        PutOwnerLimits: {
            /** Bots that the owner may have. Null: what the configuration of the service says. */
            bots?: number | null;
            /** Channels that the owner may have. Null: what the configuration of the service says. */
            channels?: number | null;
            /** Posts that the owner and the owner's bots may publish in a second, at each instance; edits, custom events and responses to interactions count too. Null: any. */
            posts_per_second?: number | null;
            /** Webhooks of all bots of the owner together. Null: any. */
            destinations?: number | null;
            /** Bytes of posts, edits and other events that the owner's channels may keep. They are counted within minutes. Null: what the configuration of the service says. */
            bytes_kept?: number | null;
        };
        /**
         * What is left out stays as it is. An extension of Botyard.
         * @example {
         *       "suspended": true,
         *       "reason": "spam"
         *     }
         * @example {
         *       "limits": {
         *         "bots": 3,
         *         "posts_per_second": null
         *       }
         *     }
         */
        PutOwnerRequest: {
            /** True suspends the owner, false lifts that. */
            suspended?: boolean;
            /**
             * Format: clean-text
             * Why, with `suspended: true`. The owner sees it with each refusal.
             * @example spam: see the mail of 12 May
             */
            reason?: string;
            /** Those that are left out stay as they are. An extension of Botyard. */
            limits?: components["schemas"]["PutOwnerLimits"];
            /** Data of your own, given back unchanged: at most 4096 bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /**
         * Who has set a limit: the platform for this owner, or the service for all. An extension of Botyard.
         * @enum {string}
         */
        LimitSetter: "platform" | "service";
        /** A limit of an owner. An extension of Botyard. */
        OwnLimit: {
            /** The most there may be; null when there is no limit. */
            limit: number | null;
            /** Who has set a limit: the platform for this owner, or the service for all. An extension of Botyard. */
            set_by: components["schemas"]["LimitSetter"];
            /** Of bytes: how many there are, as far as they are counted. */
            used?: number;
        };
        /** What you may have, and publish. An extension of Botyard. */
        OwnLimits: {
            /** A limit of an owner. An extension of Botyard. */
            bots: components["schemas"]["OwnLimit"];
            /** A limit of an owner. An extension of Botyard. */
            channels: components["schemas"]["OwnLimit"];
            /** A limit of an owner. An extension of Botyard. */
            posts_per_second: components["schemas"]["OwnLimit"];
            /** A limit of an owner. An extension of Botyard. */
            destinations: components["schemas"]["OwnLimit"];
            /** A limit of an owner. An extension of Botyard. */
            bytes_kept: components["schemas"]["OwnLimit"];
        };
        /** What was used on one day. An extension of Botyard. */
        UsageDay: {
            /**
             * Format: date
             * The day in UTC.
             * @example 2026-05-12
             */
            day: string;
            /** Posts of the owner, of the platform for the owner, and of the owner's bots. */
            posts: number;
            /** Updates that were recorded for the owner's bots. */
            updates: number;
            /** Updates that their webhooks have accepted. */
            deliveries: number;
            /** Bytes of those posts, as they are stored: JSON with text, media and author. */
            bytes: number;
        };
        /** Usage by day. An extension of Botyard. */
        UsageDayList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["UsageDay"][];
        };
        /** What an owner has used on one day. An extension of Botyard. */
        OwnerUsageDay: {
            /**
             * The owner.
             * @example alice
             */
            user_id: string;
            /**
             * Format: date
             * The day in UTC.
             * @example 2026-05-12
             */
            day: string;
            /** Posts of the owner, of the platform for the owner, and of the owner's bots. */
            posts: number;
            /** Updates that were recorded for the owner's bots. */
            updates: number;
            /** Updates that their webhooks have accepted. */
            deliveries: number;
            /** Bytes of those posts, as they are stored: JSON with text, media and author. */
            bytes: number;
        };
        /** Usage of all owners by day. An extension of Botyard. */
        OwnerUsagePage: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["OwnerUsageDay"][];
            /** What to send as `after` for what follows; left out at the end. Opaque. */
            cursor?: string;
        };
        /**
         * Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard.
         * @enum {string}
         */
        DeliveryState: "pending" | "scheduled" | "delivered" | "failed" | "skipped";
        /**
         * Whether all consumers of the bot have handled an update. `unknown` while it has none: polls without a consumer's name leave no trace. An extension of Botyard.
         * @enum {string}
         */
        Reading: "handled" | "not_handled" | "unknown";
        /** An update as its bot sees it. The payload depends on `event_type`. Further kinds of events may be added: ignore those you do not know. */
        BotUpdate: components["schemas"]["ChannelPostCreatedUpdate"] | components["schemas"]["ChannelPostEditedUpdate"] | components["schemas"]["ChannelPostDeletedUpdate"] | components["schemas"]["ChannelUpdatedUpdate"] | components["schemas"]["BotAttachedUpdate"] | components["schemas"]["BotDetachedUpdate"] | components["schemas"]["InteractionCreatedUpdate"] | components["schemas"]["WebhookFailingUpdate"] | components["schemas"]["WebhookRecoveredUpdate"] | components["schemas"]["WebhookPausedUpdate"] | components["schemas"]["AlertAuditEntryUpdate"] | components["schemas"]["CustomEventUpdate"];
        /** An update as its bot sees it. */
        ChannelPostCreatedUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "channel.post_created";
            /** What happened. */
            payload: components["schemas"]["ChannelPostCreatedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        ChannelPostEditedUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "channel.post_edited";
            /** What happened. */
            payload: components["schemas"]["ChannelPostEditedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        ChannelPostDeletedUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "channel.post_deleted";
            /** What happened. */
            payload: components["schemas"]["ChannelPostDeletedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        ChannelUpdatedUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "channel.updated";
            /** What happened. */
            payload: components["schemas"]["ChannelUpdatedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        BotAttachedUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "bot.attached";
            /** What happened. */
            payload: components["schemas"]["BotAttachedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        BotDetachedUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "bot.detached";
            /** What happened. */
            payload: components["schemas"]["BotDetachedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        InteractionCreatedUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "interaction.created";
            /** What happened. */
            payload: components["schemas"]["InteractionCreatedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        WebhookFailingUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "webhook.failing";
            /** What happened. */
            payload: components["schemas"]["WebhookFailingPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        WebhookRecoveredUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "webhook.recovered";
            /** What happened. */
            payload: components["schemas"]["WebhookRecoveredPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        WebhookPausedUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "webhook.paused";
            /** What happened. */
            payload: components["schemas"]["WebhookPausedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        AlertAuditEntryUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "alert.audit_entry";
            /** What happened. */
            payload: components["schemas"]["AuditEntry"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** An update as its bot sees it. */
        CustomEventUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event, as its emitter called it.
             * @example ticket.opened
             */
            event_type: string;
            /** What the emitter gave. */
            payload: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** Updates of one bot. */
        BotUpdateList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["BotUpdate"][];
        };
        /** A named position in a bot's log. An extension of Botyard. */
        Consumer: {
            /**
             * As it was first written.
             * @example main
             */
            name: string;
            /**
             * Every update up to this number is handled.
             * @example 41
             */
            position: number;
            /**
             * Updates beyond the position that are handled too, ascending.
             * @example [
             *       44,
             *       45
             *     ]
             */
            done: number[];
            /** Numbers up to the end of the log that are not handled. */
            lag: number;
            /**
             * Format: date-time
             * When it was last polled, within 5 s; left out before the first poll.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_polled_at?: string;
            /**
             * Format: date-time
             * When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** Consumers of one bot. */
        ConsumerList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["Consumer"][];
        };
        /**
         * How far a consumer has handled its bot's updates. An extension of Botyard.
         * @example {
         *       "position": 41
         *     }
         */
        MoveConsumerRequest: {
            /**
             * Every update up to this number is handled.
             * @example 41
             */
            position: number;
            /**
             * Updates beyond the position that are handled too, in any order. They are added to those sent before. Those that follow the position without a gap advance it.
             * @example [
             *       44,
             *       45
             *     ]
             */
            done?: number[];
            /** Sets the position even if it is a lower one, and forgets what was done beyond it but for `done`. */
            rewind?: boolean;
        };
        /** An update that a bot's program failed to handle and tries no more. An extension of Botyard. */
        GivenUp: {
            /**
             * The `update_id` of an update.
             * @example 42
             */
            update_id: number;
            /**
             * The consumer that the program reads for, in lower case.
             * @example main
             */
            consumer: string;
            /**
             * Why, in the program's words.
             * @example TypeError: price is undefined
             */
            error: string;
            /**
             * Format: date-time
             * When the program gave it up, for the last time.
             * @example 2026-01-31T12:00:00.000Z
             */
            given_up_at: string;
            /**
             * Format: date-time
             * When its owner asked for it to be handled again; left out before, and once it was given up again.
             * @example 2026-01-31T12:00:00.000Z
             */
            handed_in_at?: string;
        };
        /** Updates that a bot's programs gave up. */
        GivenUpList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["GivenUp"][];
        };
        /** The answer of a bot's change of its list. An extension of Botyard. */
        GivenUpStatus: {
            /**
             * What the update is now.
             * @example given_up
             */
            status: string;
        };
        /**
         * Why a program gives an update up. An extension of Botyard.
         * @example {
         *       "error": "TypeError: price is undefined"
         *     }
         */
        GiveUpRequest: {
            /**
             * Format: clean-text
             * Why, for the owner to read.
             * @example TypeError: price is undefined
             */
            error: string;
        };
        /**
         * Which updates are to be handled again. An extension of Botyard.
         * @example {
         *       "update_ids": [
         *         42
         *       ]
         *     }
         */
        HandInRequest: {
            /** Which of them. */
            update_ids?: number[];
            /** In place of `update_ids`: all that are listed. */
            all?: boolean;
        };
        /** How many updates are to be handled again. An extension of Botyard. */
        HandInResult: {
            /** Updates in the list that the program is asked to handle again. */
            handed_in: number;
        };
        /** An update with the state of its delivery, as the bot's owner sees it. The payload depends on `event_type`. Further kinds of events may be added: ignore those you do not know. */
        OwnerUpdate: components["schemas"]["ChannelPostCreatedOwnerUpdate"] | components["schemas"]["ChannelPostEditedOwnerUpdate"] | components["schemas"]["ChannelPostDeletedOwnerUpdate"] | components["schemas"]["ChannelUpdatedOwnerUpdate"] | components["schemas"]["BotAttachedOwnerUpdate"] | components["schemas"]["BotDetachedOwnerUpdate"] | components["schemas"]["InteractionCreatedOwnerUpdate"] | components["schemas"]["WebhookFailingOwnerUpdate"] | components["schemas"]["WebhookRecoveredOwnerUpdate"] | components["schemas"]["WebhookPausedOwnerUpdate"] | components["schemas"]["AlertAuditEntryOwnerUpdate"] | components["schemas"]["CustomEventOwnerUpdate"];
        /** An update with the state of its delivery, as the bot's owner sees it. */
        ChannelPostCreatedOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "channel.post_created";
            /** What happened. */
            payload: components["schemas"]["ChannelPostCreatedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        ChannelPostEditedOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "channel.post_edited";
            /** What happened. */
            payload: components["schemas"]["ChannelPostEditedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        ChannelPostDeletedOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "channel.post_deleted";
            /** What happened. */
            payload: components["schemas"]["ChannelPostDeletedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        ChannelUpdatedOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "channel.updated";
            /** What happened. */
            payload: components["schemas"]["ChannelUpdatedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        BotAttachedOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "bot.attached";
            /** What happened. */
            payload: components["schemas"]["BotAttachedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        BotDetachedOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "bot.detached";
            /** What happened. */
            payload: components["schemas"]["BotDetachedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        InteractionCreatedOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "interaction.created";
            /** What happened. */
            payload: components["schemas"]["InteractionCreatedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        WebhookFailingOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "webhook.failing";
            /** What happened. */
            payload: components["schemas"]["WebhookFailingPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        WebhookRecoveredOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "webhook.recovered";
            /** What happened. */
            payload: components["schemas"]["WebhookRecoveredPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        WebhookPausedOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "webhook.paused";
            /** What happened. */
            payload: components["schemas"]["WebhookPausedPayload"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        AlertAuditEntryOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @enum {string}
             */
            event_type: "alert.audit_entry";
            /** What happened. */
            payload: components["schemas"]["AuditEntry"];
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** An update with the state of its delivery, as the bot's owner sees it. */
        CustomEventOwnerUpdate: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event, as its emitter called it.
             * @example ticket.opened
             */
            event_type: string;
            /** What the emitter gave. */
            payload: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** Updates of one bot with the state of their delivery. */
        OwnerUpdateList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["OwnerUpdate"][];
            /** Only of a search that has not looked at everything: the `before` with which to go on. It may be there without items. */
            stopped_at?: number;
        };
        /** An update whose delivery failed at least once, without its payload. */
        WebhookError: {
            /**
             * Counts 1, 2, 3 … per bot, without gaps.
             * @example 42
             */
            update_id: number;
            /**
             * The kind of event.
             * @example channel.post_created
             */
            event_type: string;
            /**
             * Format: date-time
             * When the update was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * The channel that it happened in; left out when there is none, or it is gone.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            channel_id?: string;
            /** Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: date-time
             * When the receiver accepted it; left out until then.
             * @example 2026-01-31T12:00:00.000Z
             */
            delivered_webhook_at?: string;
            /** Attempts to deliver it, all replays included. */
            webhook_attempt_count: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Why the last failed attempt failed; empty when none has failed.
             * @example 502 Bad Gateway
             */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
        };
        /** Updates whose delivery failed. */
        WebhookErrorList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["WebhookError"][];
        };
        /** Undelivered updates that failed for the same reason. An extension of Botyard. */
        ErrorGroup: {
            /**
             * Why the last attempt failed, as in `last_delivery_error`.
             * @example 502 Bad Gateway
             */
            error: string;
            /** Updates that failed for good. */
            failed: number;
            /** Updates that wait for a retry. */
            scheduled: number;
            /**
             * Format: date-time
             * When the oldest of them first failed for this reason, as far as its attempts are kept; after the largest 50 groups the earliest of their last attempts.
             * @example 2026-01-31T12:00:00.000Z
             */
            first_attempted_at: string;
            /**
             * Format: date-time
             * The latest of their last attempts.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at: string;
            /** The update that was attempted last. */
            example_update_id: number;
        };
        /** What failed and is not delivered, by its reason. An extension of Botyard. */
        ErrorGroups: {
            /** The largest group first. */
            items: components["schemas"]["ErrorGroup"][];
            /** Whether older updates were left out, because there are very many. */
            is_partial: boolean;
        };
        /** A bot of a channel, and its update of a post, without the payload. Without `update` the bot did not hear the post, or the update has expired. An extension of Botyard. */
        PostUpdate: {
            /** A bot as its owner sees it. */
            bot: components["schemas"]["Bot"];
            /** An update whose delivery failed at least once, without its payload. */
            update?: components["schemas"]["WebhookError"];
            /** Only without a webhook, of what was neither delivered nor given up. An extension of Botyard. */
            reading?: components["schemas"]["Reading"];
        };
        /** What became of a post in the bots of its channel. An extension of Botyard. */
        PostUpdateList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["PostUpdate"][];
        };
        /**
         * How far back: an hour by minutes, a day by quarters of an hour, or a week by hours. An extension of Botyard.
         * @enum {string}
         */
        TimelineRange: "1h" | "24h" | "7d";
        /** Counts of the attempts that ended in one interval. An extension of Botyard. */
        TimelineInterval: {
            /**
             * Format: date-time
             * When the interval begins.
             * @example 2026-01-31T12:00:00.000Z
             */
            start: string;
            /** Attempts that were accepted. */
            delivered: number;
            /** Attempts that failed and are tried again. */
            retried: number;
            /** Attempts that failed for good. */
            failed: number;
            /** The median time until an attempt was answered or failed; left out without attempts. */
            p50_ms?: number;
            /** The 99th percentile of that time. */
            p99_ms?: number;
            /** Updates pending or scheduled at the interval's last attempt; in the last interval, now. */
            backlog?: number;
            /** The age of the oldest update attempted. */
            oldest_ms?: number;
            /** Only without a webhook: updates that were recorded and have not expired, counted by their numbers. */
            recorded?: number;
        };
        /** How a bot's deliveries went over a while. An extension of Botyard. */
        Timeline: {
            /** How far back: an hour by minutes, a day by quarters of an hour, or a week by hours. An extension of Botyard. */
            range: components["schemas"]["TimelineRange"];
            /** The length of an interval. */
            interval_seconds: number;
            /** Every interval of the range, oldest first; the last one is in progress. */
            items: components["schemas"]["TimelineInterval"][];
        };
        /**
         * The kind of failure, as in the service's metrics. An extension of Botyard.
         * @enum {string}
         */
        FailureClass: "redirect" | "client_error" | "server_error" | "timeout" | "host_not_found" | "unreachable" | "tls" | "bad_answer" | "not_allowed" | "proxy" | "unreadable" | "other";
        /** A failed attempt to deliver an update. An extension of Botyard. */
        FailedAttempt: {
            /** Which attempt of the update it was, from 1. */
            attempt: number;
            /**
             * Format: date-time
             * When the attempt began.
             * @example 2026-01-31T12:00:00.000Z
             */
            attempted_at: string;
            /** How long it took until the answer, or until it failed. */
            duration_ms: number;
            /** The status of the answer; left out when there was no complete answer. */
            status?: number;
            /** Why it failed, as in `last_delivery_error`. */
            error: string;
            /** The kind of failure, as in the service's metrics. An extension of Botyard. */
            error_class: components["schemas"]["FailureClass"];
            /** The first 1 KiB of the answer's body as text; empty when there was none, when several updates were sent together, and once the event is erased. */
            response_body: string;
        };
        /** Failed attempts to deliver one update. An extension of Botyard. */
        FailedAttemptList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["FailedAttempt"][];
        };
        /**
         * Failed for good, or waiting for a retry. An extension of Botyard.
         * @enum {string}
         */
        UndeliveredState: "failed" | "scheduled";
        /**
         * Why a webhook is paused: its receiver has answered 410, has failed for as long as `auto_pause` says, or its owner or the platform has paused it. An extension of Botyard.
         * @enum {string}
         */
        PauseReason: "gone" | "failing" | "owner" | "platform";
        /**
         * What an update waits for before it is sent: nothing, or the one before it, of its channel or of its bot. An extension of Botyard.
         * @enum {string}
         */
        DeliveryOrder: "none" | "channel" | "bot";
        /** A new secret token of a webhook. An extension of Botyard. */
        RotatedSecret: {
            /** The new secret, `whsec_` and base64: of the form of Standard Webhooks. It is shown only here. */
            secret_token: string;
            /**
             * Format: date-time
             * Until when those before still sign; left out when none does.
             * @example 2026-01-31T12:00:00.000Z
             */
            previous_until?: string;
        };
        /** A bot's webhook and how its receiver has been answering. */
        WebhookConfig: {
            /** Where updates are sent; empty when no webhook is configured. */
            url: string;
            /** Whether a secret token is set. The secret itself is never returned. */
            has_secret_token: boolean;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Format: date-time
             * When the last update was accepted; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_delivered_at?: string;
            /** Why the last attempt failed; empty after a success. */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /**
             * Format: date-time
             * Since when every attempt has failed; left out when the last one was accepted or none was made.
             */
            failing_since?: string;
            /** Undelivered updates, those waiting for a retry included. */
            pending_update_count: number;
            /**
             * Format: date-time
             * Present while delivery is paused. An extension of Botyard.
             */
            paused_at?: string;
            /** Why a webhook is paused: its receiver has answered 410, has failed for as long as `auto_pause` says, or its owner or the platform has paused it. An extension of Botyard. */
            pause_reason?: components["schemas"]["PauseReason"];
            /** The kinds of events that are sent; left out when all are. */
            event_types?: string[];
            /** In which order updates are sent; left out when that is `none`. An extension of Botyard. */
            order?: components["schemas"]["DeliveryOrder"];
            /** After how many refusals an update is set aside; left out when it is 5. */
            hold_attempts?: number;
            /** After how long of failing it is paused; left out when that is `5d`. */
            auto_pause?: string;
            /** The most updates of one request; left out when each has its own. */
            max_batch?: number;
            /** The most requests at once; left out when it is 16. */
            max_in_flight?: number;
            /** The most requests a second; left out when there is no limit. */
            max_per_second?: number;
            /** The names of the headers that are set with `headers`; left out when there are none. The values are never returned. */
            header_names?: string[];
            /**
             * Format: date-time
             * Until when a secret token that was replaced by `rotateWebhookSecret` still signs; left out when none does.
             */
            previous_secret_until?: string;
        };
        /** One of a bot's webhooks and how its receiver has been answering. An extension of Botyard. */
        NamedWebhookConfig: {
            /**
             * The webhook's name, unique among those of its bot, whatever the case.
             * @example audit
             */
            name: string;
            /** Where updates are sent; empty when no webhook is configured. */
            url: string;
            /** Whether a secret token is set. The secret itself is never returned. */
            has_secret_token: boolean;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Format: date-time
             * When the last update was accepted; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_delivered_at?: string;
            /** Why the last attempt failed; empty after a success. */
            last_delivery_error: string;
            /**
             * Format: date-time
             * When the next retry is due; null when none is scheduled.
             */
            next_retry_at: string | null;
            /**
             * Format: date-time
             * Since when every attempt has failed; left out when the last one was accepted or none was made.
             */
            failing_since?: string;
            /** Undelivered updates, those waiting for a retry included. */
            pending_update_count: number;
            /**
             * Format: date-time
             * Present while delivery is paused. An extension of Botyard.
             */
            paused_at?: string;
            /** Why a webhook is paused: its receiver has answered 410, has failed for as long as `auto_pause` says, or its owner or the platform has paused it. An extension of Botyard. */
            pause_reason?: components["schemas"]["PauseReason"];
            /** The kinds of events that are sent; left out when all are. */
            event_types?: string[];
            /** In which order updates are sent; left out when that is `none`. An extension of Botyard. */
            order?: components["schemas"]["DeliveryOrder"];
            /** After how many refusals an update is set aside; left out when it is 5. */
            hold_attempts?: number;
            /** After how long of failing it is paused; left out when that is `5d`. */
            auto_pause?: string;
            /** The most updates of one request; left out when each has its own. */
            max_batch?: number;
            /** The most requests at once; left out when it is 16. */
            max_in_flight?: number;
            /** The most requests a second; left out when there is no limit. */
            max_per_second?: number;
            /** The names of the headers that are set with `headers`; left out when there are none. The values are never returned. */
            header_names?: string[];
            /**
             * Format: date-time
             * Until when a secret token that was replaced by `rotateWebhookSecret` still signs; left out when none does.
             */
            previous_secret_until?: string;
        };
        /** The webhooks of a bot. An extension of Botyard. */
        WebhookList: {
            /** The items, in the order that the operation names. */
            items: components["schemas"]["NamedWebhookConfig"][];
        };
        /** What the receiver answered to a test event, or to an update that was sent again. An extension of Botyard. */
        WebhookTestResult: {
            /** Whether the receiver accepted it. */
            delivered: boolean;
            /** The status of the receiver's answer; left out when it gave none. */
            status?: number;
            /** As in `last_delivery_error`; empty when it was delivered. */
            error: string;
            /** From the start of the attempt to the end of the answer. */
            duration_ms: number;
            /** At most the first 1 KiB of the answer, as text. */
            response_body: string;
            /** True when the receiver was only probed after failures, and this test event has started deliveries again at once; else left out. */
            recovery_started?: boolean;
        };
        /**
         * Where to send a bot's updates.
         * @example {
         *       "url": "https://example.com/hook"
         *     }
         */
        PutWebhookRequest: {
            /**
             * Format: clean-text
             * Where updates are delivered: an absolute http or https URL without user name, password or fragment. Loopback, private and link-local addresses are refused unless the service is configured to allow them.
             * @example https://example.com/hook
             */
            url: string;
            /**
             * Sent with every delivery and used as the key of its signature. Left out: the stored one stays, unless the URL's origin changes: then it is removed. Empty: the stored one is removed. `whsec_` and the base64 of 24 to 64 bytes: deliveries carry the headers of Standard Webhooks too.
             * @example at-least-32-random-characters-of-yours
             */
            secret_token?: string;
            /**
             * Which undelivered updates a webhook is sent that is newly set or gets another URL: `"backlog"`, all of them; `"now"`, those recorded from now on; the digits of a number, `"42"`, those from that `update_id` on; `"consumer:NAME"`, those that this consumer of the bot has not handled. Left out: those that no consumer has handled; for a new webhook with another name than `default`, those from now on. The others are skipped: they stay in the log, count as skipped, and are never sent. Without effect while the URL stays the same. An extension of Botyard.
             * @example backlog
             */
            deliver_from?: string;
            /** What an update waits for: with `channel` and `bot` it is not sent before the one before it, of its channel or of the bot, was accepted, has failed for good, or was set aside after `hold_attempts`. A channel that waits holds up no other one. With `bot` there is one request at a time. Left out: it stays as it is, `none` at first. Another value makes what waits for a retry due at once. An extension of Botyard. */
            order?: components["schemas"]["DeliveryOrder"];
            /**
             * With an `order`: after so many refusals an update is set aside. It has failed, as after the last wait of the retry schedule, and can be replayed; the next one is sent. Refusals together with others count as one: of a batch, as many as it can be halved, 6 for 100. Left out: it stays as it is, 5 at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 5
             */
            hold_attempts?: number;
            /**
             * The most updates of one request. Above 1 each body is `{"items": [BotUpdate, …]}`, also with one update: the `webhooks` section has it. Left out: it stays as it is, 1 at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 1
             */
            max_batch?: number;
            /**
             * The most requests at once. A receiver gets fewer until it has accepted some. Left out: it stays as it is, 16 at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 16
             */
            max_in_flight?: number;
            /**
             * The most requests a second, retries included, at even intervals; what has to wait stays pending. Test events and updates that are sent again by hand do not count. 0: no limit. Left out: it stays as it is, without a limit at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 0
             */
            max_per_second?: number;
            /**
             * After how long without a success a receiver that keeps failing is paused: a duration from `1s` to `365d`, or `off`. Its updates stay, and are sent when the webhook is resumed or gets another URL. A receiver that answers 410 is paused at once, whatever is set. Left out: it stays as it is, `5d` at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 5d
             */
            auto_pause?: string;
            /**
             * The kinds of events that are sent, of those that the bot hears: as in a subscription. What is of other kinds is skipped. `[]` or `["*"]`: all. Left out: it stays as it is, all at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example [
             *       "channel.post_created",
             *       "ticket.*"
             *     ]
             */
            event_types?: string[];
            /**
             * Headers that each request carries beside ours, such as `Authorization`: at most 20, and 8 KiB of names and values. Values are visible ASCII and are stored like the secret: encrypted, and never returned. Not `Host`, `Content-…`, those of a connection, or what the service sets itself. `{}` removes them. Left out: they stay as they are, unless the URL's origin changes: then they are removed. An extension of Botyard.
             * @example {
             *       "Authorization": "Bearer 4f1c"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
        };
        /**
         * Where to tell of your webhooks. An extension of Botyard.
         * @example {
         *       "url": "https://example.com/alerts"
         *     }
         */
        PutAlertsRequest: {
            /**
             * Format: clean-text
             * Where updates are delivered: an absolute http or https URL without user name, password or fragment. Loopback, private and link-local addresses are refused unless the service is configured to allow them.
             * @example https://example.com/hook
             */
            url: string;
            /**
             * Sent with every delivery and used as the key of its signature. Left out: the stored one stays, unless the URL's origin changes: then it is removed. Empty: the stored one is removed. `whsec_` and the base64 of 24 to 64 bytes: deliveries carry the headers of Standard Webhooks too.
             * @example at-least-32-random-characters-of-yours
             */
            secret_token?: string;
            /** What an update waits for: with `channel` and `bot` it is not sent before the one before it, of its channel or of the bot, was accepted, has failed for good, or was set aside after `hold_attempts`. A channel that waits holds up no other one. With `bot` there is one request at a time. Left out: it stays as it is, `none` at first. Another value makes what waits for a retry due at once. An extension of Botyard. */
            order?: components["schemas"]["DeliveryOrder"];
            /**
             * With an `order`: after so many refusals an update is set aside. It has failed, as after the last wait of the retry schedule, and can be replayed; the next one is sent. Refusals together with others count as one: of a batch, as many as it can be halved, 6 for 100. Left out: it stays as it is, 5 at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 5
             */
            hold_attempts?: number;
            /**
             * The most updates of one request. Above 1 each body is `{"items": [BotUpdate, …]}`, also with one update: the `webhooks` section has it. Left out: it stays as it is, 1 at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 1
             */
            max_batch?: number;
            /**
             * The most requests at once. A receiver gets fewer until it has accepted some. Left out: it stays as it is, 16 at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 16
             */
            max_in_flight?: number;
            /**
             * The most requests a second, retries included, at even intervals; what has to wait stays pending. Test events and updates that are sent again by hand do not count. 0: no limit. Left out: it stays as it is, without a limit at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 0
             */
            max_per_second?: number;
            /**
             * After how long without a success a receiver that keeps failing is paused: a duration from `1s` to `365d`, or `off`. Its updates stay, and are sent when the webhook is resumed or gets another URL. A receiver that answers 410 is paused at once, whatever is set. Left out: it stays as it is, `5d` at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example 5d
             */
            auto_pause?: string;
            /**
             * The kinds of events that are sent, of those that the bot hears: as in a subscription. What is of other kinds is skipped. `[]` or `["*"]`: all. Left out: it stays as it is, all at first. Another value makes what waits for a retry due at once. An extension of Botyard.
             * @example [
             *       "channel.post_created",
             *       "ticket.*"
             *     ]
             */
            event_types?: string[];
            /**
             * Headers that each request carries beside ours, such as `Authorization`: at most 20, and 8 KiB of names and values. Values are visible ASCII and are stored like the secret: encrypted, and never returned. Not `Host`, `Content-…`, those of a connection, or what the service sets itself. `{}` removes them. Left out: they stay as they are, unless the URL's origin changes: then they are removed. An extension of Botyard.
             * @example {
             *       "Authorization": "Bearer 4f1c"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
        };
        /**
         * Where to send the feed. An extension of Botyard.
         * @example {
         *       "url": "https://example.com/feed"
         *     }
         */
        PutFeedWebhookRequest: {
            /**
             * Format: clean-text
             * Where updates are delivered: an absolute http or https URL without user name, password or fragment. Loopback, private and link-local addresses are refused unless the service is configured to allow them.
             * @example https://example.com/hook
             */
            url: string;
            /**
             * Sent with every delivery and used as the key of its signature. Left out: the stored one stays, unless the URL's origin changes: then it is removed. Empty: the stored one is removed. `whsec_` and the base64 of 24 to 64 bytes: deliveries carry the headers of Standard Webhooks too.
             * @example at-least-32-random-characters-of-yours
             */
            secret_token?: string;
            /**
             * The most items of one request. Left out: it stays as it is, 100 at first.
             * @example 100
             */
            max_batch?: number;
            /**
             * Headers that each request carries beside ours, such as `Authorization`: at most 20, and 8 KiB of names and values. Values are visible ASCII and are stored like the secret: encrypted, and never returned. Not `Host`, `Content-…`, those of a connection, or what the service sets itself. `{}` removes them. Left out: they stay as they are, unless the URL's origin changes: then they are removed. An extension of Botyard.
             * @example {
             *       "Authorization": "Bearer 4f1c"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
        };
        /** The webhook of the platform's feed and how its receiver has been answering. An extension of Botyard. */
        FeedWebhookConfig: {
            /** Where the feed is sent; empty when no webhook is set. */
            url: string;
            /** Whether a secret token is set. The secret itself is never returned. */
            has_secret_token: boolean;
            /** The names of the headers that are set with `headers`; left out when there are none. The values are never returned. */
            header_names?: string[];
            /** The most items of one request. */
            max_batch: number;
            /**
             * Format: date-time
             * When the last attempt began; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempted_at?: string;
            /**
             * Format: date-time
             * When the last update was accepted; left out before the first.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_delivered_at?: string;
            /** Why the last attempt failed; empty after a success. */
            last_delivery_error: string;
            /**
             * Format: date-time
             * Since when every attempt has failed; left out when the last one was accepted or none was made.
             */
            failing_since?: string;
            /** Items of the feed that it has not accepted yet. */
            pending_item_count: number;
        };
        /**
         * Which updates to requeue. May be left out. An extension of Botyard.
         * @example {
         *       "update_ids": [
         *         41,
         *         42
         *       ]
         *     }
         */
        ReplayRequest: {
            /** Only these are requeued, as far as they have failed or wait for a retry. Not together with `limit`. */
            update_ids?: number[];
        };
        /** How many failed updates were put back in the delivery queue. */
        ReplayResult: {
            /**
             * The bot.
             * @example 0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41
             */
            bot_id: string;
            /** Failed updates put back in the delivery queue. */
            requeued: number;
            /** The most one call can requeue. */
            max_window: number;
        };
        /** The answer to a removal. */
        DeleteStatus: {
            /**
             * What was done.
             * @example deleted
             */
            status: string;
        };
        /** The body of every answer that is not a success. */
        Error: {
            /**
             * What is wrong and how to fix it.
             * @example limit must be an integer from 1 to 100
             */
            error: string;
        };
        /**
         * Why a request was refused: the header `Botyard-Error`. An extension of Botyard. Codes keep their meaning; later versions may have more.
         *
         *     - `invalid_input` (400): A field, a parameter or a header is not what it must be; the message names it.
         *     - `invalid_json` (400): The body is not JSON, not whole, or not UTF-8, or has keys that change prototypes.
         *     - `body_too_large` (400): The body has more bytes than the service accepts.
         *     - `unsupported_media_type` (400): `Content-Type` is not `application/json`, or the body is compressed.
         *     - `invalid_http` (400): What was sent is not HTTP as the service accepts it.
         *     - `headers_too_large` (400): The header fields have more bytes than the service accepts.
         *     - `request_timeout` (400): The request did not arrive as a whole in time.
         *     - `conflicting_parameters` (400): Two parameters exclude each other.
         *     - `invalid_owner_header` (400): The platform's token goes with one user id in `Botyard-Owner`, except for the feed, and an owner token without that header.
         *     - `invalid_cursor` (400): `before`, `after`, `cursor` or `Last-Event-ID` is nothing that an answer of this list can have had.
         *     - `invalid_idempotency_key` (400): `Idempotency-Key` is not 1 to 255 visible ASCII characters.
         *     - `nothing_to_change` (400): The request would change nothing: it has no field to change.
         *     - `field_fixed` (400): The request names a field that cannot be changed.
         *     - `revision_conflict` (400): It was changed since it was read: read it again, and decide again.
         *     - `username_taken` (400): Another bot of the service has this username.
         *     - `owner_needed` (400): An external id needs `Botyard-Owner`: it is one owner's.
         *     - `slug_taken` (400): Another channel of the service has this slug.
         *     - `external_id_taken` (400): Another channel of the owner has this external id.
         *     - `slug_fixed` (400): The channel of this external id has another slug, which cannot be changed.
         *     - `unknown_bot` (400): `bot_ids` or `bots` names a bot that is neither the owner's nor listed.
         *     - `direct_channel` (400): The channel is a direct one: no bot but its own may be attached to it.
         *     - `too_many_bots_in_channel` (400): The channel has more bots than are set at once.
         *     - `too_many_bots` (400): The owner has as many bots as one may have.
         *     - `too_many_channels` (400): The owner has as many channels as one may have, or the bot is attached to as many of the owner's as one may be.
         *     - `bot_full` (400): The bot is attached to as many channels of all owners as one may be.
         *     - `too_many_consumers` (400): The bot, or the feed, has as many consumers as one may have.
         *     - `too_many_webhooks` (400): The bot, or the owner, has as many webhooks as they may have.
         *     - `too_many_bytes` (400): The channels of the owner keep as many bytes of posts and other events as they may: delete some.
         *     - `blank_body` (400): The text of the post is only white space, or it has neither text nor media.
         *     - `invalid_created_at` (400): `created_at` of a post is before the year 2000, in the future or a leap second, or the post is not `silent`.
         *     - `reply_not_found` (400): `reply_to` names no post of the same channel that the author may read.
         *     - `invalid_commands` (400): Commands, options or choices are named twice, in a wrong order, or of a wrong type.
         *     - `invalid_components` (400): A component of the post lacks what its type needs, has what another type has, or its id twice.
         *     - `unknown_command` (400): The bot offers no command of this name.
         *     - `invalid_options` (400): The options of a command are not those that it has.
         *     - `unknown_component` (400): There is no component of this id that can be pressed.
         *     - `invalid_values` (400): The values that were chosen are not what the component allows.
         *     - `bot_disabled` (400): The bot is disabled.
         *     - `bot_is_reader` (400): The bot is in the channel as `reader`: it could not respond.
         *     - `interaction_expired` (400): The interaction takes no more responses: its time is over.
         *     - `too_many_responses` (400): The interaction has as many responses as one may have.
         *     - `no_pressed_post` (400): The interaction is not of a post, so that none can be edited.
         *     - `too_many_secrets` (400): As many secrets that were replaced sign still as may: wait, or end them with `overlap=0s`.
         *     - `invalid_secret_token` (400): A secret token that begins with `whsec_` is not of the form of Standard Webhooks.
         *     - `too_deep` (400): JSON is nested deeper than the service accepts.
         *     - `too_large` (400): `media`, `components`, `payload`, `metadata`, `commands` or `command.options` has more bytes than the service accepts.
         *     - `unclean_text` (400): `payload`, `metadata` or `command.options` contains NUL characters or unpaired surrogates.
         *     - `invalid_event_type` (400): `event_type`, or an entry of `event_types`, is not the name of a kind.
         *     - `reserved_event_type` (400): Kinds that begin so are the service's own.
         *     - `unknown_event_type` (400): No event of the service is of the kind that is subscribed to.
         *     - `invalid_headers` (400): `headers` has one that a webhook may not have.
         *     - `invalid_auto_pause` (400): `auto_pause` is neither a duration from `1s` to `365d` nor `off`.
         *     - `invalid_overlap` (400): `overlap` is not a duration from `0s` to `24h`.
         *     - `secret_unreadable` (400): No key opens the stored secret token of the webhook: set it anew.
         *     - `invalid_url` (400): `url` is not a URL that a webhook may have.
         *     - `address_not_allowed` (400): `url` has an address that the service does not deliver to.
         *     - `host_not_allowed` (400): `url` has a host that the service is not configured to deliver to.
         *     - `no_webhook` (400): The bot has no webhook.
         *     - `deliveries_off` (400): The service sends nothing to webhooks: `DELIVERIES=off`, or `botyard deliveries off`.
         *     - `not_delivered` (400): Only an update that was delivered can be sent again.
         *     - `not_waiting` (400): Only an update that is pending or scheduled can be skipped.
         *     - `webhook_conflict` (400): Others set the webhook at the same time: try again.
         *     - `unknown_consumer` (400): `deliver_from` names a consumer that the bot does not have.
         *     - `beyond_log` (400): A number is beyond the end of the bot's log.
         *     - `position_backwards` (400): The consumer is further already; only `rewind` moves it back.
         *     - `too_many_done` (400): `done` and what was sent before have too many numbers.
         *     - `feed_position_expired` (400): Events that followed the cursor have expired: read the feed from the oldest that is kept.
         *     - `feed_changed` (400): The cursor is of another feed: read from the oldest event that is kept.
         *     - `wrong_confirmation` (400): `confirm` is not the owner's user id.
         *     - `credential_missing` (401): The request has no bearer token.
         *     - `credential_wrong_kind` (401): A token of a bot was sent where one of an owner or of the platform belongs, or the reverse.
         *     - `token_invalid` (401): The token is unknown, rotated, of a disabled or deleted bot, or not signed as it must be.
         *     - `token_expired` (401): The owner token has expired.
         *     - `owner_suspended` (401): The platform has suspended the owner, of the token or of the bot; the message says why.
         *     - `keys_unavailable` (401): The keys that check owner tokens cannot be fetched now.
         *     - `forbidden` (403): The caller may not do this.
         *     - `not_attached` (403): The bot is not attached to the channel.
         *     - `read_only` (403): The bot is in the channel as `reader`: it may not post there.
         *     - `disabled_by_platform` (403): The platform disabled the bot, and it alone enables it again.
         *     - `not_author` (403): The bot did not publish the post.
         *     - `not_found` (404): What the request refers to does not exist, or belongs to another owner.
         *     - `bot_not_found` (404): The bot does not exist, or belongs to another owner.
         *     - `webhook_not_found` (404): The bot has no webhook of this name, or does not exist, or belongs to another owner.
         *     - `channel_not_found` (404): The channel does not exist, or belongs to another owner.
         *     - `post_not_found` (404): The channel has no such post.
         *     - `interaction_not_found` (404): The channel, or the bot, has no such interaction, or it expired with the updates of its time.
         *     - `response_not_found` (404): The channel has no such response to an interaction.
         *     - `update_not_found` (404): The bot's log has no such update.
         *     - `consumer_not_found` (404): The bot, or the feed, has no such consumer.
         *     - `feed_off` (404): The feed of the platform is not switched on: `PLATFORM_FEED`.
         *     - `attachment_not_found` (404): The bot does not exist, or is not attached to the channel.
         *     - `route_not_found` (404): There is no such path, or not with this method.
         *     - `too_many_batches` (429): Batches of the caller, or of all callers, hold as much memory as they may, or the caller's own take some seconds already.
         *     - `rate_limited` (429): Too many requests of this credential, or failing ones of this address.
         *     - `too_many_polls` (429): As many polls and streams of the bot, or of the feed, wait as may.
         *     - `owner_moving` (429): The owner is being moved to another database: for a moment nothing of theirs can be changed.
         *     - `too_many_posts` (429): More posts wait to be stored than the service takes on, and the owner has more than an equal share of them.
         *     - `owner_post_limit` (429): The owner and their bots have published as many posts in a second as the platform lets them.
         *     - `too_many_edits` (429): The post was edited as often as it may be in a second.
         *     - `bot_loop` (429): Bots of the channel answer each other, and have published as much as they may without a post of a person (`MAX_BOT_LOOP_POSTS`).
         *     - `too_many_tests` (429): The webhook was sent as many test events as it may be in a minute.
         *     - `too_many_sent_again` (429): As many updates of the bot were sent again as may be in a minute.
         *     - `too_many_exports` (429): The owner has begun as many exports as one may in a minute.
         *     - `export_running` (429): An export of the owner is running.
         *     - `internal_error` (500): A fault of the service, which its log describes.
         *     - `unavailable` (503): The service cannot reach its storage now.
         *     - `stopping` (503): The service is stopping.
         * @enum {string}
         */
        ErrorCode: "invalid_input" | "invalid_json" | "body_too_large" | "unsupported_media_type" | "invalid_http" | "headers_too_large" | "request_timeout" | "conflicting_parameters" | "invalid_owner_header" | "invalid_cursor" | "invalid_idempotency_key" | "nothing_to_change" | "field_fixed" | "revision_conflict" | "username_taken" | "owner_needed" | "slug_taken" | "external_id_taken" | "slug_fixed" | "unknown_bot" | "direct_channel" | "too_many_bots_in_channel" | "too_many_bots" | "too_many_channels" | "bot_full" | "too_many_consumers" | "too_many_webhooks" | "too_many_bytes" | "blank_body" | "invalid_created_at" | "reply_not_found" | "invalid_commands" | "invalid_components" | "unknown_command" | "invalid_options" | "unknown_component" | "invalid_values" | "bot_disabled" | "bot_is_reader" | "interaction_expired" | "too_many_responses" | "no_pressed_post" | "too_many_secrets" | "invalid_secret_token" | "too_deep" | "too_large" | "unclean_text" | "invalid_event_type" | "reserved_event_type" | "unknown_event_type" | "invalid_headers" | "invalid_auto_pause" | "invalid_overlap" | "secret_unreadable" | "invalid_url" | "address_not_allowed" | "host_not_allowed" | "no_webhook" | "deliveries_off" | "not_delivered" | "not_waiting" | "webhook_conflict" | "unknown_consumer" | "beyond_log" | "position_backwards" | "too_many_done" | "feed_position_expired" | "feed_changed" | "wrong_confirmation" | "credential_missing" | "credential_wrong_kind" | "token_invalid" | "token_expired" | "owner_suspended" | "keys_unavailable" | "forbidden" | "not_attached" | "read_only" | "disabled_by_platform" | "not_author" | "not_found" | "bot_not_found" | "webhook_not_found" | "channel_not_found" | "post_not_found" | "interaction_not_found" | "response_not_found" | "update_not_found" | "consumer_not_found" | "feed_off" | "attachment_not_found" | "route_not_found" | "too_many_batches" | "rate_limited" | "too_many_polls" | "owner_moving" | "too_many_posts" | "owner_post_limit" | "too_many_edits" | "bot_loop" | "too_many_tests" | "too_many_sent_again" | "too_many_exports" | "export_running" | "internal_error" | "unavailable" | "stopping";
    };
    responses: {
        /** Malformed input or an invalid parameter value. */
        BadRequest: {
            headers: {
                "Botyard-Error": components["headers"]["Botyard-Error"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** The bearer token is missing or invalid. */
        Unauthorized: {
            headers: {
                "Botyard-Error": components["headers"]["Botyard-Error"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** Rate limit exceeded; `Retry-After` says when to try again. */
        TooManyRequests: {
            headers: {
                "Botyard-Error": components["headers"]["Botyard-Error"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** The service cannot serve now; `Retry-After` says when to try again. */
        ServiceUnavailable: {
            headers: {
                "Botyard-Error": components["headers"]["Botyard-Error"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** What the request refers to was not found. */
        NotFound: {
            headers: {
                "Botyard-Error": components["headers"]["Botyard-Error"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** Authenticated, but not allowed to do this. */
        Forbidden: {
            headers: {
                "Botyard-Error": components["headers"]["Botyard-Error"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** Extension. Why it was refused, for programs. */
        "Botyard-Error": components["schemas"]["ErrorCode"];
        /** In how many seconds to try again. */
        "Retry-After": number;
        /** Extension. What is left: the policy's name, the requests that are left at once, and in how many seconds all are: `"default";r=998;t=1`. Left out where nobody was asked for a credential. */
        RateLimit: string;
        /** Extension. The limit that applies: its name, requests at once, and in how many seconds as many come back: `"default";q=1000;w=10`. */
        "RateLimit-Policy": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBots: {
        parameters: {
            query?: {
                /** Most bots to return; all of them when left out. */
                limit?: number;
                /** A bot id: only bots after it, also when it was deleted since. */
                after?: string;
                /**
                 * Only bots with this in their username or display name, whatever the case of ASCII letters.
                 * @example weather
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Your bots, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createBot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "weather_bot",
                 *       "display_name": "Weather",
                 *       "description": "Tells the weather."
                 *     }
                 */
                "application/json": components["schemas"]["CreateBotRequest"];
            };
        };
        responses: {
            /** The bot and its token, which is shown this once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotWithToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bot. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bot is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    editBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "display_name": "Weather"
                 *     }
                 */
                "application/json": components["schemas"]["EditBotRequest"];
            };
        };
        responses: {
            /** The bot as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    disableBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bot, with `disabled_at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    enableBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bot, without `disabled_at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listListedBots: {
        parameters: {
            query?: {
                /**
                 * Only bots with this in their username, display name or description, whatever the case of ASCII letters.
                 * @example weather
                 */
                q?: string;
                /** Most bots to return. */
                limit?: number;
                /** The `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bots, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotProfilePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBotProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bot. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotProfile"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    overview: {
        parameters: {
            query?: {
                /** Most bots to return; all of them when left out. */
                limit?: number;
                /** A bot id: only bots after it, also when it was deleted since. */
                after?: string;
                /**
                 * Only bots with this in their username or display name, whatever the case of ASCII letters.
                 * @example weather
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Your bots, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotOverviewList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBotOverview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bot with its state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotOverview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBotChannels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The channels, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotChannelList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    attachBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** Channel id. */
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "role": "reader"
                 *     }
                 */
                "application/json": components["schemas"]["AttachBotRequest"];
            };
        };
        responses: {
            /** The bot is attached; attaching again changes the role, if one is given. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachChannelResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    detachBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** Channel id. */
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bot is detached. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateBotToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The new token, which is shown this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotToken"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBotUpdates: {
        parameters: {
            query?: {
                /** Most updates to return. */
                limit?: number;
                /** Only updates numbered below this: the last `update_id` of the page before. An extension of Botyard. */
                before?: number;
                /** Only updates in this state. An extension of Botyard. */
                state?: components["schemas"]["DeliveryState"];
                /**
                 * Only updates recorded before this time. An extension of Botyard.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                until?: string;
                /**
                 * Only updates with this text, whatever its case: in the body of a post, or anywhere in the payload of another event; or with this id of a post. An extension of Botyard.
                 * @example rain
                 */
                search?: string;
                /** Only updates of what happened in this channel. An extension of Botyard. */
                channel_id?: string;
                /**
                 * Only updates of this kind; `ticket.*` stands for all that begin alike. An extension of Botyard.
                 * @example ticket.opened
                 */
                event_type?: string;
                /**
                 * Only updates recorded at this time or later. An extension of Botyard.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                since?: string;
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The updates, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnerUpdateList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUpdateAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The `update_id` of one of the bot's updates. */
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The last 20 failed attempts at most, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailedAttemptList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendUpdateAgain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The `update_id` of one of the bot's updates. */
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What came of it, accepted or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBotStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The counters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotStats"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listNamedWebhookUpdates: {
        parameters: {
            query?: {
                /** Most updates to return. */
                limit?: number;
                /** Only updates numbered below this: the last `update_id` of the page before. An extension of Botyard. */
                before?: number;
                /** Only updates in this state. An extension of Botyard. */
                state?: components["schemas"]["DeliveryState"];
                /**
                 * Only updates recorded before this time. An extension of Botyard.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                until?: string;
                /**
                 * Only updates with this text, whatever its case: in the body of a post, or anywhere in the payload of another event; or with this id of a post. An extension of Botyard.
                 * @example rain
                 */
                search?: string;
                /** Only updates of what happened in this channel. An extension of Botyard. */
                channel_id?: string;
                /**
                 * Only updates of this kind; `ticket.*` stands for all that begin alike. An extension of Botyard.
                 * @example ticket.opened
                 */
                event_type?: string;
                /**
                 * Only updates recorded at this time or later. An extension of Botyard.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                since?: string;
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The updates, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnerUpdateList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listNamedWebhookAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The `update_id` of one of the bot's updates. */
                updateId: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The last 20 failed attempts at most, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailedAttemptList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendNamedWebhookUpdateAgain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The `update_id` of one of the bot's updates. */
                updateId: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What came of it, accepted or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getNamedWebhookStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The counters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotStats"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    readTimeline: {
        parameters: {
            query?: {
                /** How far back: an hour by minutes, a day by quarters of an hour, or a week by hours. */
                range?: components["schemas"]["TimelineRange"];
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Counts by interval. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    readNamedWebhookTimeline: {
        parameters: {
            query?: {
                /** How far back: an hour by minutes, a day by quarters of an hour, or a week by hours. */
                range?: components["schemas"]["TimelineRange"];
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Counts by interval. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamBotUpdates: {
        parameters: {
            query?: {
                /** Updates numbered above this are sent. Unless given, those recorded from now on. `Last-Event-ID` takes precedence. */
                offset?: number;
            };
            header?: {
                /** The last `id` that was received: updates numbered above it are sent. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Server-sent events: `id` the update_id, `event` always `update`, `data` the update as in polling. A comment every 15 s. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBotConsumers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The consumers, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsumerList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listGivenUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What they gave up. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GivenUpList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    handInGivenUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "update_ids": [
                 *         42
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["HandInRequest"];
            };
        };
        responses: {
            /** How many. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HandInResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Those that are set: `default` first, then by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook; `url` is empty when none is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hook"
                 *     }
                 */
                "application/json": components["schemas"]["PutWebhookRequest"];
            };
        };
        responses: {
            /** The webhook as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No webhook is set any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    pauseWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook, with `paused_at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resumeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook, not paused. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What came of it, accepted or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getNamedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook; `url` is empty when none is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedWebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putNamedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /**
                 * The webhook's name, unique among those of its bot, whatever the case.
                 * @example audit
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hook"
                 *     }
                 */
                "application/json": components["schemas"]["PutWebhookRequest"];
            };
        };
        responses: {
            /** The webhook as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedWebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteNamedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No webhook is set any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    pauseNamedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook, with `paused_at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedWebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resumeNamedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook, not paused. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedWebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testNamedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What came of it, accepted or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookErrors: {
        parameters: {
            query?: {
                /** Most entries to return. */
                limit?: number;
                /** Only entries after this one in the list: the last `update_id` of the page before. An extension of Botyard. */
                before?: number;
                /** Only updates that failed for good, or only those that wait for a retry: by their numbers, the newest first. An extension of Botyard. */
                state?: components["schemas"]["UndeliveredState"];
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The updates, the one that failed last first, delivered since or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookErrorList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    groupWebhookErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The groups. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorGroups"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listNamedWebhookErrors: {
        parameters: {
            query?: {
                /** Most entries to return. */
                limit?: number;
                /** Only entries after this one in the list: the last `update_id` of the page before. An extension of Botyard. */
                before?: number;
                /** Only updates that failed for good, or only those that wait for a retry: by their numbers, the newest first. An extension of Botyard. */
                state?: components["schemas"]["UndeliveredState"];
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The updates, the one that failed last first, delivered since or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookErrorList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    groupNamedWebhookErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The groups. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorGroups"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: {
                /**
                 * For how long the secret before still signs: a duration up to `24h`. `0s`: not at all.
                 * @example 1h
                 */
                overlap?: string;
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateNamedWebhookSecret: {
        parameters: {
            query?: {
                /**
                 * For how long the secret before still signs: a duration up to `24h`. `0s`: not at all.
                 * @example 1h
                 */
                overlap?: string;
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    skipUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The `update_id` of one of the bot's updates. */
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The update as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookError"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    skipNamedWebhookUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The `update_id` of one of the bot's updates. */
                updateId: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The update as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookError"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listChannels: {
        parameters: {
            query?: {
                /** Most channels to return. */
                limit?: number;
                /** A channel id: only channels after it, also when it was deleted since. */
                after?: string;
                /**
                 * Your own id of the channel, unique among your channels.
                 * @example room-42
                 */
                external_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Your channels, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createChannel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slug": "weather-reports",
                 *       "title": "Weather reports"
                 *     }
                 */
                "application/json": components["schemas"]["CreateChannelRequest"];
            };
        };
        responses: {
            /** The channel. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The channel. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The channel is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    editChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Weather reports"
                 *     }
                 */
                "application/json": components["schemas"]["EditChannelRequest"];
            };
        };
        responses: {
            /** The channel as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getExternalChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The external id. */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The channel. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putExternalChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Your own id of the channel, unique among your channels.
                 * @example room-42
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Room 42"
                 *     }
                 */
                "application/json": components["schemas"]["PutExternalChannelRequest"];
            };
        };
        responses: {
            /** The channel there was, as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** The new channel. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listChannelBots: {
        parameters: {
            query?: {
                /** Most bots to return. */
                limit?: number;
                /** A bot id: only bots after it, also when it was detached or deleted since. */
                after?: string;
            };
            header?: never;
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bots, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelBotList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putChannelBots: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bot_ids": []
                 *     }
                 */
                "application/json": components["schemas"]["PutChannelBotsRequest"];
            };
        };
        responses: {
            /** What has changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelBotsChange"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listChannelCommands: {
        parameters: {
            query?: never;
            header?: {
                /** The `ETag` of an earlier answer. */
                "If-None-Match"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The commands, by bot, oldest bot first. */
            200: {
                headers: {
                    /** Of these commands: for `If-None-Match` of a later call. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelCommandsList"];
                };
            };
            /** Nothing has changed. */
            304: {
                headers: {
                    /** Of these commands: for `If-None-Match` of a later call. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listChannelPosts: {
        parameters: {
            query?: {
                /** Most posts to return. */
                limit?: number;
                /** A post id: only posts older than it, newest first. */
                before?: string;
                /** Which posts come first. */
                order?: components["schemas"]["PostOrder"];
                /** With `order=oldest`: a post id, only posts newer than it, also when it was deleted since. */
                after?: string;
            };
            header?: never;
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The posts, newest first unless `order` says otherwise. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createChannelPost: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Sunny, 24 °C"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOwnerPostRequest"];
            };
        };
        responses: {
            /** The post. */
            201: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getChannelPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Channel id. */
                id: string;
                /** Post id. */
                postId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The post. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteChannelPost: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
                /** Post id. */
                postId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The post is gone. */
            200: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    editChannelPost: {
        parameters: {
            query?: never;
            header?: {
                /** The `revision` that is to be changed. When there is another one by now, the call is refused: 400, with the header `Botyard-Error: revision_conflict`. */
                "If-Match"?: string;
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
                /** Post id. */
                postId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Sunny, 25 °C"
                 *     }
                 */
                "application/json": components["schemas"]["EditPostRequest"];
            };
        };
        responses: {
            /** The post as it is now. */
            200: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPostUpdates: {
        parameters: {
            query?: {
                /** Most bots to return. */
                limit?: number;
                /** A bot id: only bots after it, also when it was deleted since. */
                after?: string;
            };
            header?: never;
            path: {
                /** Channel id. */
                id: string;
                /** Post id. */
                postId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bots, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostUpdateList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    emitChannelEvent: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_type": "ticket.opened",
                 *       "payload": {
                 *         "ticket": 42
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EmitEventRequest"];
            };
        };
        responses: {
            /** The event. */
            201: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    emitBotEvent: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_type": "ticket.opened",
                 *       "payload": {
                 *         "ticket": 42
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EmitEventRequest"];
            };
        };
        responses: {
            /** The event. */
            201: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createInteraction: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "component",
                 *       "user": {
                 *         "id": "user-7",
                 *         "username": "Zoë"
                 *       },
                 *       "component": {
                 *         "id": "approve:17"
                 *       },
                 *       "post": {
                 *         "id": "0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41",
                 *         "revision": 1
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateInteractionRequest"];
            };
        };
        responses: {
            /** The interaction. */
            201: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInteraction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Channel id. */
                id: string;
                /** Interaction id. */
                interactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The interaction. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What the bot hears. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_types": [
                 *         "channel.post_created",
                 *         "ticket.*"
                 *       ],
                 *       "posts": "mentions",
                 *       "own_posts": false
                 *     }
                 */
                "application/json": components["schemas"]["PutSubscriptionRequest"];
            };
        };
        responses: {
            /** What the bot hears now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** There is no subscription. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    previewSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel_id": "0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41",
                 *       "event_types": [
                 *         "channel.post_created",
                 *         "ticket.*"
                 *       ],
                 *       "posts": "mentions",
                 *       "own_posts": false
                 *     }
                 */
                "application/json": components["schemas"]["PreviewSubscriptionRequest"];
            };
        };
        responses: {
            /** The channel's events, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPreview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportOwner: {
        parameters: {
            query?: {
                /** The `cursor` of a line: the export goes on behind it. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A JSON object a line: `type` (`alerts`, `bot`, `channel`, `post`, `event`, `attachment`, `update`, `audit`, and at last `end`), `cursor`, and the thing itself as other operations show it, with `channel_id` or `bot_id` where it belongs to one. An export without the line `end` is not complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    eraseOwner: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "alice"
                 *     }
                 */
                "application/json": components["schemas"]["EraseOwnerRequest"];
            };
        };
        responses: {
            /** How far it has got. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EraseStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook; `url` is empty when none is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/alerts"
                 *     }
                 */
                "application/json": components["schemas"]["PutAlertsRequest"];
            };
        };
        responses: {
            /** The webhook as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No webhook is set any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Your limits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnLimits"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOwnerAudit: {
        parameters: {
            query?: {
                /** Most entries to return. */
                limit?: number;
                /** The `id` of an entry, of which only older ones are returned. */
                before?: string;
                /**
                 * Only what this operation changed.
                 * @example rotateBotToken
                 */
                operation?: string;
                /** Only changes of the bot, channel or post with this id, and of attachments of it. */
                target?: string;
                /**
                 * Only what was changed at this time or later.
                 * @example 2026-01-31T12:00:00Z
                 */
                from?: string;
                /**
                 * Only what was changed before this time.
                 * @example 2026-01-31T12:00:00Z
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The entries, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** The first day in UTC; 30 days before the last one when left out. */
                from?: string;
                /** The last day in UTC, itself included; today when left out. At most 366 days in all. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** By day, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageDayList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: {
                /** Most updates to requeue. 100 unless given. */
                limit?: number;
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "update_ids": [
                 *         41,
                 *         42
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** How many were requeued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayNamedWebhook: {
        parameters: {
            query?: {
                /** Most updates to requeue. 100 unless given. */
                limit?: number;
            };
            header?: never;
            path: {
                /** Bot id. */
                id: string;
                /** The webhook's name, whatever its case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "update_ids": [
                 *         41,
                 *         42
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** How many were requeued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putExternalChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channels": [
                 *         {
                 *           "external_id": "room-42",
                 *           "title": "Room 42",
                 *           "bot_ids": []
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ChannelBatchRequest"];
            };
        };
        responses: {
            /** One result per channel, in request order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelBatchResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putDirectChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                botId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "user": {
                 *         "id": "user-7",
                 *         "username": "Zoë"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PutDirectChannelRequest"];
            };
        };
        responses: {
            /** The channel there was, as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** The new channel. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPosts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "posts": [
                 *         {
                 *           "external_id": "room-42",
                 *           "body": "Hello",
                 *           "idempotency_key": "message-1"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PostBatchRequest"];
            };
        };
        responses: {
            /** One result per post, in request order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostBatchResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    emitEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         {
                 *           "external_id": "room-42",
                 *           "event_type": "ticket.opened",
                 *           "payload": {
                 *             "ticket": 42
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EventBatchRequest"];
            };
        };
        responses: {
            /** One result per event, in request order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventBatchResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    readFeed: {
        parameters: {
            query?: {
                /** Only what happened in channels, or to bots, of the owner with this user id. */
                owner?: string;
                /** Only posts, edits and custom events whose author is of this kind. */
                author_type?: components["schemas"]["AuthorType"];
                /**
                 * The `cursor` of an answer or of an item: only what follows it is returned. Without it and without `consumer`, the oldest events that are kept.
                 * @example AZ3vkq0cR1ZTKgEA
                 */
                after?: string;
                /**
                 * In place of `after`: the name of a consumer, whose position the service keeps. One that does not exist is created, at the oldest event that is kept. Reading never moves it.
                 * @example main
                 */
                consumer?: string;
                /** Most items to return. */
                limit?: number;
                /** Seconds to wait for an item while there is none. */
                timeout?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What happened: at most `limit` items, and at most 256 KiB of payloads unless a single one is larger. None after the time-out. */
            200: {
                headers: {
                    /** Only when events between the position of `consumer` and the first item have expired: the cursor before the oldest event that is kept. */
                    "Botyard-Log-Tail"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamFeed: {
        parameters: {
            query?: {
                /** Only what happened in channels, or to bots, of the owner with this user id. */
                owner?: string;
                /** Only posts, edits and custom events whose author is of this kind. */
                author_type?: components["schemas"]["AuthorType"];
                /**
                 * The `cursor` of an answer or of an item: only what follows it is returned. Without it and without `consumer`, the oldest events that are kept.
                 * @example AZ3vkq0cR1ZTKgEA
                 */
                after?: string;
                /**
                 * In place of `after`: the name of a consumer, after whose position the stream begins.
                 * @example main
                 */
                consumer?: string;
            };
            header?: {
                /** The last `id` that was received: what follows it is sent. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Server-sent events: `id` the cursor, `event` always `item`, `data` the item. A comment every 15 s. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listFeedConsumers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The consumers, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedConsumerList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    moveFeedConsumer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The consumer's name, unique among those of the same log, whatever the case.
                 * @example main
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cursor": "AZ3vkq0cR1ZTKgEA"
                 *     }
                 */
                "application/json": components["schemas"]["MoveFeedConsumerRequest"];
            };
        };
        responses: {
            /** The consumer as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedConsumer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteFeedConsumer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The consumer's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The consumer is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getFeedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook; `url` is empty when none is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedWebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putFeedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/feed"
                 *     }
                 */
                "application/json": components["schemas"]["PutFeedWebhookRequest"];
            };
        };
        responses: {
            /** The webhook as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedWebhookConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteFeedWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** No webhook is set any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listReviews: {
        parameters: {
            query?: {
                /**
                 * Only bots with this in their username, display name or description, whatever the case of ASCII letters.
                 * @example weather
                 */
                q?: string;
                /** Most bots to return. */
                limit?: number;
                /** The `next_cursor` of the page before. */
                cursor?: string;
                /** Only bots that stand so; all of them when left out. */
                state?: components["schemas"]["BotReviewState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bots, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotReviewPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putBotReview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "approved"
                 *     }
                 */
                "application/json": components["schemas"]["PutBotReviewRequest"];
            };
        };
        responses: {
            /** The bot, with its `review`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    eraseUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Your own id of the user, without control characters.
                 * @example user-7
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** How far it has got. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EraseStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOwners: {
        parameters: {
            query?: {
                /** Most owners to return. */
                limit?: number;
                /** A user id: only owners after it. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The owners, by user id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformOwnerList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The owner's user id, percent-encoded.
                 * @example alice
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformOwner"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The owner's user id, percent-encoded.
                 * @example alice
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "suspended": true,
                 *       "reason": "spam"
                 *     }
                 */
                "application/json": components["schemas"]["PutOwnerRequest"];
            };
        };
        responses: {
            /** The owner as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformOwner"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** Most entries to return. */
                limit?: number;
                /** The `id` of an entry, of which only older ones are returned. */
                before?: string;
                /**
                 * Only what this operation changed.
                 * @example rotateBotToken
                 */
                operation?: string;
                /** Only changes of the bot, channel or post with this id, and of attachments of it. */
                target?: string;
                /**
                 * Only what was changed at this time or later.
                 * @example 2026-01-31T12:00:00Z
                 */
                from?: string;
                /**
                 * Only what was changed before this time.
                 * @example 2026-01-31T12:00:00Z
                 */
                to?: string;
                /** Only what is of the owner with this user id. */
                owner?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The entries, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUsage: {
        parameters: {
            query?: {
                /** The first day in UTC; 30 days before the last one when left out. */
                from?: string;
                /** The last day in UTC, itself included; today when left out. At most 366 days in all. */
                to?: string;
                /** Most items to return. */
                limit?: number;
                /** The `cursor` of the page before. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** By day and user id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnerUsagePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The bot that the token belongs to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotIdentity"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMyChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The channels, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotChannelList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMySubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What you hear. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putMySubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_types": [
                 *         "channel.post_created",
                 *         "ticket.*"
                 *       ],
                 *       "posts": "mentions",
                 *       "own_posts": false
                 *     }
                 */
                "application/json": components["schemas"]["PutSubscriptionRequest"];
            };
        };
        responses: {
            /** What you hear now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    pollUpdates: {
        parameters: {
            query?: {
                /** Updates numbered above this are returned: the last `update_id` you have handled. 0 when left out. */
                offset?: number;
                /**
                 * In place of `offset`: the name of a consumer, whose position the service keeps. Updates after it are returned, except those that are done. One that does not exist is created, at the oldest update that neither another consumer of yours has handled nor your webhook has received. Reading never moves it. An extension of Botyard.
                 * @example main
                 */
                consumer?: string;
                /**
                 * With `consumer`: what the process that reads calls itself, such as a random text. For 45 s it is taken to read on. While another one is, `Botyard-Consumer-Reader` names that one instead, and everything else is as without `reader`. An extension of Botyard.
                 * @example f2c1a9
                 */
                reader?: string;
                /** With `reader`: the process has stopped reading, and another one may begin at once. An extension of Botyard. */
                leaving?: "true";
                /** Most updates to return. */
                limit?: number;
                /** Seconds to wait for an update while there is none. */
                timeout?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The updates, ascending: at most `limit` of them, and at most 256 KiB of payloads unless a single one is larger. None after the time-out. */
            200: {
                headers: {
                    /** Extension. Only with `reader`, when another process reads for the consumer: what it calls itself. */
                    "Botyard-Consumer-Reader"?: string;
                    /** Extension. Only when `offset` is beyond the end of the log: the last `update_id` in it. The service has lost data since it gave out `offset`; continue after this one, or wait as you do. */
                    "Botyard-Log-Head"?: number;
                    /** Extension. Only when the answer goes on behind numbers that the log has skipped after a loss of data: the first and the last of them. No update has them. Updates below them that you have had and cannot find any more are lost, and so may be some that you have not had. */
                    "Botyard-Log-Skipped"?: string;
                    /** Extension. Only when updates between the position of `consumer` (or an `offset` above 0) and the first one returned have expired: the oldest `update_id` that is kept. */
                    "Botyard-Log-Tail"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotUpdateList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamUpdates: {
        parameters: {
            query?: {
                /** Updates numbered above this are sent. Unless given, those recorded from now on. `Last-Event-ID` takes precedence. */
                offset?: number;
                /**
                 * In place of `offset`: the name of a consumer. The stream begins after its position and leaves out what is done; `Last-Event-ID` takes precedence over the position. An extension of Botyard.
                 * @example main
                 */
                consumer?: string;
            };
            header?: {
                /** The last `id` that was received: updates numbered above it are sent. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Server-sent events: `id` the update_id, `event` always `update`, `data` the update as in polling. A comment every 15 s. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBotPosts: {
        parameters: {
            query?: {
                /** Most posts to return. */
                limit?: number;
                /** A post id: only posts older than it, newest first. */
                before?: string;
                /** Which posts come first. */
                order?: components["schemas"]["PostOrder"];
                /** With `order=oldest`: a post id, only posts newer than it, also when it was deleted since. */
                after?: string;
            };
            header?: never;
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The posts, newest first unless `order` says otherwise. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createBotPost: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Sunny, 24 °C"
                 *     }
                 */
                "application/json": components["schemas"]["CreateChannelPostRequest"];
            };
        };
        responses: {
            /** The post; every bot attached to the channel gets an update. */
            201: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotPost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBotPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** Channel id. */
                id: string;
                /** Post id. */
                postId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The post. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteBotPost: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
                /** Post id. */
                postId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The post is gone. */
            200: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    editBotPost: {
        parameters: {
            query?: never;
            header?: {
                /** The `revision` that is to be changed. When there is another one by now, the call is refused: 400, with the header `Botyard-Error: revision_conflict`. */
                "If-Match"?: string;
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
                /** Post id. */
                postId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Sunny, 25 °C"
                 *     }
                 */
                "application/json": components["schemas"]["EditPostRequest"];
            };
        };
        responses: {
            /** The post as it is now. */
            200: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listConsumers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Your consumers, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsumerList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    moveConsumer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The consumer's name, unique among those of the same log, whatever the case.
                 * @example main
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "position": 41
                 *     }
                 */
                "application/json": components["schemas"]["MoveConsumerRequest"];
            };
        };
        responses: {
            /** The consumer as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteConsumer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The consumer's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The consumer is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMyCommands: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The commands, in your order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotCommandList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putMyCommands: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "commands": [
                 *         {
                 *           "name": "weather",
                 *           "description": "Tell the weather of a place",
                 *           "options": [
                 *             {
                 *               "name": "city",
                 *               "type": "string",
                 *               "description": "Where",
                 *               "required": true
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PutCommandsRequest"];
            };
        };
        responses: {
            /** The commands as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotCommandList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMyGivenUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The consumer's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** What you gave up. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GivenUpList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    giveUpUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The consumer's name. */
                name: string;
                /** The `update_id` of one of the bot's updates. */
                updateId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "error": "TypeError: price is undefined"
                 *     }
                 */
                "application/json": components["schemas"]["GiveUpRequest"];
            };
        };
        responses: {
            /** It is listed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GivenUpStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    forgetGivenUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The consumer's name. */
                name: string;
                /** The `update_id` of one of the bot's updates. */
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** It is not listed any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GivenUpStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    emitMyEvent: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_type": "ticket.closed",
                 *       "payload": {
                 *         "ticket": 42
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EmitBotEventRequest"];
            };
        };
        responses: {
            /** The event. */
            201: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    respondToInteraction: {
        parameters: {
            query?: never;
            header?: {
                /** A name of yours for this call, of visible ASCII characters. The same key again, for at least 24 hours, does nothing more and gives the first answer, whatever the body says. An extension of Botyard. */
                "Idempotency-Key"?: string;
                /** The `revision` that is to be changed. When there is another one by now, the call is refused: 400, with the header `Botyard-Error: revision_conflict`. */
                "If-Match"?: string;
            };
            path: {
                /** Interaction id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "private",
                 *       "body": "Approved, thank you."
                 *     }
                 */
                "application/json": components["schemas"]["RespondRequest"];
            };
        };
        responses: {
            /** The response. */
            201: {
                headers: {
                    /** Extension. `true` when an earlier call with the same `Idempotency-Key` did this. */
                    "Idempotency-Replayed"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RespondedInteraction"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    receiveUpdate: {
        parameters: {
            query?: never;
            header: {
                /** When the attempt was made, in Unix seconds. Refuse old ones, so that a request cannot be sent again. */
                "X-Service-Bot-Api-Timestamp": string;
                /** The webhook's secret token; compare it first. Only when the webhook has a secret token. */
                "X-Service-Bot-Api-Secret-Token"?: string;
                /** `sha256=` and the HMAC-SHA256, in lower-case hex, of the timestamp, a dot and the unmodified body, with the secret token as the key. Only when the webhook has a secret token. */
                "X-Service-Bot-Api-Signature"?: string;
                /** The same for each attempt of an update, and of no other. A batch has one of its own, which begins like that of its first update and is the same when the same updates are sent again. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-id"?: string;
                /** As `X-Service-Bot-Api-Timestamp`. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-timestamp"?: string;
                /** `v1,` and the HMAC-SHA256, in base64, of the id, a dot, the timestamp, a dot and the unmodified body, with the decoded secret as the key. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-signature"?: string;
                /** `true` when the update was delivered before and its owner sends it again (`sendUpdateAgain`). It is not signed, so act on it only where handling an update twice does no harm. An extension of Botyard. */
                "Botyard-Sent-Again"?: "true";
                /** That of the request that caused the event (W3C Trace Context), if it had one: the parent of what the receiver does. Not signed. An extension of Botyard. */
                traceparent?: string;
                /** That of the request that caused the event, if it had one. Not signed. An extension of Botyard. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** The update, exactly as polling returns it. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotUpdate"];
            };
        };
        responses: {
            /** Any status from 200 to 299, within 10 s unless the service is configured otherwise: the update is delivered, and is not sent again. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** A failed attempt, retried after growing waits like every other. Answer 401 or 403 when the signature does not match. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** A failed attempt: any other status, redirects included, no answer in time, or no connection. The update is sent again after 1 s, 5 s, 30 s, 2 min and so on, 10 times in all unless the service is configured otherwise. `Retry-After` is honoured up to an hour. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveBatch: {
        parameters: {
            query?: never;
            header: {
                /** When the attempt was made, in Unix seconds. Refuse old ones, so that a request cannot be sent again. */
                "X-Service-Bot-Api-Timestamp": string;
                /** The webhook's secret token; compare it first. Only when the webhook has a secret token. */
                "X-Service-Bot-Api-Secret-Token"?: string;
                /** `sha256=` and the HMAC-SHA256, in lower-case hex, of the timestamp, a dot and the unmodified body, with the secret token as the key. Only when the webhook has a secret token. */
                "X-Service-Bot-Api-Signature"?: string;
                /** The same for each attempt of an update, and of no other. A batch has one of its own, which begins like that of its first update and is the same when the same updates are sent again. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-id"?: string;
                /** As `X-Service-Bot-Api-Timestamp`. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-timestamp"?: string;
                /** `v1,` and the HMAC-SHA256, in base64, of the id, a dot, the timestamp, a dot and the unmodified body, with the decoded secret as the key. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-signature"?: string;
                /** `true` when the update was delivered before and its owner sends it again (`sendUpdateAgain`). It is not signed, so act on it only where handling an update twice does no harm. An extension of Botyard. */
                "Botyard-Sent-Again"?: "true";
                /** That of the request that caused the event (W3C Trace Context), if it had one: the parent of what the receiver does. Not signed. An extension of Botyard. */
                traceparent?: string;
                /** That of the request that caused the event, if it had one. Not signed. An extension of Botyard. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** The updates by `update_id`, each exactly as polling returns it. */
        requestBody: {
            content: {
                "application/json": {
                    items: components["schemas"]["BotUpdate"][];
                };
            };
        };
        responses: {
            /** The updates are delivered, but for those that the body names: `{"failed": [update_id, …]}`, at most 16 KiB, has them retried one by one. Any other body is ignored. A list that is none, that names an update which was not sent, or that breaks off refuses the whole batch. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** A failed attempt, retried after growing waits like every other. Answer 401 or 403 when the signature does not match. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** A failed attempt: any other status, redirects included, no answer in time, or no connection. The update is sent again after 1 s, 5 s, 30 s, 2 min and so on, 10 times in all unless the service is configured otherwise. `Retry-After` is honoured up to an hour. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTestEvent: {
        parameters: {
            query?: never;
            header: {
                /** When the attempt was made, in Unix seconds. Refuse old ones, so that a request cannot be sent again. */
                "X-Service-Bot-Api-Timestamp": string;
                /** The webhook's secret token; compare it first. Only when the webhook has a secret token. */
                "X-Service-Bot-Api-Secret-Token"?: string;
                /** `sha256=` and the HMAC-SHA256, in lower-case hex, of the timestamp, a dot and the unmodified body, with the secret token as the key. Only when the webhook has a secret token. */
                "X-Service-Bot-Api-Signature"?: string;
                /** The same for each attempt of an update, and of no other. A batch has one of its own, which begins like that of its first update and is the same when the same updates are sent again. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-id"?: string;
                /** As `X-Service-Bot-Api-Timestamp`. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-timestamp"?: string;
                /** `v1,` and the HMAC-SHA256, in base64, of the id, a dot, the timestamp, a dot and the unmodified body, with the decoded secret as the key. Only when the secret token is `whsec_` and the base64 of 24 to 64 bytes, as libraries of [Standard Webhooks](https://www.standardwebhooks.com) expect it. An extension of Botyard. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** The test event. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** The test has succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** The test has failed; it is not repeated. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** The test has failed; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
