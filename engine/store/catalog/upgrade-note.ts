// The note of an upgrade in the manifest: the database comes from an older release, or has segments
// of an older analysis, and not all of it is rebuilt yet. The note is committed before VERSION is
// written and is removed by the edit that ends the upgrade, so the next start after a kill finds it
// and continues.
import { decoder, encoder } from '../../../format/bytes/index.ts'
import type { Change } from '../../../format/manifest/index.ts'
import type { State } from './state.ts'

const SPACE = 'upgrade'
const FROM = 'from'
const BEGUN = 'begun'

export type UpgradeNote = {
  /** The release that wrote the database before, `major.minor.patch`. */
  readonly from: string
  /**
   * True if segments were already replaced; the older release can then no longer open the database.
   */
  readonly hasBegun: boolean
}

/** Returns the note, or null if there is no upgrade under way. */
export function upgradeNote({ values }: State): UpgradeNote | null {
  const note = values.get(SPACE)
  const from = note?.get(FROM)
  if (note === undefined || from === undefined) return null
  return { from: decoder.decode(from), hasBegun: note.has(BEGUN) }
}

const set = (key: string, value: Uint8Array | null): Change => ({
  kind: 'value-set',
  space: SPACE,
  key,
  value,
})

/** Returns the changes that record a due upgrade. */
export const upgradeDue = (from: string): Change[] => [set(FROM, encoder.encode(from))]

/** Returns the change that records that segments were replaced. */
export const upgradeBegun = (): Change => set(BEGUN, Uint8Array.of(1))

/** Returns the changes that remove the note: the upgrade ended or was canceled. */
export const upgradeOver = (): Change[] => [set(FROM, null), set(BEGUN, null)]
