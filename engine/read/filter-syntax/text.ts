// Transfers filters to a search thread. A large one is sent as the bytes of its JSON text, which
// copy much faster than a value, whose elements are copied one by one. Clients cannot send bytes,
// so bytes identify this form.

import { decoder } from '../../../format/bytes/index.ts'
/** Returns the filter as a JSON value. */
export const openFilter = (filter: unknown): unknown =>
  filter instanceof Uint8Array ? JSON.parse(decoder.decode(filter)) : filter
