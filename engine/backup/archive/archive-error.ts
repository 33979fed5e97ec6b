// A fault of an archive from elsewhere: a failure of the world's, like a damaged file. The message
// is complete and can be shown to the operator.

export type ArchiveErrorCode =
  /** It ends early, or its bytes differ from those that were written. */
  | 'damaged'
  /** It does not exist. */
  | 'missing'
  /** A newer release wrote it. */
  | 'newer'
  /** It is intact but would do harm: links, paths that leave the folder, duplicate names. */
  | 'unsafe'
  /** It has more entries or bytes than the limits allow. */
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
