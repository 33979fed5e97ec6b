// The state of a database that follows another one.

export type FollowStatus = {
  /** The source that is followed, in words for operators. */
  readonly source: string
  /** The snapshot that is served, or null before the first one. */
  readonly snapshot: string | null
  /** When the snapshot was published, RFC 3339, or null before the first one. */
  readonly publishedAt: string | null
  /** When the store last answered, in milliseconds since 1970, or null if it never did. */
  readonly checkedAt: number | null
  /** Why the last attempt failed, as a sentence, or null if it succeeded. */
  readonly problem: string | null
  /** Number of indexes that are still being downloaded and are not served. */
  readonly missingIndexes: number
  /** Bytes still to be downloaded for these indexes. */
  readonly missingBytes: number
  /** Objects of the place that could not be read and are skipped. */
  readonly unreadable: number
}
