// Ceilings of authorisation and their reasons.
import { KiB } from '../../format/bytes/index.ts'

/**
 * Tenant tokens whose signature was verified lately. Verifying one takes some 300 µs, knowing one
 * 9; and a page of one tenant sends the same token with every key stroke.
 */
export const TOKENS_KEPT_MAX = 1000

/** Longer tokens are verified each time, so that all that are kept take 8 MiB at most. */
export const TOKEN_KEPT_LENGTH_MAX = 8 * KiB
