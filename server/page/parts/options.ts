// Options of the server's launch that the page has to know: attributes of its first element.

/** True if the page offers no changes. */
export const isReadOnly = (): boolean => document.documentElement.hasAttribute('data-read-only')

/** Returns the origins of the pictures that the page may show. */
export const imageOrigins = (): readonly string[] =>
  (document.documentElement.dataset['images'] ?? '').split(' ').filter((origin) => origin !== '')
