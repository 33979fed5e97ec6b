// The annotated bytes of a posting, and of a small segment: two documents with two terms.
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import type { Note } from '../annotate/index.ts'
import { ByteWriter } from '../bytes/index.ts'
import { Frame } from '../frame/index.ts'
import { frameNotes, type SectionNotes } from '../frame/test-notes.ts'
import { fstNotes } from '../fst/inspect.ts'
import { idSetNotes } from '../idset/test-notes.ts'
import { LengthsBuilder, TEXT_KIND, TextReader, TextWriter } from './index.ts'
import { PostingEncoder } from './posting-encode-v1.ts'

const ANALYSIS = 2
const packed = (field: number, position: number): number => (field << 16) | position

/** Document 4: field 0 "red fox". Document 7: field 0 "fox", field 1 "red red". */
function segment(): Uint8Array {
  const out = new ByteWriter()
  const writer = new TextWriter(Uint32Array.of(4, 7), (bytes) => out.bytes(bytes), ANALYSIS)
  const add = (term: string, docs: Uint32Array, places: readonly number[]): void =>
    writer.term(new TextEncoder().encode(term), docs, Uint32Array.from(places), 0, docs.length)
  add('fox', Uint32Array.of(4, 7), [packed(0, 1), packed(0, 0)])
  add('red', Uint32Array.of(4, 7, 7), [packed(0, 0), packed(1, 0), packed(1, 1)])
  const lengths = new LengthsBuilder()
  lengths.add(4, 0, 2)
  lengths.add(7, 0, 1)
  lengths.add(7, 1, 2)
  writer.finish(lengths)
  return out.finish()
}

/** Notes that follow one another without gaps: lengths and meanings. */
function notes(...lines: readonly (readonly [number, string])[]): Note[] {
  let at = 0
  return lines.map(([length, text]) => {
    at += length
    return { from: at - length, to: at, text }
  })
}

const setNotes = (documents: string): [number, string][] => [
  [16, `documents ${documents}`],
  [documents.split(',').length * 2, 'their ids'],
]

function inside(frame: Frame): SectionNotes {
  return new Map([
    [
      'POST',
      notes(
        [1, 'POST: "fox": df 2, form 0'],
        [1, 'document 4: gap 0 from idMin 4, single'],
        [1, 'document 7: gap 2 (7 − 4 − 1), single'],
        [2, 'document 4: field 0, position 1'],
        [2, 'document 7: field 0, position 0'],
        [1, '"red": df 2, form 0'],
        [1, 'document 4: gap 0 from idMin 4, single'],
        [1, 'document 7: gap 2, several'],
        [2, 'document 4: field 0, position 0'],
        [3, 'document 7: two occurrences, field 1, position 0'],
        [1, 'same field, position 1'],
      ),
    ],
    ['TERM', fstNotes(frame.section('TERM').all())],
    ['TOFF', notes([4, 'TOFF: "fox" at 0'], [4, '"red" at 7'], [4, 'POST is 16 bytes long'])],
    ['POFF', notes([4, 'POFF: PPST is empty'])],
    [
      'LENG',
      notes(
        [4, 'LENG: 2 fields'],
        [8, 'field 0, width 1'],
        [8, 'set at 52, lengths at 72'],
        [8, '2 documents, reserved'],
        [8, 'field 1, width 1'],
        [8, 'set at 76, lengths at 96'],
        [8, '1 document, reserved'],
        ...setNotes('4, 7'),
        [2, 'their lengths: 2, 1'],
        [2, 'padding'],
        ...setNotes('7'),
        [2, 'padding'],
        [1, 'its length: 2'],
      ),
    ],
    ['DIDS', idSetNotes(frame.section('DIDS').all())],
    [
      'META',
      notes(
        [4, 'META: 2 documents'],
        [4, 'idMin 4'],
        [4, 'idMax 7'],
        [4, '2 terms'],
        [4, 'no prefixes'],
        [4, `analysis ${ANALYSIS}`],
        [8, '5 occurrences'],
      ),
    ],
  ])
}

describe('golden bytes', () => {
  it('of a short posting', () => {
    const encoder = new PostingEncoder(4)
    const places = Uint32Array.of(packed(1, 3), packed(1, 0), packed(1, 2))
    encoder.encode(Uint32Array.of(5, 9, 9), places, 0, 3)
    expectGolden(
      'postings/v1/short-posting',
      encoder.flush().slice(),
      notes(
        [1, 'df 2, form 0'],
        [1, 'document 5: gap 1 from idMin 4, single'],
        [1, 'document 9: gap 3, several'],
        [2, 'document 5: field 1, position 3'],
        [3, 'document 9: two occurrences, field 1, position 0'],
        [1, 'same field, position 2'],
      ),
    )
  })

  it('of a small segment', () => {
    const bytes = segment()
    const explained = frameNotes(bytes, TEXT_KIND, inside(Frame.open(bytes, TEXT_KIND)))
    const shown = expectGolden('postings/v1/two-documents', bytes, explained)
    const reader = TextReader.open(Frame.open(shown, TEXT_KIND))
    expect([...reader.documents(1).toArray()]).toEqual([4, 7])
    expect([...reader.lengths.all(1).lengths]).toEqual([2])
  })
})
