// The bytes of a manifest: the order of its records, and its number.
import { describe, expect, it } from 'vitest'
import { encodeEdit } from '../../../format/manifest/index.ts'
import { createLog } from '../logs/index.ts'
import { FakeDisk, readFile } from '../storage/index.ts'
import { checkpointEdit } from './checkpoint.ts'
import { EDIT_RECORD } from './manifest.ts'
import { stateOfManifest } from './read-database.ts'
import { EMPTY_STATE } from './state.ts'

const PATH = 'manifest-000003.log'
type Given = { readonly type: number; readonly payload: Uint8Array }

/** Returns the bytes of a manifest of these records. */
async function bytesOf(records: readonly Given[], number = 3): Promise<Uint8Array> {
  const fs = new FakeDisk().mount()
  const log = await createLog(fs, PATH, { kind: 'MANI', number, salt: 7 }, records)
  await log.close()
  return readFile(fs, PATH, 1e6)
}

const edit = (sequence: number, isCheckpoint: boolean): Given => {
  const whole = checkpointEdit(EMPTY_STATE)
  const value = Uint8Array.of(sequence)
  const change = { kind: 'value-set', space: 's', key: 'k', value } as const
  const changes = isCheckpoint ? whole.changes : [change]
  const payload = encodeEdit({ sequence, checkpoint: isCheckpoint, changes })
  return { type: EDIT_RECORD, payload }
}

describe('a manifest', () => {
  it('is a checkpoint with the edits after it', async () => {
    const bytes = await bytesOf([edit(4, true), edit(5, false), edit(6, false)])
    const state = stateOfManifest(PATH, bytes)
    expect(state.sequence).toBe(6)
    expect([...state.values.get('s')!]).toEqual([['k', Uint8Array.of(6)]])
  })

  it.each<[string, readonly Given[], number, string, RegExp]>([
    ['without records', [], 3, 'corrupt', /the checkpoint is sound/],
    ['without a checkpoint', [edit(4, false)], 3, 'corrupt', /a checkpoint comes first/],
    [
      'with a second checkpoint',
      [edit(4, true), edit(5, true)],
      3,
      'corrupt',
      /a checkpoint comes first/,
    ],
    ['of another number', [edit(4, true)], 2, 'corrupt', /this is manifest 3/],
    [
      'with a record of another type',
      [edit(4, true), { ...edit(5, false), type: EDIT_RECORD + 1 }],
      3,
      'version',
      /record of a manifest/,
    ],
  ])('%s is refused', async (_, records, number, code, message) => {
    const bytes = await bytesOf(records, number)
    expect(() => stateOfManifest(PATH, bytes)).toThrow(
      expect.objectContaining({ code, path: PATH, message: expect.stringMatching(message) }),
    )
  })
})
