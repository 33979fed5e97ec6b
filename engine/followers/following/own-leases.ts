// The leases that a follower keeps in the store: one for the state that it serves or takes over,
// one for the state whose files it still downloads. They are renewed while either takes long.
import { putLease } from '../../backup/objstore/index.ts'
import { steadyMs } from '../../time/index.ts'
import type { Source } from './download.ts'
import { LEASE_RENEWAL_MS } from './limits.ts'

type Role = 'state' | 'download'
type Held = { readonly follower: string; readonly snapshot: string; renewed: number }

export class OwnLeases {
  readonly #now: () => number
  readonly #held = new Map<Role, Held>()

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Writes the lease for the snapshot that must stay, if it has changed. @throws EngineFault,
   * Canceled
   */
  async hold(source: Source, role: Role, follower: string, snapshot: string): Promise<void> {
    if (this.#held.get(role)?.snapshot === snapshot) return
    const name = role === 'state' ? follower : `${follower}-${role}`
    const lease = { follower: name, snapshot, renewedAt: this.#now() }
    await putLease(source.bucket, source.place, lease)
    this.#held.set(role, { follower: name, snapshot, renewed: steadyMs() })
  }

  /** Stops the renewal; the lease expires after some minutes. */
  drop(role: Role): void {
    this.#held.delete(role)
  }

  /** Renews the leases that are due. @throws EngineFault, Canceled */
  async renew({ bucket, place }: Source): Promise<void> {
    for (const held of this.#held.values()) {
      const now = steadyMs()
      if (now - held.renewed < LEASE_RENEWAL_MS) continue
      const { follower, snapshot } = held
      await putLease(bucket, place, { follower, snapshot, renewedAt: this.#now() })
      held.renewed = now
    }
  }

  /** Renews leases while the work lasts; a failed renewal is repeated a minute later. */
  async during<T>(
    source: Source,
    work: () => Promise<T>,
    onFailure: (error: unknown) => void,
  ): Promise<T> {
    const timer = setInterval(() => this.renew(source).catch(onFailure), LEASE_RENEWAL_MS)
    try {
      return await work()
    } finally {
      clearInterval(timer)
    }
  }
}
