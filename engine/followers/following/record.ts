// The record of the followed state: one value of the manifest, which changes in the same edit as
// the state.
import { encoder } from '../../../format/bytes/index.ts'
import type { IndexNo } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import {
  countBetween,
  decodedJson,
  identifying,
  listUpTo,
  object,
  objectWith,
  type Schema,
  safeCount,
  text,
} from '../../../format/schema/index.ts'
import type { NumberShift, State } from '../../store/catalog/index.ts'
import { recordsOf, type ValueSpace, valueChange } from '../../store/values/index.ts'

export type Following = {
  /** Bucket and path of the followed database, without secrets. */
  readonly source: string
  /** The name of this follower. */
  readonly follower: string
  /** The name of the snapshot of the current state. */
  readonly snapshot: string
  /** RFC 3339. */
  readonly publishedAt: string
  /** The number of the folder of the task log. */
  readonly generation: number
  /** The offset between numbers of the snapshot and local numbers. */
  readonly shift: NumberShift
  /** Where the publishing instance accepts writes; absent if it has not published that. */
  readonly writer?: string
  /** The identity of the publishing instance; absent if it has not published that. */
  readonly instance?: string
  /** Indexes whose documents are not downloaded yet; absent if all are. */
  readonly missing?: readonly IndexNo[]
}

/** More indexes than a manifest can hold. */
const MISSING_MAX = 10_000_000

const SCHEMA: Schema<Following> = objectWith<Following>(
  {
    source: text,
    follower: text,
    snapshot: text,
    publishedAt: text,
    generation: countBetween(1, 999_999_999),
    shift: object<NumberShift>({ index: safeCount, segment: safeCount }),
  },
  { writer: text, instance: text, missing: listUpTo(MISSING_MAX, identifying<IndexNo>(safeCount)) },
)

/** In place of the name of a snapshot: the database is not a published state. */
export const NO_SNAPSHOT = ''

const KEY = 'state'

const FOLLOWING: ValueSpace<Following> = {
  name: 'following',
  encode: (value) => encoder.encode(JSON.stringify(value)),
  decode: (record) => decodedJson(SCHEMA, record, 'following'),
  limit: null,
}

/** The manifest space that belongs to the follower alone. */
export const OWN_SPACES: ReadonlySet<string> = new Set([FOLLOWING.name])

/** Returns null if the database follows no other. @throws CorruptionError */
export function followingOf(state: State): Following | null {
  const record = recordsOf(FOLLOWING, state).get(KEY)
  return record === undefined ? null : FOLLOWING.decode(record, KEY)
}

/** null removes the record. */
export const followingChange = (value: Following | null): Change =>
  valueChange(FOLLOWING, KEY, value)
