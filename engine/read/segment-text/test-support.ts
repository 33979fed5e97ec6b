// Segments of text in memory, with dead copies, and the same documents as lists of words: the model
// that the text index is compared with in the tests of this folder.
import { ByteWriter, compareBytes } from '../../../format/bytes/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { asSegmentNo, type SegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import {
  LengthsBuilder,
  TEXT_KIND,
  TextReader,
  TextWriter,
} from '../../../format/postings/index.ts'
import { TextIndex } from './text-index.ts'
import type { TextSegment } from './view-segments.ts'

/** By field: one word for each position; null is a position without a word. */
export type Document = readonly (readonly (string | null)[])[]
export type Documents = ReadonlyMap<number, Document>
/** Segments with their documents; documents of a later segment are dead in earlier ones. */
export type Model = {
  readonly segments: readonly Documents[]
  readonly deleted: ReadonlySet<number>
  /** Maximum number of documents of a small segment. */
  readonly smallDocumentsMax: number
  /** Fields whose words are found by texts inside of them; absent for none. */
  readonly infixFields?: readonly number[]
  /** The number of the first segment if they are in the memory of the kernel; absent if not. */
  readonly kernelFrom?: number
}

export const encoder = new TextEncoder()
export const sortedWords = (words: Iterable<string>): string[] =>
  [...words].sort((a, b) => compareBytes(encoder.encode(a), encoder.encode(b)))

/** The occurrences of a document, ascending: word, field and position in one number. */
export function* occurrencesOf(document: Document): Iterable<readonly [string, number]> {
  for (const [field, words] of document.entries()) {
    for (const [at, word] of words.entries()) if (word !== null) yield [word, field * 65536 + at]
  }
}

function segmentOf(
  documents: Documents,
  dead: IdSet | null,
  infixFields: readonly number[],
  segment: SegmentNo | null,
): TextSegment {
  const ids = Uint32Array.from([...documents.keys()].sort((a, b) => a - b))
  const byWord = new Map<string, { docs: number[]; packed: number[] }>()
  const lengths = new LengthsBuilder()
  for (const id of ids) {
    const document = documents.get(id)!
    for (const [word, packed] of occurrencesOf(document)) {
      const all = byWord.get(word) ?? { docs: [], packed: [] }
      byWord.set(word, all)
      all.docs.push(id)
      all.packed.push(packed)
    }
    for (const [field, words] of document.entries()) {
      const count = words.filter((word) => word !== null).length
      if (count > 0) lengths.add(id, field, count)
    }
  }
  const out = new ByteWriter(1024)
  const writer = new TextWriter(ids, (bytes) => out.bytes(bytes), 2, infixFields)
  for (const word of sortedWords(byWord.keys())) {
    const { docs, packed } = byWord.get(word)!
    const [d, p] = [Uint32Array.from(docs), Uint32Array.from(packed)]
    writer.term(encoder.encode(word), d, p, 0, docs.length)
  }
  writer.finish(lengths)
  return { reader: TextReader.open(Frame.open(out.finish(), TEXT_KIND), segment), dead }
}

/** The opened segments, and the live documents. */
export class Pair {
  readonly index: TextIndex
  readonly live: Documents

  constructor({ segments, deleted, smallDocumentsMax, infixFields = [], kernelFrom }: Model) {
    const live = new Map<number, Document>()
    for (const documents of segments) for (const [id, doc] of documents) live.set(id, doc)
    for (const id of deleted) live.delete(id)
    this.live = new Map([...live].sort(([a], [b]) => a - b))
    this.index = new TextIndex(
      segments.map((documents, s) => {
        const isDead = (id: number) =>
          deleted.has(id) || segments.slice(s + 1).some((later) => later.has(id))
        const dead = [...documents.keys()].filter(isDead).sort((a, b) => a - b)
        const ids = dead.length === 0 ? null : IdSet.ofSorted(Uint32Array.from(dead))
        const number = kernelFrom === undefined ? null : asSegmentNo(kernelFrom + s)
        return segmentOf(documents, ids, infixFields, number)
      }),
      { smallDocumentsMax },
    )
  }

  /** Ids of live documents with an occurrence that `counts`. */
  docs(counts: (word: string, field: number, position: number) => boolean): number[] {
    return [...this.live]
      .filter(([, document]) =>
        [...occurrencesOf(document)].some(([word, at]) => counts(word, at >>> 16, at & 0xffff)),
      )
      .map(([id]) => id)
  }

  words(): Set<string> {
    return new Set([...this.live.values()].flat(2).filter((word) => word !== null))
  }

  /**
   * The fields of a word in any copy, dead ones included: the index returns at least the live ones.
   */
  fields(counts: (word: string) => boolean): number[] {
    const found = [...this.live.values()].flatMap((document) =>
      [...occurrencesOf(document)].filter(([word]) => counts(word)).map(([, at]) => at >>> 16),
    )
    return [...new Set(found)].sort((a, b) => a - b)
  }
}
