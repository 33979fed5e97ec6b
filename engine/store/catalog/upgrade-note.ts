// The note of an upgrade in the manifest: that the database was taken over from an older release,
// or holds segments of an older analysis, and that not all of it is built anew yet. It is committed
// before VERSION is written, and goes with the edit that ends the upgrade, so a process that is
// killed anywhere between finds it and goes on.
import type { Change } from '../../../format/manifest/index.ts'
import type { State } from './state.ts'

const SPACE = 'upgrade'
const FROM = 'from'
const BEGUN = 'begun'

export type UpgradeNote = {
  /** The release that the database was taken over from, `major.minor.patch`. */
  readonly from: string
  /** Whether segments were replaced already: then nothing leads back to that release. */
  readonly hasBegun: boolean
}

/** null: no upgrade is under way. */
export function upgradeNote({ values }: State): UpgradeNote | null {
  const note = values.get(SPACE)
  const from = note?.get(FROM)
  if (note === undefined || from === undefined) return null
  return { from: new TextDecoder().decode(from), hasBegun: note.has(BEGUN) }
}

const set = (key: string, value: Uint8Array | null): Change => ({
  kind: 'value-set',
  space: SPACE,
  key,
  value,
})

/** Notes that an upgrade is due. */
export const upgradeDue = (from: string): Change[] => [set(FROM, new TextEncoder().encode(from))]

/** Notes that segments were replaced. */
export const upgradeBegun = (): Change => set(BEGUN, Uint8Array.of(1))

/** Takes the note away: the upgrade is done, or was called off. */
export const upgradeOver = (): Change[] => [set(FROM, null), set(BEGUN, null)]
