// Identifiers that a primary key can hold. Those of other engines may have any characters.
import { createHash } from 'node:crypto'

/** Room for the digest behind the longest identifier of 511 bytes. */
const LENGTH_MAX = 480
/** 64 bits: among 100 million identifiers two meet with a probability of 0.0003. */
const DIGEST_DIGITS = 16
const ALLOWED = /^[A-Za-z0-9_-]{1,511}$/

/**
 * Returns the identifier if it is allowed. In others each wrong character becomes `_`, and the first
 * 16 digits of the SHA-256 of the original follow: equal originals stay equal, different ones stay
 * different, also between imports.
 */
export function allowedId(id: string): string {
  if (ALLOWED.test(id)) return id
  const digest = createHash('sha256').update(id).digest('hex').slice(0, DIGEST_DIGITS)
  return `${id.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, LENGTH_MAX)}-${digest}`
}
