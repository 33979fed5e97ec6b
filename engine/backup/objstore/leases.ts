// Leases of followers: one object per follower, with the snapshot it serves and the time of the
// last renewal. Retention keeps snapshots that a lease names.
//
// A lease is valid while its object changes: the time between two changes is measured by the steady
// clock of the reader. Clocks of two machines are never compared.
import { encoder } from '../../../format/bytes/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import { countFrom, decodedJson, object, type Schema, text } from '../../../format/schema/index.ts'
import { steadyMs } from '../../time/index.ts'
import { ArchiveError } from '../archive/index.ts'
import type { Bucket } from './bucket.ts'
import { smallObject } from './heads.ts'
import { followerInKey, leaseKey, leasesPrefix, type StorePlace } from './keys.ts'
import { LEASE_BYTES_MAX, LEASE_MS, SMALL_REQUESTS_MAX } from './limits.ts'
import { bodyOf } from './transport.ts'
import { eachOf } from './uploads.ts'

export type Lease = {
  readonly follower: string
  /** The name of the snapshot to keep. */
  readonly snapshot: string
  /** Milliseconds since 1970 by the clock of the follower: it changes with every renewal. */
  readonly renewedAt: number
}

const SCHEMA: Schema<Lease> = object<Lease>({
  follower: text,
  snapshot: text,
  renewedAt: countFrom(0),
})

/** @throws EngineFault, Canceled */
export function putLease(bucket: Bucket, place: StorePlace, lease: Lease): Promise<void> {
  const bytes = encoder.encode(`${JSON.stringify(lease)}\n`)
  return bucket.put(leaseKey(place, lease.follower), bodyOf(bytes))
}

type Seen = { readonly renewedAt: number; readonly since: number }

/** The leases of one place, as a process has seen them change. */
export class FollowerLeases {
  readonly #now: () => number
  readonly #seen = new Map<string, Seen>()

  /** `now`: milliseconds of a clock that is never set. */
  constructor(now: () => number = steadyMs) {
    this.#now = now
  }

  /**
   * Returns the names of the snapshots that followers serve, and removes leases that expired long
   * ago. Unreadable objects are ignored and stay. @throws EngineFault, Canceled
   */
  async snapshots(bucket: Bucket, place: StorePlace): Promise<ReadonlySet<string>> {
    const names = new Set<string>()
    const listed = await bucket.list(leasesPrefix(place))
    const keys = new Set(listed.map(({ key }) => key))
    for (const key of this.#seen.keys()) if (!keys.has(key)) this.#seen.delete(key)
    await eachOf(keys, SMALL_REQUESTS_MAX, async (key) => {
      const follower = followerInKey(place, key)
      const lease = follower === null ? null : await readLease(bucket, key)
      if (lease?.follower !== follower || lease === null) return
      const silentMs = this.#silence(key, lease)
      if (silentMs <= LEASE_MS) names.add(lease.snapshot)
      else if (silentMs > 2 * LEASE_MS) {
        await bucket.delete(key)
        this.#seen.delete(key)
      }
    })
    return names
  }

  /** Returns for how long a lease has been unchanged, as far as this process knows. */
  #silence(key: string, { renewedAt }: Lease): number {
    const now = this.#now()
    const seen = this.#seen.get(key)
    if (seen?.renewedAt === renewedAt) return now - seen.since
    this.#seen.set(key, { renewedAt, since: now })
    return 0
  }
}

async function readLease(bucket: Bucket, key: string): Promise<Lease | null> {
  try {
    return decodedJson(SCHEMA, await smallObject(bucket, key, LEASE_BYTES_MAX), 'lease')
  } catch (error) {
    // Not JSON, or not the form of a lease: no follower wrote it.
    if (error instanceof CorruptionError || error instanceof ArchiveError) return null
    throw error
  }
}
