// The state that users of one place of a store share within a process. Uploads alternate with the
// removal of old files: the removal deletes files that no head names, so no upload may run
// meanwhile. Lists of the store may be old, so files and heads that this process wrote or deleted
// count as such.
import { steadyMs } from '../../time/index.ts'
import { type HeadRef, UnreadableHeads } from './heads.ts'
import type { HeadKind } from './keys.ts'
import { FollowerLeases } from './leases.ts'
import { DELETED_KEYS_MAX, OWN_HEADS, RECENT_MS } from './limits.ts'
import type { HeadNames } from './own-term.ts'

/** `at`: when it was written, by the steady clock. */
type OwnHead = HeadRef & { readonly at: number }

export class StoreTurns {
  /**
   * Bytes of the files that are known to be in the store, by key; uploads add to it. null means
   * that the store must be listed.
   */
  known: Map<string, number> | null = null
  readonly leases = new FollowerLeases()
  /** Receives messages for the operator. */
  say: (message: string) => void = () => undefined
  readonly unreadable = new UnreadableHeads((message) => this.say(message))
  /** Names the heads that this process writes; set when the database is open. */
  names: HeadNames | null = null
  /** Files that this process has deleted and not uploaded since. */
  readonly deleted = new Set<string>()
  #own: readonly OwnHead[] = []
  #uploads = 0
  #retaining: Promise<void> | null = null

  /** The heads that this process wrote last: those of the last seconds, and a few of each kind. */
  get own(): readonly OwnHead[] {
    return this.#own
  }

  /** Returns whether this process wrote the head just now, so that a follower may have read it. */
  isRecent(ref: HeadRef): boolean {
    const own = this.#own.find(({ kind, name }) => kind === ref.kind && name === ref.name)
    return own !== undefined && steadyMs() - own.at < RECENT_MS
  }

  /** Notes that a head is being written. */
  writes(name: string, kind: HeadKind): void {
    const at = steadyMs()
    const same = this.#own.filter((ref) => ref.kind === kind)
    const others = this.#own.filter((ref) => ref.kind !== kind)
    const old = same.slice(0, Math.max(0, same.length + 1 - OWN_HEADS))
    const recent = old.filter((ref) => at - ref.at < RECENT_MS)
    this.#own = [...others, ...recent, ...same.slice(old.length), { name, kind, at }]
  }

  /** Notes that heads were deleted, or not written after all. */
  disowns(names: readonly string[]): void {
    this.#own = this.#own.filter(({ name }) => !names.includes(name))
  }

  /** Notes that files were deleted. */
  removed(keys: readonly string[]): void {
    for (const key of keys) this.deleted.add(key)
    for (const key of this.deleted) {
      if (this.deleted.size <= DELETED_KEYS_MAX) return
      this.deleted.delete(key)
    }
  }

  /** Runs `work` when no removal runs. Uploads run in parallel. */
  async upload<T>(work: () => Promise<T>): Promise<T> {
    while (this.#retaining !== null) await this.#retaining
    this.#uploads++
    try {
      return await work()
    } finally {
      this.#uploads--
    }
  }

  /** Runs `work` unless an upload or a removal runs; returns whether it did. */
  async retain(work: () => Promise<void>): Promise<boolean> {
    if (this.#uploads > 0 || this.#retaining !== null) return false
    this.known = null
    const done = work().finally(() => {
      this.#retaining = null
    })
    this.#retaining = done.catch(() => undefined)
    await done
    return true
  }
}
