// The state of a database that is published into an object store.

export type PublishStatus = {
  /** The bucket, for operators. */
  readonly place: string
  readonly mode: 'interval' | 'sync'
  /** The name of the state that this process published last, or null before the first one. */
  readonly snapshot: string | null
  /** When its cut was taken, RFC 3339, by the clock of this machine; or null. */
  readonly publishedAt: string | null
  /** Why the last attempt failed, as a sentence, or null if it succeeded. */
  readonly problem: string | null
  /** Whether nothing is published because another instance publishes there. */
  readonly isRefused: boolean
  /** Objects of the place that could not be read and are skipped. */
  readonly unreadable: number
  /** The writer lease of this process, or null if the place has none. */
  readonly lease: { readonly term: number; readonly isHeld: boolean } | null
}

/** The publisher of an open database, for those who accept writes. */
export interface Publication {
  readonly status: PublishStatus
  /** Throws if this instance must not accept writes now. @throws EngineFault */
  expectHeld(): void
  /**
   * Resolves when all that is durable now may be acknowledged. `isTask`: a task was registered.
   * @throws EngineFault if it may not
   */
  acknowledged(isTask: boolean): Promise<void>
}
