// The writer record in its store: read, and written only if it has not changed. Page: WRITER.md
import { encoder } from '../../../format/bytes/index.ts'
import { EngineFault } from '../../model/index.ts'
import { ArchiveError } from '../archive/index.ts'
import type { Bucket } from './bucket.ts'
import type { UnreadableHeads } from './heads.ts'
import { positionOf, probeKey, type StorePlace, writerKey } from './keys.ts'
import { WRITER_BYTES_MAX } from './limits.ts'
import { bodyOf, type StoreBody } from './transport.ts'
import { decodeWriter, type WriterRecord } from './writer-v1.ts'

export type StoredRecord = {
  /** null if it is damaged. */
  readonly record: WriterRecord | null
  readonly bytes: Uint8Array
  readonly etag: string
}

/** The store as a lease uses it; tests replace it. */
export interface WriterStore {
  /** Returns null if there is no record. @throws EngineFault, ArchiveError, Canceled */
  get(): Promise<StoredRecord | null>
  /**
   * Writes the record if it still has this ETag, or for null if it does not exist. Returns its
   * ETag, or null if the store refused. @throws EngineFault, Canceled; it may have been written all
   * the same
   */
  put(bytes: Uint8Array, etag: string | null): Promise<string | null>
}

/** `open`: returns the bucket with valid credentials. `timeoutMs`: of one request. */
export const writerStore = (
  open: (signal: AbortSignal) => Promise<Bucket>,
  place: StorePlace,
  timeoutMs: number,
): WriterStore => ({
  get: async () => readStored(await open(AbortSignal.timeout(timeoutMs)), place),
  put: async (bytes, etag) => {
    const bucket = await open(AbortSignal.timeout(timeoutMs))
    return bucket.putIf(writerKey(place), bodyOf(bytes), etag)
  },
})

/**
 * Returns the record of a place, or null if it has none, or a damaged one, which is reported.
 * @throws EngineFault, ArchiveError if a newer release wrote it
 */
export async function readWriter(
  bucket: Bucket,
  place: StorePlace,
  unreadable: UnreadableHeads,
): Promise<WriterRecord | null> {
  return unreadable.skipping('writer', async () => {
    const found = await bucket.read(writerKey(place), WRITER_BYTES_MAX)
    return found === null ? null : decodeWriter(found.bytes)
  })
}

async function readStored(bucket: Bucket, place: StorePlace): Promise<StoredRecord | null> {
  const found = await bucket.read(writerKey(place), WRITER_BYTES_MAX)
  if (found === null) return null
  const { bytes, etag } = found
  return { record: decodedOrNull(bytes), bytes, etag: etag ?? '' }
}

/** Returns null for a damaged record. @throws ArchiveError if a newer release wrote it */
export function decodedOrNull(bytes: Uint8Array): WriterRecord | null {
  try {
    return decodeWriter(bytes)
  } catch (error) {
    if (error instanceof ArchiveError && error.code !== 'newer') return null
    throw error
  }
}

/**
 * Returns whether a head is valid beside the record of its place: an earlier term ended with the
 * head that the record names, and a state of the present term counts when the record names it.
 */
export function isValidHead(
  record: WriterRecord,
  { name, kind }: { readonly name: string; readonly kind: 'snapshots' | 'published' },
): boolean {
  const { term } = positionOf(name)
  if (term === record.term) return kind === 'snapshots' || isUpTo(name, record.head)
  const end = record.ends.find((one) => one.term === term)
  return end === undefined ? term < record.term : isUpTo(name, end.head)
}

const isUpTo = (name: string, last: string | null): boolean => last !== null && name <= last

/**
 * Finds out whether a store obeys conditions of writes, with an object of its own.
 * @throws EngineFault if it cannot be reached, Canceled
 */
export async function obeysConditions(
  bucket: Bucket,
  place: StorePlace,
  random: string,
): Promise<boolean> {
  const key = probeKey(place, random)
  const body = (text: string): StoreBody => bodyOf(encoder.encode(text))
  await bucket.put(key, body('0'))
  try {
    if ((await bucket.putIf(key, body('1'), null)) !== null) return false
    const etag = (await bucket.read(key, 1))?.etag ?? null
    if (etag === null || (await bucket.putIf(key, body('2'), etag)) === null) return false
    return (await bucket.putIf(key, body('3'), etag)) === null
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    // The store does not know conditions, or it cannot be reached: then this fails as well.
    await bucket.put(key, body('4'))
    return false
  } finally {
    await bucket.delete(key)
  }
}
