// The full check of a text segment, for `svc-tools check`: every checksum, every node of the
// dictionary, and for each posting whether encoding its decoded content again gives the same bytes
// · layout: ./POSTINGS.md
//
// The other readers of this folder are fast and trust verified pages. This one checks at every step
// and never reads past the posting at hand, so a wrong value is reported with its place instead of
// being followed.

import { ByteReader, equalBytes, lengthened, strictDecoder } from '../bytes/index.ts'
import { refuse } from '../errors.ts'
import type { Frame, Section } from '../frame/index.ts'
import { FstCursor, verifyFst } from '../fst/index.ts'
import type { DocId, TermOrdinal } from '../ids.ts'
import {
  ARRAY_IDS_MAX,
  BITMAP_BYTES,
  decodeIdSet,
  type IdSet,
  SET_HEADER_BYTES,
} from '../idset/index.ts'
import { INFIX_SECTION, InfixWriter } from '../infix/index.ts'
import { LengthsBuilder } from './lengths-v1.ts'
import { FIELD_ID_MAX, POSITION_MAX, SMALL_DOCUMENTS_MAX, TERM_BYTES_MAX } from './limits.ts'
import { PostingEncoder } from './posting-encode-v1.ts'
import { PrefixCollector } from './prefixes.ts'
import { TextReader } from './text-reader-v1.ts'

const SECTIONS = ['POST', 'TERM', 'TOFF', 'PPST', 'PKEY', 'POFF', 'LENG', 'DIDS', 'META']
const SECTIONS_WITH_INFIX = [...SECTIONS.slice(0, -1), INFIX_SECTION, 'META']
const PROGRESS_TERMS = 1024
/** Facts about the whole segment that no single section holds. */
export type TextCheckSummary = {
  /** The largest field id used in the segment, or -1 if no field is used. */
  readonly fieldMax: number
}

/**
 * Checks the whole segment; costs as much as merging it. `progress` receives, every 1,024 terms,
 * the offset in `POST` that was reached. @throws CorruptionError, VersionError
 */
export function checkText(
  frame: Frame,
  progress: (bytes: number) => void = () => undefined,
): TextCheckSummary {
  frame.verifyAll()
  const tags = [...frame.sections].map(({ tag }) => tag).join(' ')
  const expected = (frame.has(INFIX_SECTION) ? SECTIONS_WITH_INFIX : SECTIONS).join(' ')
  if (tags !== expected) refuse(frame.kind, 0, 'bad_value', `sections ${expected}`, tags)
  const reader = TextReader.open(frame)
  const ids = reader.ids()
  if (ids.min !== reader.idMin || ids.max !== reader.idMax) {
    refuse(
      'META',
      4,
      'bad_value',
      `ids ${ids.min} to ${ids.max}`,
      `${reader.idMin} to ${reader.idMax}`,
    )
  }
  verifyFst(reader.fst)
  checkLengths(frame.section('LENG'), reader, ids)
  const fieldMax = new PostingsCheck(frame, reader, ids).run(progress)
  return { fieldMax: Math.max(fieldMax, reader.lengths.fields.at(-1) ?? -1) }
}

/** Checks that encoding the decoded lengths again gives the same section. */
function checkLengths(section: Section, reader: TextReader, ids: IdSet): void {
  const builder = new LengthsBuilder()
  for (const field of reader.lengths.fields) {
    if (field > FIELD_ID_MAX) refuse('LENG', 4, 'bad_value', `up to ${FIELD_ID_MAX}`, field)
    const { docs, lengths } = reader.lengths.all(field)
    if (docs.size !== lengths.length || docs.isEmpty) {
      refuse('LENG', 4, 'bad_value', `${lengths.length} documents with field ${field}`, docs.size)
    }
    if (docs.andSize(ids) !== docs.size) {
      refuse('LENG', 4, 'bad_value', 'documents of the segment', `others with field ${field}`)
    }
    const list = docs.toArray()
    for (let i = 0; i < list.length; i++) builder.add(list[i]!, field, lengths[i]!)
  }
  const expected = builder.encode()
  expectSame(section, 0, expected, 'lengths')
  if (expected.length !== section.length) {
    refuse('LENG', expected.length, 'bad_length', expected.length, section.length)
  }
}

/**
 * Decodes every posting, encodes it again and compares. Collects the stored prefixes in the same
 * walk.
 */
class PostingsCheck {
  readonly #frame: Frame
  readonly #reader: TextReader
  readonly #ids: IdSet
  readonly #post: Section
  /** Parallel arrays with one entry per occurrence. */
  #docs = new Uint32Array(1024)
  #packed = new Uint32Array(1024)
  #count = 0
  #fieldMax = -1

  constructor(frame: Frame, reader: TextReader, ids: IdSet) {
    this.#frame = frame
    this.#reader = reader
    this.#ids = ids
    this.#post = frame.section('POST')
  }

  /** Checks all postings; returns the largest field id of an occurrence, or -1. */
  run(progress: (bytes: number) => void): number {
    const { idMin, idMax, fst, occurrenceCount } = this.#reader
    const offsets = this.#frame.section('TOFF').u32()
    const encoder = new PostingEncoder(idMin)
    const prefixes = new PrefixCollector(idMin, idMax)
    const infixFields = this.#reader.infix()?.fields ?? []
    const infix = infixFields.length === 0 ? null : new InfixWriter(infixFields)
    const cursor = new FstCursor(fst)
    let occurrences = 0
    while (cursor.next()) {
      const term = cursor.bytes.subarray(0, cursor.length)
      const from = offsets[cursor.ordinal]!
      const to = offsets[cursor.ordinal + 1]!
      const claim = `posting of term ${cursor.ordinal}`
      checkTerm(term, cursor.ordinal)
      if (from !== encoder.at || to <= from || to > this.#post.length) {
        refuse('TOFF', cursor.ordinal * 4, 'bad_value', encoder.at, from)
      }
      this.#decode(new ByteReader(this.#post.bytes, 'POST', from, to), claim)
      encoder.encode(this.#docs, this.#packed, 0, this.#count)
      expectSame(this.#post, from, encoder.flush(), claim)
      if (encoder.at !== to) refuse('TOFF', cursor.ordinal * 4 + 4, 'bad_value', encoder.at, to)
      prefixes.add(term, this.#docs, this.#packed, 0, this.#count)
      infix?.term(cursor.ordinal, term, this.#packed, 0, this.#count)
      occurrences += this.#count
      if (cursor.ordinal % PROGRESS_TERMS === 0) progress(from)
    }
    if (occurrences !== occurrenceCount) {
      refuse('META', 24, 'bad_value', `${occurrences} occurrences`, occurrenceCount)
    }
    this.#checkPrefixes(prefixes)
    if (infix !== null) this.#checkInfix(infix)
    return this.#fieldMax
  }

  /** Fills `#docs` and `#packed` with the occurrences of one posting. */
  #decode(input: ByteReader, claim: string): void {
    this.#count = 0
    const at = input.at
    const head = input.varint()
    const df = Math.floor(head / 2)
    if (df === 0 || df > this.#reader.documentCount) {
      refuse('POST', at, 'bad_value', `1 to ${this.#reader.documentCount} documents`, df)
    }
    if ((head % 2 === 1) !== df > SMALL_DOCUMENTS_MAX) {
      refuse('POST', at, 'bad_value', `the form of ${df} documents`, head % 2)
    }
    if (head % 2 === 0) this.#decodeSmall(input, df, claim)
    else this.#decodeLarge(input, df, claim)
    input.finish()
  }

  #decodeSmall(input: ByteReader, df: number, claim: string): void {
    const docs = new Uint32Array(df)
    const singles = new Uint8Array(df)
    let next = this.#reader.idMin
    for (let d = 0; d < df; d++) {
      const at = input.at
      const value = input.varint()
      docs[d] = next + Math.floor(value / 2)
      singles[d] = value % 2
      this.#checkMember(next + Math.floor(value / 2), at, claim)
      next = docs[d]! + 1
    }
    for (let d = 0; d < df; d++) {
      this.#decodeOccurrences(input, docs[d]!, singles[d] === 1 ? 1 : input.varint())
    }
  }

  #decodeLarge(input: ByteReader, df: number, claim: string): void {
    input.take((4 - (input.at % 4)) % 4)
    const base = input.at
    const header = new ByteReader(this.#post.bytes, 'POST', base, input.end)
    header.take(16)
    const set = header.u32()
    const occurrences = header.u32()
    const docs = setAt(this.#post.bytes, base + set, input.end)
    if (docs.size !== df || docs.andSize(this.#ids) !== df) {
      refuse('POST', base + set, 'bad_value', `${df} documents of the segment`, docs.size)
    }
    if (occurrences > input.left) {
      refuse('POST', base + 20, 'bad_length', `in the ${claim}`, occurrences)
    }
    input.take(occurrences)
    const list = docs.toArray()
    for (let d = 0; d < df; d++) this.#decodeOccurrences(input, list[d]!, input.varint())
  }

  #checkMember(doc: DocId, at: number, claim: string): void {
    if (doc <= this.#reader.idMax && this.#ids.has(doc)) return
    refuse('POST', at, 'bad_value', `documents of the segment in the ${claim}`, doc)
  }

  #decodeOccurrences(input: ByteReader, doc: DocId, count: number): void {
    const start = input.at
    if (count === 0 || count > input.left) {
      refuse('POST', start, 'bad_value', `1 to ${input.left} occurrences`, count)
    }
    this.#reserve(count)
    let field = input.varint()
    let position = input.varint()
    for (let i = 0; ; ) {
      if (field > FIELD_ID_MAX || position > POSITION_MAX) {
        refuse(
          'POST',
          start,
          'bad_value',
          'a field and a position of 16 bits',
          `${field}, ${position}`,
        )
      }
      if (field > this.#fieldMax) this.#fieldMax = field
      this.#docs[this.#count] = doc
      this.#packed[this.#count++] = field * 65536 + position
      if (++i === count) return
      const distance = input.varint()
      if (distance % 2 === 0) position += distance / 2 + 1
      else {
        position = (distance - 1) / 2
        field += input.varint() + 1
      }
    }
  }

  #reserve(count: number): void {
    const wanted = this.#count + count
    if (wanted <= this.#docs.length) return
    const room = Math.max(wanted, this.#docs.length * 2)
    this.#docs = lengthened(this.#docs, room)
    this.#packed = lengthened(this.#packed, room)
  }

  /** Checks that covering the same fields again gives the same section. */
  #checkInfix(writer: InfixWriter): void {
    const section = this.#frame.section(INFIX_SECTION)
    const expected = writer.finish()
    if (expected?.length !== section.length) {
      refuse(INFIX_SECTION, 0, 'bad_length', expected?.length ?? 'no section', section.length)
    }
    expectSame(section, 0, expected, 'grams')
  }

  #checkPrefixes(collector: PrefixCollector): void {
    const stored = collector.finish()
    const section = this.#frame.section('PPST')
    const keys = this.#frame.section('PKEY').u32()
    const offsets = this.#frame.section('POFF').u32()
    if (stored.count !== keys.length) {
      refuse('PKEY', 0, 'bad_length', `${stored.count} prefixes`, keys.length)
    }
    let at = 0
    let i = 0
    for (const { key, posting } of stored.sorted()) {
      if (keys[i] !== key) refuse('PKEY', i * 4, 'bad_value', key, keys[i]!)
      if (offsets[i] !== at) refuse('POFF', i * 4, 'bad_value', at, offsets[i]!)
      expectSame(section, at, posting, `posting of stored prefix ${i}`)
      at += posting.length
      i++
    }
    if (at !== section.length) refuse('PPST', at, 'bad_length', at, section.length)
  }
}

function checkTerm(term: Uint8Array, ordinal: TermOrdinal): void {
  if (term.length === 0 || term.length > TERM_BYTES_MAX || term.includes(0)) {
    refuse(
      'TERM',
      0,
      'bad_value',
      `1 to ${TERM_BYTES_MAX} bytes but 0 in term ${ordinal}`,
      term.length,
    )
  }
  try {
    strictDecoder.decode(term)
  } catch (error) {
    // A fatal decoder throws a TypeError at the first broken byte.
    if (!(error instanceof TypeError)) throw error
    refuse('TERM', 0, 'bad_value', `UTF-8 in term ${ordinal}`, 'other bytes')
  }
}

/** Decodes the id set that begins at `at` and ends before `end`; its header gives its length. */
function setAt(bytes: Uint8Array, at: number, end: number): IdSet {
  const head = new ByteReader(bytes, 'POST', Math.min(at, end), end)
  head.u32()
  const containers = head.u32()
  if (containers > (end - at) / SET_HEADER_BYTES) {
    refuse('POST', at + 4, 'bad_length', `containers before ${end}`, containers)
  }
  let length = SET_HEADER_BYTES + containers * 8
  for (let i = 0; i < containers; i++) {
    head.u16()
    const size = head.u16() + 1
    length += size <= ARRAY_IDS_MAX ? size * 2 : BITMAP_BYTES
  }
  return decodeIdSet(bytes.subarray(at, Math.min(at + length, end)))
}

/**
 * Checks that the section holds `expected` at `at`. @throws CorruptionError at the first byte that
 * differs
 */
function expectSame(section: Section, at: number, expected: Uint8Array, claim: string): void {
  const found = section.bytes.subarray(at, at + expected.length)
  if (equalBytes(found, expected)) return
  let i = 0
  while (i < found.length && found[i] === expected[i]) i++
  const got = found[i] ?? 'the end'
  refuse(section.tag, at + i, 'bad_value', `${expected[i]} in the ${claim}`, got)
}
