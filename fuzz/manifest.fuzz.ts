// Any bytes decode to an edit or are refused with a typed error; a decoded edit survives a round
// trip. Page: format/manifest/MANIFEST.md
import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import { type Change, decodeEdit, encodeEdit } from '../format/manifest/index.ts'
import { SAMPLE_CHANGES } from '../format/manifest/test-edits.ts'
import type { FuzzTarget } from './target.ts'

export const target: FuzzTarget = {
  name: 'manifest',
  seeds: () => [
    encode([]),
    encode(SAMPLE_CHANGES),
    ...SAMPLE_CHANGES.map((change) => encode([change])),
  ],
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 4096,
}

function run(input: Uint8Array): void {
  const edit = decodeEdit(input)
  const large = (change: Change) => change.kind === 'tombstones-added' && change.ids.size > 1 << 16
  if (edit.changes.some(large)) return
  const bytes = encodeEdit(edit)
  const again = encodeEdit(decodeEdit(bytes))
  assert(Buffer.compare(bytes, again) === 0, 'an edit has one encoding')
}

const encode = (changes: readonly Change[]): Uint8Array =>
  encodeEdit({ sequence: 1, checkpoint: false, changes })
