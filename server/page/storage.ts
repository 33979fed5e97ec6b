// Texts that the browser keeps for the page. A browser may forbid storage: then nothing is kept.

/** The text, or null. `storage`: a function, because naming a forbidden storage throws already. */
export function readStored(storage: () => Storage, name: string): string | null {
  try {
    return storage().getItem(name)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    return null
  }
}

/** null removes it. */
export function writeStored(storage: () => Storage, name: string, text: string | null): void {
  try {
    if (text === null) storage().removeItem(name)
    else storage().setItem(name, text)
  } catch (error) {
    // The choice then lasts as long as the page.
    if (!(error instanceof DOMException)) throw error
  }
}
