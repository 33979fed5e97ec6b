// The HTTP client of undici. The build replaces this module: `dist` has the client in a separate
// file, which is read with the first call.
import { createRequire } from 'node:module'
import type { Client } from 'undici'

export const undici = (): { readonly Client: typeof Client } =>
  createRequire(import.meta.url)('undici')
