// Limits of chat workspaces, each with its reason.

/**
 * All workspaces together, with their names. They are part of a manifest's checkpoint, which is
 * one record.
 */
export const CHATS_BYTES_MAX = 16 * 1024 * 1024
