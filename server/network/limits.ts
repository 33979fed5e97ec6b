// Limits of what an instance keeps and takes for others, each with its reason.
import { MiB } from '../../format/bytes/index.ts'

/**
 * Of the task log, what is kept for one remote. The log cannot be rewritten meanwhile, and writes
 * are refused when it has 1792 MiB: an instance that is away must not stop those.
 */
export const BACKLOG_LOG_BYTES_MAX = 512 * MiB

/** Tasks that are kept for one remote: 50 bytes of memory each. */
export const BACKLOG_TASKS_MAX = 500_000

/**
 * How long it is tried to tell an instance that it was removed: what waits for it keeps the task
 * log from being compacted.
 */
export const FAREWELL_MS = 3_600_000
