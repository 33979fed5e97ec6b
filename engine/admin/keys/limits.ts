// Limits of the key store and their reasons.
import { MiB } from '../../../format/bytes/index.ts'

/**
 * Bytes of all records together, with their uids. The keys are part of a manifest's checkpoint,
 * which is one record of its log (256 MiB at most) and holds other values as well; they are in
 * memory, too. Enough for 400,000 keys of the usual 160 bytes.
 */
export const KEYS_BYTES_MAX = 64 * MiB
