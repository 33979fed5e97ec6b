// The options of a follower.
import type { Bucket, StorePlace } from '../../backup/objstore/index.ts'

export type FollowOptions = {
  /** Opens the bucket, with credentials for the next minutes. @throws EngineFault */
  readonly openBucket: (signal: AbortSignal) => Promise<Bucket>
  readonly place: StorePlace
  /** A description for operators and clients, without secrets. */
  readonly source: string
  /** The bucket for operators; absent if `source` suffices. */
  readonly store?: string
  /** The name of this follower, used if it has no name yet. */
  readonly name: string
  readonly pollMs: number
  /**
   * The files that the first state waits for: all, or only those that all indexes share; then each
   * index is served when its files are there.
   */
  readonly download: 'before' | 'lazily'
  /** How long a request waits for a missing index; for tests. */
  readonly waitMsMax?: number
  /** Bytes that an index may need beyond its fetched files to be served; for tests. */
  readonly catchUpBytesMax?: number
  /** The version of this release. */
  readonly version: string
  /** Writes progress, failures and recoveries into the log. */
  readonly say: (level: 'info' | 'warn', message: string) => void
  readonly report: (message: string, error: unknown) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}
