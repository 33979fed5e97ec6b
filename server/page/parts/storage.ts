// Reads and writes texts in the browser's storage. A browser may forbid storage; nothing is stored
// then.

/**
 * Returns the text, or null. `storage` is a function, because merely accessing forbidden storage
 * throws.
 */
export function readStored(storage: () => Storage, name: string): string | null {
  try {
    return storage().getItem(name)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    return null
  }
}

/** Stores a text; null removes it. */
export function writeStored(storage: () => Storage, name: string, text: string | null): void {
  try {
    if (text === null) storage().removeItem(name)
    else storage().setItem(name, text)
  } catch (error) {
    // Storage is forbidden: the value is lost when the page is closed.
    if (!(error instanceof DOMException)) throw error
  }
}
