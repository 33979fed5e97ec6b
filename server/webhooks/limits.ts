// Limits of the delivery of webhooks, each with its reason.
import { MiB } from '../../format/bytes/index.ts'

/** How long a delivery may take, redirects included, before it counts as failed. */
export const DELIVERY_TIMEOUT_MS = 30_000
/** What waits for one webhook, packed: past it the oldest are lost rather than memory. */
export const WAITING_BYTES_MAX = 32 * MiB
/** What is still on its way when the server stops gets so long. */
export const STOP_PATIENCE_MS = 2000
/** Between two lines of the log about failures of one webhook. */
export const REPORT_INTERVAL_MS = 60_000
/** Tasks read between two points at which others may run: 2 ms. */
export const TASKS_AT_A_TIME = 256
