// A space of the manifest's values: a name, a codec and a size limit. Every type of value in the
// manifest (keys, webhooks, chat workspaces, the network, search rules, features) has one object of
// this type; only the functions here read or write `State.values`.
import { compareText } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import type { Change } from '../../../format/manifest/index.ts'
import type { EngineFault } from '../../model/index.ts'
import type { State } from '../catalog/index.ts'

export type ValueSpace<T> = {
  /** Name of the space in the manifest; must never change. */
  readonly name: string
  /** @throws EngineFault for a value that is too large to be decoded again */
  encode(value: T): Uint8Array
  /** @throws CorruptionError, VersionError */
  decode(record: Uint8Array, key: string): T
  /** Limit of all records and keys together; null if the values are bounded in another way. */
  readonly limit: {
    readonly bytesMax: number
    /** Returns the error for a change that would grow the space from `bytes` to `wanted` bytes. */
    refuse(bytes: number, wanted: number): EngineFault
  } | null
}

const NO_RECORDS: ReadonlyMap<string, Uint8Array> = new Map()

/** Returns encoded values by key; the same map until a value of the space changes. */
export const recordsOf = (
  { name }: Pick<ValueSpace<unknown>, 'name'>,
  state: State,
): ReadonlyMap<string, Uint8Array> => state.values.get(name) ?? NO_RECORDS

/** Returns all values by key, in byte order of the keys. @throws CorruptionError, VersionError */
export function decodedValues<T>(space: ValueSpace<T>, state: State): ReadonlyMap<string, T> {
  const records = [...recordsOf(space, state)].sort(([a], [b]) => compareText(a, b))
  return new Map(records.map(([key, record]) => [key, space.decode(record, key)]))
}

/**
 * Returns the change that sets a value, or removes it if `value` is null. @throws errors of
 * `encode`
 */
export const valueChange = <T>(space: ValueSpace<T>, key: string, value: T | null): Change => ({
  kind: 'value-set',
  space: space.name,
  key,
  value: value === null ? null : space.encode(value),
})

/**
 * Returns the changes that set or remove several values of the newest state, in their order. Costs
 * a pass over the space if it grows. @throws EngineFault if the space would become too large
 */
export function valueChanges<T>(
  space: ValueSpace<T>,
  state: State,
  values: Iterable<readonly [key: string, value: T | null]>,
): readonly Change[] {
  assert(space.name !== '', 'a space has a name')
  const records = recordsOf(space, state)
  const changed = new Map<string, Uint8Array | null>()
  for (const [key, value] of values) changed.set(key, value === null ? null : space.encode(value))
  checkRoom(space, records, changed)
  return [...changed].map(([key, value]) => ({ kind: 'value-set', space: space.name, key, value }))
}

function checkRoom(
  { limit }: Pick<ValueSpace<unknown>, 'limit'>,
  records: ReadonlyMap<string, Uint8Array>,
  changed: ReadonlyMap<string, Uint8Array | null>,
): void {
  if (limit === null) return
  let more = 0
  for (const [key, record] of changed) {
    more += sizeOf(key, record) - sizeOf(key, records.get(key) ?? null)
  }
  if (more <= 0) return
  let bytes = 0
  for (const [key, record] of records) bytes += sizeOf(key, record)
  assert(bytes + more >= 0, 'a space holds no negative number of bytes')
  if (bytes + more > limit.bytesMax) throw limit.refuse(bytes, bytes + more)
}

const sizeOf = (key: string, record: Uint8Array | null): number =>
  record === null ? 0 : Buffer.byteLength(key) + record.length
