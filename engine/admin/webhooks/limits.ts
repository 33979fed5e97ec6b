// Limits of webhooks, each with its reason.

/** Every batch is told to every webhook; whoever has more listeners puts a proxy in between. */
export const WEBHOOKS_MAX = 20
/** More than any server reads. */
export const WEBHOOK_HEADERS_MAX = 200
