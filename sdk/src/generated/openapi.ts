// Written by `npm run sdk:types` from openapi.json. Change that instead.

export interface paths {
    "/v1/bot-api/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the bots you own */
        get: operations["listBots"];
        put?: never;
        /** Create a bot */
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
        /** Get a bot */
        get: operations["getBot"];
        put?: never;
        post?: never;
        /**
         * Delete a bot with its token, attachments and updates; its posts stay
         * @description An extension of Botyard: not part of the bot API's specification.
         */
        delete: operations["deleteBot"];
        options?: never;
        head?: never;
        /**
         * Change a bot's display name or description
         * @description An extension of Botyard: not part of the bot API's specification.
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
         * @description An extension of Botyard: not part of the bot API's specification.
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
         * @description An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["enableBot"];
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
         * @description An extension of Botyard: not part of the bot API's specification.
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
    "/v1/bot-api/bots/{id}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the channels a bot is attached to */
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
        /** Attach a bot to one of your channels, as moderator */
        post: operations["attachBot"];
        /**
         * Take a bot out of a channel
         * @description An extension of Botyard: not part of the bot API's specification.
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
        /** Give a bot a new token and refuse the old one */
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
        /** List a bot's most recent updates with their delivery */
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
         * @description An extension of Botyard: not part of the bot API's specification.
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
    "/v1/bot-api/bots/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count a bot's channels and updates */
        get: operations["getBotStats"];
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
         * @description An extension of Botyard: not part of the bot API's specification.
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
    "/v1/bot-api/bots/{id}/updates/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a bot's updates as they are recorded, as server-sent events
         * @description An extension of Botyard: not part of the bot API's specification.
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
    "/v1/bot-api/bots/{id}/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a bot's webhook and its health */
        get: operations["getWebhook"];
        /** Set a bot's webhook; undelivered updates are delivered to it */
        put: operations["putWebhook"];
        post?: never;
        /** Stop webhook delivery and forget the URL and secret token */
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
         * @description An extension of Botyard: not part of the bot API's specification.
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
         * @description An extension of Botyard: not part of the bot API's specification.
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
         * @description An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["testWebhook"];
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
        /** List the updates whose delivery failed at least once */
        get: operations["listWebhookErrors"];
        put?: never;
        post?: never;
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
         * @description An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listChannels"];
        put?: never;
        /**
         * Create a channel
         * @description An extension of Botyard: not part of the bot API's specification.
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
         * @description An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["getChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a channel's title or description
         * @description An extension of Botyard: not part of the bot API's specification.
         */
        patch: operations["editChannel"];
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
         * @description An extension of Botyard: not part of the bot API's specification.
         */
        get: operations["listChannelPosts"];
        put?: never;
        /**
         * Publish a post in a channel you hold, in your own name
         * @description An extension of Botyard: not part of the bot API's specification.
         */
        post: operations["createChannelPost"];
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
        /** Put failed updates back in the delivery queue, oldest first */
        post: operations["replayWebhook"];
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
        /** Tell who you are */
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
        /** List the channels you are attached to */
        get: operations["listMyChannels"];
        put?: never;
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
        /** Read your updates, waiting for one if there is none */
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
         * @description An extension of Botyard: not part of the bot API's specification.
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
        get?: never;
        put?: never;
        /** Publish a post in a channel you are attached to */
        post: operations["createBotPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Bot: {
            /** @description Opaque identifier. */
            id: string;
            /** @description The user record that represents the bot. */
            bot_user_id: string;
            /** @description The user who owns the bot. */
            owner_user_id: string;
            username: string;
            display_name: string;
            description: string;
            /** @description Present while a webhook is configured. */
            webhook_url?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            disabled_at?: string;
        };
        BotList: {
            items: components["schemas"]["Bot"][];
        };
        BotOverview: {
            bot: components["schemas"]["Bot"];
            attached_channel_count: number;
            /** @description As in the statistics: without those that wait for a retry. */
            pending_updates: number;
            scheduled_retries: number;
            terminal_failed_updates: number;
            /**
             * @description What keeps the bot from receiving by webhook, the first that applies; healthy when nothing does.
             * @enum {string}
             */
            health: "disabled" | "no_webhook" | "paused" | "failing" | "healthy";
            /** Format: date-time */
            failing_since?: string;
            /** Format: date-time */
            oldest_pending_at?: string;
            /** @description Attempts accepted in each five minutes of the last hour, oldest first: 12 numbers. */
            delivered: number[];
        };
        BotOverviewList: {
            items: components["schemas"]["BotOverview"][];
        };
        BotToken: {
            /** @description The bot's credential. Shown once: only a hash of it is stored. */
            token: string;
            /** Format: date-time */
            created_at: string;
        };
        BotWithToken: {
            bot: components["schemas"]["Bot"];
            token: components["schemas"]["BotToken"];
        };
        BotIdentity: {
            /** @description Opaque identifier. */
            id: string;
            bot_user_id: string;
            username: string;
            display_name: string;
        };
        /** @description Total is pending + scheduled retries + delivered + terminal failed + skipped. */
        BotStats: {
            bot_id: string;
            attached_channel_count: number;
            /** @description Every update ever recorded. */
            total_updates: number;
            delivered_updates: number;
            pending_updates: number;
            scheduled_retries: number;
            terminal_failed_updates: number;
            /** @description Updates that expired without ever having had a webhook to go to. */
            skipped_updates: number;
            /**
             * Format: date-time
             * @description `created_at` of the oldest update that is pending or waits for a retry; left out when none does.
             */
            oldest_pending_at?: string;
            /** Format: date-time */
            last_update_at?: string;
            /** Format: date-time */
            last_attempted_at?: string;
            /** Format: date-time */
            last_delivered_at?: string;
        };
        CreateBotRequest: {
            /**
             * @description Unique in the whole service, whatever the case.
             * @example weather_bot
             */
            username: string;
            /** @description Shown to people; the username when left out. */
            display_name?: string;
            /** @description Free text; empty when left out. */
            description?: string;
        };
        EditBotRequest: {
            /** @description Shown to people; the username when left out. */
            display_name?: string;
            /** @description Free text; empty when left out. */
            description?: string;
        };
        BotChannel: {
            /** @description Opaque identifier. */
            id: string;
            slug: string;
            title: string;
            description: string;
            /** @description Attaching gives the role `moderator`. */
            bot_role: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_activity_at?: string;
        };
        BotChannelList: {
            items: components["schemas"]["BotChannel"][];
        };
        AttachChannelResult: {
            bot_id: string;
            channel_id: string;
            /** @description Attaching gives the role `moderator`. */
            role: string;
            /** @description The owner who attached the bot. */
            attached_by: string;
        };
        Channel: {
            /** @description Opaque identifier. */
            id: string;
            slug: string;
            title: string;
            description: string;
            owner_user_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_activity_at?: string;
        };
        ChannelList: {
            items: components["schemas"]["Channel"][];
        };
        CreateChannelRequest: {
            /**
             * @description Unique in the whole service.
             * @example weather-reports
             */
            slug: string;
            /** @description Shown to people. */
            title: string;
            /** @description Free text; empty when left out. */
            description?: string;
        };
        EditChannelRequest: {
            /** @description Shown to people. */
            title?: string;
            /** @description Free text; empty when left out. */
            description?: string;
        };
        BotPost: {
            /** @description Opaque identifier. */
            id: string;
            channel_id: string;
            author_username: string;
            body: string;
            /** Format: date-time */
            created_at: string;
        };
        Post: {
            /** @description Opaque identifier. */
            id: string;
            channel_id: string;
            author_username: string;
            body: string;
            /** @description Objects of any shape, passed on unchanged; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. */
            media?: {
                [key: string]: unknown;
            }[];
            /** Format: date-time */
            created_at: string;
        };
        PostList: {
            items: components["schemas"]["Post"][];
        };
        CreateChannelPostRequest: {
            /** @description The text of the post; not only white space. */
            body: string;
            /** @description Objects of any shape, passed on unchanged; at most 16384 bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. */
            media?: {
                [key: string]: unknown;
            }[];
        };
        BotUpdate: {
            /** @description Counts 1, 2, 3 … per bot, without gaps. */
            update_id: number;
            /** @example channel.post_created */
            event_type: string;
            /** @description `channel.post_created`: body, channel_id, post_id, author_username, and media where the post has any. */
            payload: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
        };
        BotUpdateList: {
            items: components["schemas"]["BotUpdate"][];
        };
        OwnerUpdate: {
            /** @description Counts 1, 2, 3 … per bot, without gaps. */
            update_id: number;
            /** @example channel.post_created */
            event_type: string;
            /** @description `channel.post_created`: body, channel_id, post_id, author_username, and media where the post has any. */
            payload: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /**
             * @description Where the delivery stands: not attempted, waiting for a retry, accepted, given up.
             * @enum {string}
             */
            state: "pending" | "scheduled" | "delivered" | "failed";
            /** Format: date-time */
            delivered_webhook_at?: string;
            webhook_attempt_count: number;
            /** Format: date-time */
            last_attempted_at?: string;
            /** @description Empty when no attempt has failed. */
            last_delivery_error: string;
            /**
             * Format: date-time
             * @description Null when no retry is scheduled.
             */
            next_retry_at: string | null;
        };
        OwnerUpdateList: {
            items: components["schemas"]["OwnerUpdate"][];
        };
        WebhookError: {
            /** @description Counts 1, 2, 3 … per bot, without gaps. */
            update_id: number;
            /** @example channel.post_created */
            event_type: string;
            /** Format: date-time */
            created_at: string;
            /**
             * @description Where the delivery stands: not attempted, waiting for a retry, accepted, given up.
             * @enum {string}
             */
            state: "pending" | "scheduled" | "delivered" | "failed";
            /** Format: date-time */
            delivered_webhook_at?: string;
            webhook_attempt_count: number;
            /** Format: date-time */
            last_attempted_at?: string;
            /** @description Empty when no attempt has failed. */
            last_delivery_error: string;
            /**
             * Format: date-time
             * @description Null when no retry is scheduled.
             */
            next_retry_at: string | null;
        };
        WebhookErrorList: {
            items: components["schemas"]["WebhookError"][];
        };
        Timeline: {
            /** @enum {string} */
            range: "1h" | "24h" | "7d";
            interval_seconds: number;
            /** @description Every interval of the range, oldest first; the last one is in progress. */
            items: {
                /** Format: date-time */
                start: string;
                /** @description Attempts that were accepted. */
                delivered: number;
                /** @description Attempts that failed and are tried again. */
                retried: number;
                /** @description Attempts that failed for good. */
                failed: number;
                /** @description The median time until an attempt was answered or failed; left out without attempts. */
                p50_ms?: number;
                /** @description The 99th percentile of that time. */
                p99_ms?: number;
                /** @description Updates pending or scheduled at the interval's last attempt. */
                backlog?: number;
                /** @description The age of the oldest update attempted. */
                oldest_ms?: number;
            }[];
        };
        FailedAttempt: {
            /** @description Which attempt of the update it was, from 1. */
            attempt: number;
            /** Format: date-time */
            attempted_at: string;
            /** @description How long it took until the answer, or until it failed. */
            duration_ms: number;
            /** @description The status of the answer; left out when there was no complete answer. */
            status?: number;
            /** @description Why it failed, as in `last_delivery_error`. */
            error: string;
            /**
             * @description The kind of failure, as in the service's metrics.
             * @enum {string}
             */
            error_class: "redirect" | "client_error" | "server_error" | "timeout" | "host_not_found" | "unreachable" | "tls" | "bad_answer" | "not_allowed" | "proxy" | "unreadable" | "other";
            /** @description The first 1 KiB of the answer's body as text; empty when there was none. */
            response_body: string;
        };
        FailedAttemptList: {
            items: components["schemas"]["FailedAttempt"][];
        };
        WebhookConfig: {
            /** @description Empty when no webhook is configured. */
            url: string;
            /** @description The secret itself is never returned. */
            has_secret_token: boolean;
            /** Format: date-time */
            last_attempted_at?: string;
            /** Format: date-time */
            last_delivered_at?: string;
            /** @description Why the last attempt failed; empty after a success. */
            last_delivery_error: string;
            /**
             * Format: date-time
             * @description Null when no retry is scheduled.
             */
            next_retry_at: string | null;
            /**
             * Format: date-time
             * @description Since when every attempt has failed; left out when the last one was accepted or none was made.
             */
            failing_since?: string;
            /** @description Undelivered updates, those waiting for a retry included. */
            pending_update_count: number;
            /**
             * Format: date-time
             * @description Present while delivery is paused. An extension of Botyard.
             */
            paused_at?: string;
        };
        WebhookTestResult: {
            /** @description Whether the receiver accepted the event. */
            delivered: boolean;
            /** @description The receiver's; left out when it gave no answer. */
            status?: number;
            /** @description As in `last_delivery_error`; empty when it was delivered. */
            error: string;
            /** @description From the start of the attempt to the end of the answer. */
            duration_ms: number;
            /** @description At most the first 1 KiB of the answer, as text. */
            response_body: string;
        };
        PutWebhookRequest: {
            /**
             * @description Where updates are delivered: an absolute http or https URL without user name, password or fragment. Loopback, private and link-local addresses are refused unless the service is configured to allow them.
             * @example https://example.com/hook
             */
            url: string;
            /** @description Sent with every delivery and used as the key of its signature. Left out: the stored one stays. Empty: the stored one is removed. */
            secret_token?: string;
        };
        /** @description May be left out. An extension of Botyard. */
        ReplayRequest: {
            /** @description Only these are requeued, as far as they have failed or wait for a retry. Not together with `limit`. */
            update_ids?: number[];
        };
        ReplayResult: {
            bot_id: string;
            /** @description Failed updates put back in the delivery queue. */
            requeued: number;
            /** @description The most one call can requeue. */
            max_window: number;
        };
        DeleteStatus: {
            /** @example deleted */
            status: string;
        };
        Error: {
            /** @description What is wrong and how to fix it. */
            error: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBots: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your bots, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotList"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
                "application/json": components["schemas"]["CreateBotRequest"];
            };
        };
        responses: {
            /** @description The bot and its token, which is shown this once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotWithToken"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    editBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditBotRequest"];
            };
        };
        responses: {
            /** @description The bot as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    disableBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot, with `disabled_at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    enableBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot, without `disabled_at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bot"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    overview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your bots, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotOverviewList"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listBotChannels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channels, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotChannelList"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    attachBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
                /** @description Channel id. */
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot is attached; attaching again changes nothing. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachChannelResult"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    detachBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
                /** @description Channel id. */
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot is detached. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateBotToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new token, which is shown this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotToken"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listBotUpdates: {
        parameters: {
            query?: {
                /** @description Most updates to return. */
                limit?: number;
                /** @description Only updates numbered below this: the last `update_id` of the page before. An extension of Botyard. */
                before?: number;
                /** @description Only updates in this state. An extension of Botyard. */
                state?: "pending" | "scheduled" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updates, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnerUpdateList"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUpdateAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
                /** @description The `update_id` of one of the bot's updates. */
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last 20 failed attempts at most, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailedAttemptList"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getBotStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotStats"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readTimeline: {
        parameters: {
            query?: {
                /** @description How far back: an hour by minutes, a day by quarters of an hour, or a week by hours. */
                range?: "1h" | "24h" | "7d";
            };
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts by interval. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamBotUpdates: {
        parameters: {
            query?: {
                /** @description Updates numbered above this are sent. Unless given, those recorded from now on. `Last-Event-ID` takes precedence. */
                offset?: number;
            };
            header?: {
                /** @description The last `id` that was received: updates numbered above it are sent. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events: `id` the update_id, `event` always `update`, `data` the update as in polling. A comment every 15 s. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook; `url` is empty when none is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutWebhookRequest"];
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No webhook is set any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteStatus"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pauseWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook, with `paused_at`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resumeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook, not paused. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfig"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What came of it, accepted or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestResult"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookErrors: {
        parameters: {
            query?: {
                /** @description Most entries to return. */
                limit?: number;
                /** @description Only entries after this one in the list: the last `update_id` of the page before. An extension of Botyard. */
                before?: number;
            };
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updates, the one that failed last first, delivered since or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookErrorList"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChannels: {
        parameters: {
            query?: {
                /** @description Most channels to return. */
                limit?: number;
                /** @description A channel id: only channels after it. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your channels, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelList"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
                "application/json": components["schemas"]["CreateChannelRequest"];
            };
        };
        responses: {
            /** @description The channel. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    editChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditChannelRequest"];
            };
        };
        responses: {
            /** @description The channel as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChannelPosts: {
        parameters: {
            query?: {
                /** @description Most posts to return. */
                limit?: number;
                /** @description A post id: only posts older than it. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The posts, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostList"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createChannelPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateChannelPostRequest"];
            };
        };
        responses: {
            /** @description The post. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: {
                /** @description Most updates to requeue. 100 unless given. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Bot id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description How many were requeued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayResult"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request refers to was not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description The bot that the token belongs to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotIdentity"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description The channels, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotChannelList"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pollUpdates: {
        parameters: {
            query?: {
                /** @description Updates numbered above this are returned: the last `update_id` you have handled. */
                offset?: number;
                /** @description Most updates to return. */
                limit?: number;
                /** @description Seconds to wait for an update while there is none. */
                timeout?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updates, ascending: at most `limit` of them, and at most 256 KiB of payloads unless a single one is larger. None after the time-out. */
            200: {
                headers: {
                    /** @description Extension. Only when `offset` is beyond the end of the log: the last `update_id` in it. The service has lost data since it gave out `offset`, and gives these numbers out again; continue after this one. */
                    "Botyard-Log-Head"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotUpdateList"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamUpdates: {
        parameters: {
            query?: {
                /** @description Updates numbered above this are sent. Unless given, those recorded from now on. `Last-Event-ID` takes precedence. */
                offset?: number;
            };
            header?: {
                /** @description The last `id` that was received: updates numbered above it are sent. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events: `id` the update_id, `event` always `update`, `data` the update as in polling. A comment every 15 s. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createBotPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Channel id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateChannelPostRequest"];
            };
        };
        responses: {
            /** @description The post; every bot attached to the channel gets an update. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotPost"];
                };
            };
            /** @description Malformed input or an invalid parameter value. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bearer token is missing or invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Authenticated, but not allowed to do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Rate limit exceeded; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot serve now; `Retry-After` says when to try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
