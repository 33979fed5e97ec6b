// What a database that follows another one has taken over so far: one value of its manifest, which
// changes in the same edit as what it describes.

import type { Change } from '../../format/manifest/index.ts'
import {
  countBetween,
  decodedJson,
  listUpTo,
  object,
  objectWith,
  type Schema,
  safeCount,
  text,
} from '../../format/schema/index.ts'
import type { NumberShift, State } from '../store/catalog/index.ts'
import { recordsOf, type ValueSpace, valueChange } from '../store/values/index.ts'

export type Following = {
  /** What is followed: bucket and path, without secrets. */
  readonly source: string
  /** Names this follower among the others. */
  readonly follower: string
  /** The snapshot that the state is of. */
  readonly snapshot: string
  /** RFC 3339. */
  readonly publishedAt: string
  /** Names the folder of the task log. */
  readonly generation: number
  /** What numbers of the snapshot are moved by here. */
  readonly shift: NumberShift
  /** Where the instance that publishes takes writes, as it says; absent: it does not say. */
  readonly writer?: string
  /** Indexes whose documents are still to be downloaded; absent: none. */
  readonly missing?: readonly number[]
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
  { writer: text, missing: listUpTo(MISSING_MAX, safeCount) },
)

const KEY = 'state'

const FOLLOWING: ValueSpace<Following> = {
  name: 'following',
  encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
  decode: (record) => decodedJson(SCHEMA, record, 'following'),
  limit: null,
}

/** The space of the manifest that is the follower's own. */
export const OWN_SPACES: ReadonlySet<string> = new Set([FOLLOWING.name])

/** null: the database follows no other. @throws CorruptionError */
export function followingOf(state: State): Following | null {
  const record = recordsOf(FOLLOWING, state).get(KEY)
  return record === undefined ? null : FOLLOWING.decode(record, KEY)
}

/** null: it follows no other any more. */
export const followingChange = (value: Following | null): Change =>
  valueChange(FOLLOWING, KEY, value)
