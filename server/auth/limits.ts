// Ceilings of authorisation and their reasons.

/**
 * Tenant tokens whose signature was verified lately. Verifying one takes some 200 µs, and a page of
 * one tenant sends the same token with every key stroke. At most 16 KiB of claims each: 16 MiB.
 */
export const TOKENS_KEPT_MAX = 1000
