// Limits of the delivery of webhooks, each with its reason.
import { MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

/** How long a delivery may take, redirects included, before it counts as failed. */
export const DELIVERY_TIMEOUT_MS = 30_000
/** Compressed bytes that wait for one webhook; above it the oldest bodies are dropped. */
export const WAITING_BYTES_MAX = 32 * MiB
/** Milliseconds that deliveries in progress get when the server stops. */
export const STOP_TIMEOUT_MS = 2000
/** Milliseconds between two log lines about failures of one webhook. */
export const REPORT_INTERVAL_MS = 60_000
/** Tasks read before other work runs: 2 ms. */
export const TASKS_AT_A_TIME = 256

assert(STOP_TIMEOUT_MS < DELIVERY_TIMEOUT_MS, 'a stop does not wait for a whole delivery')
