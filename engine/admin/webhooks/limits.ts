// Limits of webhooks, each with its reason.

/** Every batch is sent to every webhook; operators with more receivers need a proxy. */
export const WEBHOOKS_MAX = 20
/** More headers than any server reads. */
export const WEBHOOK_HEADERS_MAX = 200
