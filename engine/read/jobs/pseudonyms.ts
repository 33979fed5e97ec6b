// Ids of documents for callers that may not know them: equal for equal ids until the process ends.
import { createHmac, randomBytes } from 'node:crypto'

let key: Buffer | null = null

export function pseudonymOf(externalId: Uint8Array): string {
  key ??= randomBytes(32)
  return createHmac('sha256', key).update(externalId).digest('base64url')
}
