// Limits of the kernel's memory. Each bounds memory.

/** Largest shared memory: addresses have 32 bits, and every system can reserve 2 GiB. */
export const MEMORY_PAGES_MAX = 1 << 15

/** Part of it for codes, in pages of 64 KiB: enough for 40 million rows of 96 dimensions. */
export const CODE_PAGES_MAX = 1 << 14

/**
 * Part of it for the text of segments, in pages of 64 KiB: 64 MiB. The dictionary of 25,000 films
 * takes 0.3 MB, one of a million film titles 5 MB; larger ones are walked by the twins.
 */
export const TEXT_PAGES_MAX = 1 << 10
