// The words of many documents, against a plain list: memory that grows, fields beyond the first
// ones, lists of values, repetitions.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { InvariantError } from '../../../format/errors.ts'
import { Frame } from '../../../format/frame/index.ts'
import { Occurrences, TEXT_KIND, TextReader } from '../../../format/postings/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import { ANALYSIS_VERSION, Analyzer, ELEMENT_END, WIDE_STEP } from '../../text/index.ts'
import { TextBuilder } from './text-builder.ts'

/** Values of a document in order: field, and words of small letters between blanks. */
type Values = readonly (readonly [field: number, text: string])[]
type Documents = readonly (readonly [id: number, values: Values])[]

const analyzer = new Analyzer(defaultSettings())
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

function built(documents: Documents): TextReader | null {
  const builder = new TextBuilder(analyzer)
  for (const [id, values] of documents) {
    builder.begin(id)
    for (const [field, text] of values) {
      const bytes = utf8(`<${text}>`)
      builder.value(field, bytes, 1, bytes.length - 1, null)
    }
  }
  if (!builder.hasDocuments) return null
  const out = new ByteWriter(1024)
  const { bytes, ids } = builder.finish((piece) => out.bytes(piece))
  const frame = out.finish()
  expect(bytes).toBe(frame.length)
  const reader = TextReader.open(Frame.open(frame, TEXT_KIND))
  expect(reader.analysis).toBe(ANALYSIS_VERSION)
  expect([...ids]).toEqual(documents.filter(([, { length }]) => length > 0).map(([id]) => id))
  expect([...reader.ids().toArray()]).toEqual([...ids])
  return reader
}

/** `word document field@position` of all occurrences, and `document field=words` of all lengths. */
function contentOf(reader: TextReader | null): readonly string[] {
  if (reader === null) return []
  const found: string[] = []
  const terms = reader.fst.range(new Uint8Array(0))
  for (let ordinal = terms.from; ordinal < terms.to; ordinal++) {
    const word = Buffer.from(reader.fst.key(ordinal)).toString()
    const all = new Occurrences()
    all.clear()
    reader.allOccurrences(ordinal, all)
    for (let i = 0; i < all.count; i++) {
      for (const packed of all.packed.subarray(all.starts[i], all.starts[i + 1])) {
        found.push(`${word} ${all.docs[i]} ${packed >>> 16}@${packed & 0xffff}`)
      }
    }
  }
  for (const field of reader.lengths.fields) {
    const { docs, lengths } = reader.lengths.all(field)
    for (const [i, id] of docs.toArray().entries()) found.push(`${id} ${field}=${lengths[i]}`)
  }
  return found.sort()
}

/** The same by the rules of docs/search-semantics.md, "Values, words and positions". */
function expectedOf(documents: Documents): readonly string[] {
  const found: string[] = []
  for (const [id, values] of documents) {
    for (const field of new Set(values.map(([one]) => one))) {
      const texts = values.filter(([one]) => one === field).map(([, text]) => text)
      let [at, words] = [0, 0]
      for (const text of texts) {
        const split = text.split(' ').filter((word) => word !== '')
        for (const [i, word] of split.entries()) found.push(`${word} ${id} ${field}@${at + i}`)
        const last = at + Math.max(0, split.length - 1)
        if (texts.length > 1) found.push(`${ELEMENT_END} ${id} ${field}@${last + 1}`)
        at = last + WIDE_STEP
        words += split.length
      }
      if (words > 0) found.push(`${id} ${field}=${words}`)
    }
  }
  return found.sort()
}

it('are found at their positions, and fields have their lengths', () => {
  const word = fc.constantFrom('red', 'fox', 'big', 'ox', '')
  const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '))
  const field = fc.oneof(fc.nat(3), fc.constantFrom(63, 64, 65, 200, 65_534))
  const values = fc.array(fc.tuple(field, text), { maxLength: 6 })
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), values)), (steps) => {
      let id = -1
      const documents = steps.map(([step, one]) => [(id += step), one] as const)
      expect(contentOf(built(documents))).toEqual(expectedOf(documents))
    }),
  )
})

it('of thousands of values in many fields are found as well', () => {
  const documents = Array.from({ length: 1100 }, (_, n) => {
    const values = [7, 70 + (n % 100), 7].map((field, i) => [field, `w${(n + i) % 13} x`] as const)
    return [n * 2, n % 10 === 9 ? [] : values] as const
  })
  const found = contentOf(built(documents))
  expect(found.join('\n')).toBe(expectedOf(documents).join('\n'))
})

it('need ascending documents', () => {
  const builder = new TextBuilder(analyzer)
  builder.begin(4)
  expect(builder.hasDocuments).toBe(false)
  expect(() => builder.begin(4)).toThrow(InvariantError)
  builder.value(1, utf8('word'), 0, 4, null)
  expect(builder.hasDocuments).toBe(true)
})
