// Writes one segment of the text layer in one pass, terms in byte order · layout: ./POSTINGS.md
//
// Postings stream to the sink. The dictionary and offsets are held in memory until the end (about
// 10 bytes per term; grams take eight bytes each); stored prefixes too, unless there is a scratch
// file: up to half of a large segment.
import { ByteWriter, compareBytes } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { type ByteSink, FrameWriter } from '../frame/index.ts'
import { FstBuilder } from '../fst/index.ts'
import type { FieldId } from '../ids.ts'
import { encodeIds } from '../idset/index.ts'
import { INFIX_SECTION, InfixWriter } from '../infix/index.ts'
import type { LengthsBuilder } from './lengths-v1.ts'
import { TERM_BYTES_MAX } from './limits.ts'
import { PostingEncoder } from './posting-encode-v1.ts'
import { PrefixCollector } from './prefixes.ts'
import type { Scratch } from './stored-prefixes.ts'
import { META_VERSION } from './text-meta-v1.ts'

export const TEXT_KIND = 'TEXT'
const FLUSH_BYTES = 1 << 18
const POST_BYTES_MAX = 0xffffffff

export class TextWriter {
  readonly #frame: FrameWriter
  readonly #ids: Uint32Array
  readonly #postings: PostingEncoder
  readonly #prefixes: PrefixCollector
  readonly #offsets = new ByteWriter(1 << 12)
  readonly #dictionary = new ByteWriter(1 << 12)
  readonly #fst: FstBuilder
  #lastTerm: Uint8Array = new Uint8Array(0)
  #terms = 0
  #occurrences = 0
  readonly #analysis: number
  /** Null if no field has its terms covered. */
  readonly #infix: InfixWriter | null

  /**
   * `ids`: the documents of the segment, ascending; every occurrence is in one of them. `analysis`:
   * version of the analysis that produced the terms, 0 if unknown. `infixFields`: those whose terms
   * can be found by a text inside of them. `openScratch`: see `StoredPrefixes`.
   */
  constructor(
    ids: Uint32Array,
    sink: ByteSink,
    analysis: number,
    infixFields: readonly FieldId[] = [],
    openScratch: (() => Scratch) | null = null,
  ) {
    assert(ids.length > 0, 'a text segment holds a document')
    assert(ids[ids.length - 1]! - ids[0]! >= ids.length - 1, 'ids ascend')
    this.#ids = ids
    this.#analysis = analysis
    this.#infix = infixFields.length === 0 ? null : new InfixWriter(infixFields)
    const idMin = ids[0]!
    this.#postings = new PostingEncoder(idMin)
    this.#prefixes = new PrefixCollector(idMin, ids[ids.length - 1]!, openScratch)
    this.#fst = new FstBuilder((bytes) => this.#dictionary.bytes(bytes))
    this.#frame = new FrameWriter(TEXT_KIND, sink)
    this.#frame.begin('POST', 1)
  }

  /**
   * Adds the next term in byte order with its occurrences [from, to): parallel arrays of document
   * id and `field << 16 | position`, ascending by both. `bytes` must stay until the next call.
   */
  term(bytes: Uint8Array, docs: Uint32Array, packed: Uint32Array, from: number, to: number): void {
    assert(bytes.length > 0 && bytes.length <= TERM_BYTES_MAX, 'a term has 1 to 250 bytes')
    assert(compareBytes(this.#lastTerm, bytes) < 0, 'terms ascend')
    this.#lastTerm = bytes
    this.#offsets.u32(this.#postings.at)
    this.#fst.add(bytes)
    this.#postings.encode(docs, packed, from, to)
    this.#prefixes.add(bytes, docs, packed, from, to)
    this.#infix?.term(this.#terms, bytes, packed, from, to)
    this.#terms++
    this.#occurrences += to - from
    if (this.#postings.pendingBytes >= FLUSH_BYTES) this.#frame.write(this.#postings.flush())
  }

  /** Writes the remaining sections; returns the length of the frame in bytes. */
  finish(lengths: LengthsBuilder): number {
    assert(this.#postings.at <= POST_BYTES_MAX, 'postings stay below 4 GiB')
    this.#offsets.u32(this.#postings.at)
    assert(this.#occurrences >= this.#terms, 'each term occurs')
    const frame = this.#frame
    frame.write(this.#postings.flush())
    frame.end()
    this.#fst.finish()
    frame.section('TERM', 1, this.#dictionary.view())
    frame.section('TOFF', 1, this.#offsets.view())
    const prefixes = this.#writePrefixes()
    frame.section('LENG', 1, lengths.encode())
    frame.section('DIDS', 1, encodeIds(this.#ids))
    const infix = this.#infix?.finish() ?? null
    if (infix !== null) frame.section(INFIX_SECTION, 1, infix)
    const meta = new ByteWriter(32)
    meta.u32(this.#ids.length)
    meta.u32(this.#ids[0]!)
    meta.u32(this.#ids[this.#ids.length - 1]!)
    meta.u32(this.#terms)
    meta.u32(prefixes)
    meta.u32(this.#analysis)
    meta.u64(this.#occurrences)
    frame.section('META', META_VERSION, meta.finish())
    return frame.finish()
  }

  #writePrefixes(): number {
    const stored = this.#prefixes.finish()
    const keys = new ByteWriter(stored.count * 4)
    const offsets = new ByteWriter(stored.count * 4 + 4)
    this.#frame.begin('PPST', 1)
    let at = 0
    let last = 0
    for (const { key, posting } of stored.sorted()) {
      assert(key > last, 'prefixes ascend')
      last = key
      keys.u32(key)
      offsets.u32(at)
      this.#frame.write(posting)
      at += posting.length
    }
    offsets.u32(at)
    this.#frame.end()
    this.#frame.section('PKEY', 1, keys.view())
    this.#frame.section('POFF', 1, offsets.view())
    return stored.count
  }
}
