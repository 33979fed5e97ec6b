// Text segments with right checksums and any content: every method returns in bounded time or
// throws a typed error. A segment that passes the full check is sound. Page:
// format/postings/POSTINGS.md
import { ByteWriter } from '../format/bytes/index.ts'
import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import { Frame } from '../format/frame/index.ts'
import { FstCursor } from '../format/fst/index.ts'
import { IdSet } from '../format/idset/index.ts'
import { INFIX_SECTION } from '../format/infix/index.ts'
import {
  checkText,
  LengthsBuilder,
  mergeText,
  Occurrences,
  TextReader,
  TextWriter,
} from '../format/postings/index.ts'
import { frameOfInput, inputOfFrame } from './reframe.ts'
import type { FuzzTarget } from './target.ts'

const KIND = 'TEXT'
const TAGS = ['POST', 'TERM', 'TOFF', 'PPST', 'PKEY', 'POFF', 'LENG', 'DIDS', 'META']
const TERMS_ASKED_MAX = 40
const FIELDS = [0, 2, 65535]
const TEXTS = ['a00', '012', 'a029', 'zzz'].map((text) => new TextEncoder().encode(text))
/**
 * Length of the bitmaps; a segment with ids beyond them is not queried, since it may claim any ids.
 */
const WORDS_MAX = 1 << 12

export const target: FuzzTarget = {
  name: 'postings',
  seeds: () =>
    [
      segment(1, 1, 1),
      segment(5, 9, 4),
      segment(300, 3, 2),
      segment(30, 120, 3),
      segment(9, 30, 2, 3, [2, 5]),
      large(),
    ].map((bytes) => inputOfFrame(bytes, KIND, TAGS, INFIX_SECTION)),
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 65536,
}

/**
 * Returns a segment of `count` documents and `terms` terms; one document in `step` has each term.
 */
function segment(
  count: number,
  terms: number,
  step: number,
  idStep = 3,
  infixFields: readonly number[] = [],
): Uint8Array {
  const ids = Uint32Array.from({ length: count }, (_, i) => 4 + i * idStep)
  const out = new ByteWriter(1024)
  const writer = new TextWriter(ids, (bytes) => out.bytes(bytes), 0, infixFields)
  for (let t = 0; t < terms; t++) {
    const docs: number[] = []
    const packed: number[] = []
    for (let i = t % Math.min(step, count); i < count; i += step) {
      for (let place = 0; place <= (i + t) % 3; place++) {
        docs.push(ids[i]!)
        packed.push((place >> 1) * 2 * 65536 + place * 40 + (i % 20))
      }
    }
    const term = new TextEncoder().encode(`a${String(t).padStart(3, '0')}`)
    writer.term(term, Uint32Array.from(docs), Uint32Array.from(packed), 0, docs.length)
  }
  const lengths = new LengthsBuilder()
  ids.forEach((id, i) => {
    lengths.add(id, 0, i % 300)
    if (i % 2 === 0) lengths.add(id, 2, 3)
  })
  writer.finish(lengths)
  return out.finish()
}

/** Enough documents for position sets. */
const large = (): Uint8Array => segment(1100, 2, 1, 1)

function run(input: Uint8Array): void {
  const frame = Frame.open(frameOfInput(input, KIND, TAGS, { META: 2 }, INFIX_SECTION), KIND)
  const reader = TextReader.open(frame)
  let first: unknown = null
  const isSound = survives(() => checkText(frame))
  for (const ask of questions(reader)) {
    try {
      ask()
    } catch (error) {
      // A refusal of one query must not hide errors of the others; a sound segment must not be
      // refused.
      if (isSound || !(error instanceof CorruptionError)) throw error
      first ??= error
    }
  }
  if (isSound) checkMerge(frame)
  if (first !== null) throw first
}

function survives(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    // Fuzzing searches for all other errors.
    if (!(error instanceof CorruptionError || error instanceof VersionError)) throw error
    return false
  }
}

function* questions(reader: TextReader): Iterable<() => void> {
  const words = new Uint32Array(Math.min((reader.idMax >>> 5) + 1, WORDS_MAX))
  const candidates = Uint32Array.from({ length: 50 }, (_, i) => (reader.idMin + i * 3) >>> 0).sort()
  const bits = new Uint32Array(words.length)
  for (const id of candidates) bits[id >>> 5]! |= 1 << (id & 31)
  const out = new Occurrences()
  const ordinals = Math.min(reader.termCount, TERMS_ASKED_MAX)
  yield () => reader.ids().toArray()
  for (let ordinal = 0; ordinal < ordinals; ordinal++) {
    yield () => askTerm(reader, ordinal, words)
    yield () => {
      out.clear()
      reader.occurrencesFor(ordinal, candidates, candidates.length, out)
      reader.allOccurrences(ordinal, out)
    }
  }
  yield () => {
    out.clear()
    reader.occurrencesOfRange(0, ordinals, candidates, bits, out)
  }
  for (let prefix = 0; prefix < Math.min(reader.prefixCount, TERMS_ASKED_MAX); prefix++) {
    yield () => askPrefix(reader, prefix, words)
  }
  for (const text of TEXTS) yield () => askInfix(reader, text)
  for (const field of reader.lengths.fields.slice(0, TERMS_ASKED_MAX)) {
    const lengths = new Uint16Array(candidates.length)
    yield () => reader.lengths.lengthsOf(field, candidates, candidates.length, lengths)
    yield () => reader.lengths.all(field)
    yield () => reader.lengths.docsOfLength(field, 3)
  }
}

function askTerm(reader: TextReader, ordinal: number, words: Uint32Array): void {
  const count = reader.documentFrequency(ordinal)
  assert(count > 0 && count <= reader.documentCount, 'a term has some of the documents')
  reader.postingBytes(ordinal)
  assert(reader.documents(ordinal).size <= count, 'not more documents than counted')
  reader.orDocuments(ordinal, words)
  reader.orDocumentsInFields(ordinal, FIELDS, words)
  reader.occursOutside(ordinal, FIELDS)
  reader.collectFields(ordinal, new Set())
  for (const bucket of [0, 3, 24, 65535]) reader.orDocumentsInBucket(ordinal, bucket, words)
}

function askInfix(reader: TextReader, text: Uint8Array): void {
  let least = 0
  for (const ordinal of reader.infix()?.termsWith(text) ?? []) {
    assert(ordinal >= least && ordinal < reader.termCount, 'terms ascend')
    least = ordinal + 1
  }
}

function askPrefix(reader: TextReader, index: number, words: Uint32Array): void {
  reader.orPrefixDocuments(index, words)
  reader.orPrefixDocumentsInFields(index, FIELDS, words)
  assert(reader.prefixFields(index).length < 65537, 'fields are at most all fields')
  for (const bucket of [3, 24]) {
    if (!reader.prefixHasBucketSets(index, [bucket])) continue
    reader.orPrefixDocumentsInBucket(index, bucket, words)
  }
}

/** Checks that merging a sound segment alone gives the same bytes. */
function checkMerge(frame: Frame): void {
  const reader = TextReader.open(frame)
  const cursor = new FstCursor(reader.fst)
  for (let i = 0; cursor.next(); i++) {
    assert(cursor.ordinal === i, 'ordinals follow each other')
    const documents = reader.documents(i)
    assert(documents.size === reader.documentFrequency(i), 'as many documents as counted')
    assert(documents.andSize(reader.ids()) === documents.size, 'documents are of the segment')
  }
  const out = new ByteWriter(frame.bytes.length)
  mergeText([{ reader, dead: IdSet.empty }], (bytes) => out.bytes(bytes))
  assert(Buffer.compare(out.view(), frame.bytes) === 0, 'a merge of one gives the same bytes')
}
