// What is followed, and how.
import type { Bucket, StorePlace } from '../backup/objstore/index.ts'

export type FollowOptions = {
  /** The bucket, with credentials that count for the next minutes. @throws EngineFault */
  readonly openBucket: (signal: AbortSignal) => Promise<Bucket>
  readonly place: StorePlace
  /** In words for operators and clients, without secrets. */
  readonly source: string
  /** Names this follower among the others, where it has no name yet. */
  readonly name: string
  readonly pollMs: number
  /**
   * What the first state waits for: all its files, or only what all indexes have in common; then
   * each index is served when its own files are there.
   */
  readonly download: 'before' | 'lazily'
  /** How long a request waits for an index that is not there; for tests. */
  readonly waitMsMax?: number
  /** What an index may need beside what was fetched of it, to be served at once; for tests. */
  readonly catchUpBytesMax?: number
  /** Of this release. */
  readonly version: string
  /** Writes progress, failures and recoveries into the log. */
  readonly say: (level: 'info' | 'warn', message: string) => void
  readonly report: (message: string, error: unknown) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}
