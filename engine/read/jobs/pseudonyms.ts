// Ids of documents for callers that may not know them: equal for equal ids until the process ends.
import { createHmac, randomBytes } from 'node:crypto'

const KEY = randomBytes(32)

export const pseudonymOf = (externalId: Uint8Array): string =>
  createHmac('sha256', KEY).update(externalId).digest('base64url')
