// Edits: golden bytes, round trips, refusals. Layout: ./MANIFEST.md

import { encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { expectRefusals } from '../../fixtures/refusals.ts'
import { CorruptionError, InvariantError, VersionError } from '../errors.ts'
import { asIndexNo, asIndexUid, asSegmentNo, FIELDS_MAX } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import { SEGMENT_DOCUMENTS_MAX } from '../tombstones/index.ts'
import { type Change, decodeEdit, type Edit, encodeEdit } from './index.ts'
import { describeChange, editNotes } from './notes.ts'
import { anyEdit, SAMPLE_CHANGES } from './test-edits.ts'

/** Id sets with equal members may differ in representation, so they are compared as arrays. */
const plain = (edit: Edit): unknown =>
  edit.changes.map((change) =>
    change.kind === 'tombstones-added' ? { ...change, ids: [...change.ids.toArray()] } : change,
  )

function refused(bytes: Uint8Array): 'corrupt' | 'version' | null {
  try {
    decodeEdit(bytes)
    return null
  } catch (error) {
    if (error instanceof CorruptionError) return 'corrupt'
    if (error instanceof VersionError) return 'version'
    throw error
  }
}

describe('bytes', () => {
  it('are the golden ones', () => {
    const edit = { sequence: 300, checkpoint: false, changes: SAMPLE_CHANGES }
    const bytes = encodeEdit(edit)
    const shown = expectGolden('manifest/v1/every-change', bytes, editNotes(bytes))
    expect(plain(decodeEdit(shown))).toEqual(plain(edit))
  })

  it('are the example of the page', () => {
    const bytes = encodeEdit({
      sequence: 2,
      checkpoint: false,
      changes: [
        {
          kind: 'index-created',
          index: asIndexNo(1),
          uid: asIndexUid('movies'),
          primaryKey: null,
          at: 0x060a24181e4000,
          settings: '{}',
        },
        { kind: 'fields-added', index: asIndexNo(1), names: ['id', 'title'] },
      ],
    })
    expect(Buffer.from(bytes).toString('hex')).toBe(
      '9401000292960101a66d6f76696573c0cf00060a24181e4000a27b7d93070192a26964a57469746c65',
    )
  })

  it('read back as written', () => {
    fc.assert(
      fc.property(anyEdit, (edit) => {
        const bytes = encodeEdit(edit)
        const again = decodeEdit(bytes)
        expect(plain(again)).toEqual(plain(edit))
        expect([again.sequence, again.checkpoint]).toEqual([edit.sequence, edit.checkpoint])
        expect(encodeEdit(again)).toEqual(bytes)
      }),
      { numRuns: 500 },
    )
  })

  it('keep all Unicode text', () => {
    const settings = `\ufeff${'ü'.repeat(300)}`
    const changes: Change[] = [{ kind: 'settings-set', index: asIndexNo(1), settings }]
    expect(decodeEdit(encodeEdit({ sequence: 1, checkpoint: false, changes })).changes).toEqual(
      changes,
    )
  })

  it('are not copied when they are decoded', () => {
    const bytes = encodeEdit({ sequence: 1, checkpoint: false, changes: SAMPLE_CHANGES })
    for (const change of decodeEdit(bytes).changes) {
      if (change.kind !== 'segment-added' || change.location.kind !== 'inline') continue
      expect(change.location.frame.buffer).toBe(bytes.buffer)
    }
  })
})

describe('a writer', () => {
  const write = (change: Change) => () =>
    encodeEdit({ sequence: 1, checkpoint: false, changes: [change] })
  it('asserts what a reader refuses', () => {
    const added: Change = {
      kind: 'segment-added',
      index: asIndexNo(1),
      segment: asSegmentNo(1),
      layer: 'text',
      documents: 1,
      idMin: 0,
      idMax: 0,
      bytes: 3,
      location: { kind: 'file', checksum: 1 },
    }
    const bad: readonly Change[] = [
      { kind: 'index-removed', index: asIndexNo(-1) },
      { kind: 'index-removed', index: asIndexNo(2 ** 32) },
      { kind: 'index-renamed', index: asIndexNo(1), uid: asIndexUid('x'.repeat(513)) },
      { kind: 'index-renamed', index: asIndexNo(1), uid: asIndexUid('\ud800') },
      { kind: 'index-touched', index: asIndexNo(1), at: 0.5 },
      { kind: 'fields-added', index: asIndexNo(1), names: new Array(65537).fill('x') },
      {
        kind: 'field-counts',
        index: asIndexNo(1),
        counts: [
          [3, 1],
          [3, 1],
        ],
      },
      {
        kind: 'tombstones-added',
        index: asIndexNo(1),
        segment: asSegmentNo(1),
        form: 'delta',
        generation: 1,
        ids: IdSet.empty,
      },
      { ...added, idMin: 1 },
      { ...added, bytes: 2 ** 31 },
      { ...added, documents: SEGMENT_DOCUMENTS_MAX + 1 },
      { ...added, idMax: 2 ** 32 },
      { ...added, layer: 'Text' },
      { ...added, layer: 'x'.repeat(33) },
      { ...added, location: { kind: 'file', checksum: -1 } },
      { ...added, location: { kind: 'inline', frame: new Uint8Array(4) } },
      { kind: 'vector-counts', index: asIndexNo(1), vectors: 0.5, documents: 0 },
      { kind: 'numbers', nextIndex: asIndexNo(-1), nextSegment: asSegmentNo(0) },
      { kind: 'field-counts', index: asIndexNo(1), counts: [[FIELDS_MAX, 1]] },
    ]
    for (const change of bad) expect(write(change), change.kind).toThrow(InvariantError)
    const extremes: readonly Change[] = [
      { ...added, bytes: 2 ** 31 - 1, documents: SEGMENT_DOCUMENTS_MAX, idMax: 2 ** 32 - 1 },
      { ...added, layer: 'x'.repeat(32) },
      { kind: 'fields-added', index: asIndexNo(1), names: new Array(FIELDS_MAX).fill('x') },
      { kind: 'field-counts', index: asIndexNo(1), counts: [[FIELDS_MAX - 1, 1]] },
      { kind: 'index-renamed', index: asIndexNo(1), uid: asIndexUid('x'.repeat(512)) },
    ]
    for (const change of extremes) expect(write(change), change.kind).not.toThrow()
  })
})

describe('a reader', () => {
  const bytes = encodeEdit({ sequence: 300, checkpoint: true, changes: SAMPLE_CHANGES })

  it('refuses every truncation and every added byte', () => {
    for (let n = 0; n < bytes.length; n++) expect(refused(bytes.subarray(0, n))).not.toBeNull()
    expect(refused(Uint8Array.from([...bytes, 0xc0]))).toBe('corrupt')
  })

  it('gives another edit or a refusal for every flipped bit, never the same edit', () => {
    const original = JSON.stringify(plain(decodeEdit(bytes)))
    let accepted = 0
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = bytes.slice()
      damaged[bit >> 3]! ^= 1 << (bit & 7)
      if (refused(damaged) !== null) continue
      accepted++
      const edit = decodeEdit(damaged)
      const same = JSON.stringify(plain(edit)) === original
      expect(same && edit.sequence === 300 && edit.checkpoint, `bit ${bit}`).toBe(false)
    }
    expect(accepted).toBeGreaterThan(0)
  })

  it('has a message for each check', () => {
    expectRefusals('manifest', [['edit', bytes, decodeEdit]])
  })

  it('refuses values outside the schema', () => {
    const edit = (...changes: unknown[]) => encode([1, 0, 1, changes])
    const bad: readonly (readonly [string, Uint8Array])[] = [
      ['no array', encode(1)],
      ['a map', encode({ version: 1 })],
      ['a flag', encode([1, 2, 1, []])],
      ['a surplus element', encode([1, 0, 1, [], 0])],
      ['a missing element', encode([1, 0, 1])],
      ['tag 0', edit([0, 1])],
      ['tag 16', edit([16])],
      ['a tag alone', edit([0])],
      ['a surplus member', edit([2, 1, 1])],
      ['a missing member', edit([2])],
      ['text for a number', edit([2, 'x'])],
      ['a number for text', edit([6, 1, 1])],
      ['nil for text', edit([6, 1, null])],
      ['broken UTF-8', edit([6, 1, Uint8Array.of(0xc3, 0x28)])],
      ['a lone surrogate', edit([6, 1, Uint8Array.of(0xed, 0xa0, 0x80)])],
      ['a long uid', edit([3, 1, 'x'.repeat(513)])],
      ['a float', edit([5, 1, 1.5])],
      ['a negative number', edit([5, 1, -1])],
      ['a date', edit([5, 1, new Date(0)])],
      ['a layer', edit([9, 1, 1, 3, 1, 0, 0, 4, 5])],
      ['a numbered layer by name', edit([9, 1, 1, 'text', 1, 0, 0, 4, 5])],
      ['a layer without a name', edit([9, 1, 1, '', 1, 0, 0, 4, 5])],
      ['a layer in capitals', edit([9, 1, 1, 'Text', 1, 0, 0, 4, 5])],
      ['a layer with a long name', edit([9, 1, 1, 'x'.repeat(33), 1, 0, 0, 4, 5])],
      ['a number beyond u32', edit([2, 2 ** 32])],
      ['a number beyond the safe ones', edit([5, 1, 2 ** 53])],
      ['many documents', edit([9, 1, 1, 0, SEGMENT_DOCUMENTS_MAX + 1, 0, 0, 4, 5])],
      ['a large id', edit([9, 1, 1, 0, 1, 0, 2 ** 32, 4, 5])],
      ['a large checksum', edit([9, 1, 1, 0, 1, 0, 0, 4, 2 ** 32])],
      ['many fields', edit([7, 1, Array(FIELDS_MAX + 1).fill('')])],
      ['idMax below idMin', edit([9, 1, 1, 0, 1, 5, 4, 4, 5])],
      ['a frame of another length', edit([9, 1, 1, 0, 1, 0, 0, 4, new Uint8Array(5)])],
      ['a large segment', edit([9, 1, 1, 0, 1, 0, 0, 2 ** 31, 5])],
      ['an odd count', edit([8, 1, [1, 2, 3]])],
      ['descending fields', edit([8, 1, [2, 1, 1, 1]])],
      ['a field twice', edit([8, 1, [1, 1, 1, 1]])],
      ['a large field', edit([8, 1, [FIELDS_MAX, 1]])],
      ['a fraction as a count', edit([8, 1, [1, 0.5]])],
      ['a fraction as a count of vectors', edit([15, 1, 0.5, 1])],
      ['tombstones', edit([11, 1, 1, Uint8Array.of(1, 0, 9, 0)])],
      ['a number for bytes', edit([12, 1, 1])],
      ['nil for bytes', edit([12, 1, null])],
      ['a large batch uid', edit([12, 2 ** 32, Uint8Array.of(1)])],
    ]
    for (const [what, damaged] of bad) expect(refused(damaged), what).toBe('corrupt')
    expect(refused(encode([2, 0, 1, []]))).toBe('version')
    for (const extreme of [
      [8, 1, [FIELDS_MAX - 1, 1]],
      [9, 1, 1, 0, 1, 5, 5, 4, 5],
      [9, 1, 1, 'x'.repeat(32), SEGMENT_DOCUMENTS_MAX, 0, 2 ** 32 - 1, 2 ** 31 - 1, 2 ** 32 - 1],
      [3, 1, 'x'.repeat(512)],
      [7, 1, Array(FIELDS_MAX).fill('')],
      [12, 2 ** 32 - 1, new Uint8Array(0)],
      [14, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ]) {
      expect(refused(edit(extreme)), `tag ${extreme[0]}`).toBeNull()
    }
  })
})

it('notes have long members by their size or beginning', () => {
  const index = asIndexNo(1)
  const added = (count: number) =>
    describeChange({ kind: 'fields-added', index, names: new Array(count).fill('f') })
  expect(added(8)).toBe('fields-added: index 1, names ["f","f","f","f","f","f","f","f"]')
  expect(added(9)).toBe('fields-added: index 1, names 9 elements')
  const set = (length: number) =>
    describeChange({ kind: 'settings-set', index, settings: 'x'.repeat(length) })
  expect(set(78)).toBe(`settings-set: index 1, settings "${'x'.repeat(78)}"`)
  expect(set(79)).toBe(`settings-set: index 1, settings "${'x'.repeat(78)}…`)
})
