// Limits of task records and their reasons.
import type { BatchUid, TaskUid } from '../ids.ts'

/** Bits of the mask of kinds; eighteen kinds exist. */
export const TASK_KIND_COUNT_MAX = 32

/** Bits of the mask of statuses; five statuses exist. */
export const TASK_STATUS_COUNT_MAX = 16

/** The uid of a missing task or batch; no task or batch ever gets it. */
export const UID_NONE = 0xffffffff as TaskUid & BatchUid
