// How well a database that follows another one does.

export type FollowStatus = {
  /** What is followed, in words for operators. */
  readonly source: string
  /** The snapshot that is served; null: none yet. */
  readonly snapshot: string | null
  /** When it was published, RFC 3339; null: none yet. */
  readonly publishedAt: string | null
  /** When the store was last asked with success, in milliseconds since 1970; null: never. */
  readonly checkedAt: number | null
  /** Why the last attempt failed, a sentence; null: it did not. */
  readonly problem: string | null
  /** Indexes that are still downloaded and not served. */
  readonly missingIndexes: number
  /** Bytes that are still to come for them. */
  readonly missingBytes: number
}
