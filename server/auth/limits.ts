// Limits of authorisation and their reasons.
import { KiB } from '../../format/bytes/index.ts'

/**
 * Verified tenant tokens in the cache. Verifying one computes a signature, and a page of one tenant
 * sends the same token with every key stroke.
 */
export const TOKENS_KEPT_MAX = 1000

/** Longer tokens are not cached, so that the cache holds at most 8 MiB. */
export const TOKEN_KEPT_LENGTH_MAX = 8 * KiB
