// Limits of chat workspaces, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/**
 * Bytes of all workspaces together, with their names. They are part of a manifest's checkpoint,
 * which is one record.
 */
export const CHATS_BYTES_MAX = 16 * MiB
