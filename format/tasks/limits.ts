// Ceilings of task records and their reasons.

/** Bits of the kinds mask; eighteen kinds exist. */
export const TASK_KIND_COUNT_MAX = 32

/** Bits of the statuses mask; five statuses exist. */
export const TASK_STATUS_COUNT_MAX = 16

/** Stands for a uid that is missing, so no task or batch ever has it. */
export const UID_NONE = 0xffffffff
