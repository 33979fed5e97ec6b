// Filters on their way to a search thread. A large one travels as the bytes of its JSON text, which
// are copied in no time, where a value is copied element by element. No client can send bytes: what
// is one is known by that.

const decoder = new TextDecoder()

/** The filter as a value: any JSON. */
export const openFilter = (filter: unknown): unknown =>
  filter instanceof Uint8Array ? JSON.parse(decoder.decode(filter)) : filter
