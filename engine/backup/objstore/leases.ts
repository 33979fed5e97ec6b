// Leases of followers: one object per follower, with the snapshot it serves and the time of the
// last renewal. Retention keeps snapshots that a lease names.

import { CorruptionError } from '../../../format/errors.ts'
import { countFrom, decodedJson, object, type Schema, text } from '../../../format/schema/index.ts'
import { ArchiveError } from '../archive/index.ts'
import type { Bucket } from './bucket.ts'
import { leaseKey, leasesPrefix, type StorePlace } from './keys.ts'
import { LEASE_BYTES_MAX, LEASE_MS, SMALL_REQUESTS_MAX } from './limits.ts'
import { smallObject } from './remote-snapshots.ts'
import { bodyOf } from './transport.ts'
import { eachOf } from './uploads.ts'

export type Lease = {
  readonly follower: string
  /** The name of the snapshot to keep. */
  readonly snapshot: string
  /** Milliseconds since 1970. */
  readonly renewedAt: number
}

const SCHEMA: Schema<Lease> = object<Lease>({
  follower: text,
  snapshot: text,
  renewedAt: countFrom(0),
})

/** @throws EngineFault, Canceled */
export function putLease(bucket: Bucket, place: StorePlace, lease: Lease): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(lease)}\n`)
  return bucket.put(leaseKey(place, lease.follower), bodyOf(bytes))
}

/**
 * Returns the names of the snapshots that followers serve, and removes expired leases. Unreadable
 * leases are ignored. @throws EngineFault, Canceled
 */
export async function leasedSnapshots(
  bucket: Bucket,
  place: StorePlace,
  now: number,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  const listed = await bucket.list(leasesPrefix(place))
  await eachOf(listed, SMALL_REQUESTS_MAX, async ({ key }) => {
    const lease = await readLease(bucket, key)
    if (lease !== null && now - lease.renewedAt <= LEASE_MS) names.add(lease.snapshot)
    else if (lease === null || now - lease.renewedAt > 2 * LEASE_MS) await bucket.delete(key)
  })
  return names
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
