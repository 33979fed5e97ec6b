// A space of the manifest's values: a name, a codec and a size limit. Every kind of value that the
// manifest holds (keys, webhooks, chat workspaces, the network, search rules, features) is one row
// of this type; the functions here are the only code that reads or writes `State.values`.
import { compareText } from '../../../format/bytes/index.ts'
import type { Change } from '../../../format/manifest/index.ts'
import type { EngineFault } from '../../model/index.ts'
import type { State } from '../catalog/index.ts'

export type ValueSpace<T> = {
  /** The name under which the manifest keeps the values; never changes. */
  readonly name: string
  /** @throws EngineFault for a value that is too large to be read back */
  encode(value: T): Uint8Array
  /** @throws CorruptionError, VersionError */
  decode(record: Uint8Array, key: string): T
  /** Ceiling of all records and keys together; null: the values are bounded in another way. */
  readonly limit: {
    readonly bytesMax: number
    /** The error for a change that would take the space from `bytes` to `wanted` bytes. */
    refuse(bytes: number, wanted: number): EngineFault
  } | null
}

const NO_RECORDS: ReadonlyMap<string, Uint8Array> = new Map()

/** Encoded values by key. The same map until a value of the space changes. */
export const recordsOf = (
  { name }: Pick<ValueSpace<unknown>, 'name'>,
  state: State,
): ReadonlyMap<string, Uint8Array> => state.values.get(name) ?? NO_RECORDS

/** All values by key, in byte order of the keys. @throws CorruptionError, VersionError */
export function decodedValues<T>(space: ValueSpace<T>, state: State): ReadonlyMap<string, T> {
  const records = [...recordsOf(space, state)].sort(([a], [b]) => compareText(a, b))
  return new Map(records.map(([key, record]) => [key, space.decode(record, key)]))
}

/** The change that sets a value, or with null removes it. @throws EngineFault from `encode` */
export const valueChange = <T>(space: ValueSpace<T>, key: string, value: T | null): Change => ({
  kind: 'value-set',
  space: space.name,
  key,
  value: value === null ? null : space.encode(value),
})

/**
 * The changes that set or remove several values of the newest state, in their order. Costs a pass
 * over the space where it grows. @throws EngineFault when the space would be too large
 */
export function valueChanges<T>(
  space: ValueSpace<T>,
  state: State,
  values: Iterable<readonly [key: string, value: T | null]>,
): readonly Change[] {
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
  if (bytes + more > limit.bytesMax) throw limit.refuse(bytes, bytes + more)
}

const sizeOf = (key: string, record: Uint8Array | null): number =>
  record === null ? 0 : Buffer.byteLength(key) + record.length
