// Limits of templates, each with its reason: they come from clients and run on the main thread.

/** Characters of a template. */
export const TEMPLATE_LENGTH_MAX = 100_000
/** A document of a few kilobytes takes a tenth of a millisecond; loops over loops end here. */
export const RENDER_MS_MAX = 50
/** Characters and elements that a rendering may put together. */
export const RENDER_MEMORY_MAX = 10_000_000
