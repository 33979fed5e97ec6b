// What is wrong with an archive that somebody gave us. A failure of the world's, like a damaged
// file: the message is finished and says what to look at.

export type ArchiveErrorCode =
  /** It ends early, or its bytes are not those that were written. */
  | 'damaged'
  /** It is sound, and would do harm: links, paths that leave the folder, names twice. */
  | 'unsafe'
  /** It has more entries or bytes than is allowed. */
  | 'too_large'

export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  constructor(
    readonly code: ArchiveErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options)
  }
}
