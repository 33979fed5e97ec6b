// Text as UTF-8 and back. All without a state between two calls, so that everyone shares them.

export const encoder = new TextEncoder()

/** Drops a byte order mark; replaces bytes that are not UTF-8. */
export const decoder = new TextDecoder()

/** Keeps a byte order mark; replaces bytes that are not UTF-8. */
export const exactDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Keeps a byte order mark; throws TypeError for bytes that are not UTF-8. */
export const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
