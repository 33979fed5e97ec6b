// Words found by a text inside of them, compared with a scan of the words of all documents: several
// languages, several segments with dead copies, merged segments, some fields.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { mergeText, TextReader } from '../../../format/postings/index.ts'
import { EVERYWHERE, type Scope, scopeOf, TextIndex } from '../segment-text/index.ts'
import { buildGraph } from './graph.ts'
import { parseQuery } from './parse.ts'
import type { Term } from './term.ts'
import { TermSpace } from './term-space.ts'
import { type Document, SmallText } from './test-support.ts'

const LEVELS = { typed: 0b001, oneTypo: 0b010, all: 0b111 }
const TEXTS = [
  'Fußballtrikot für Männer',
  'Trikot mit Fußballwappen',
  'XYZ6-778 AB123XYZ6 ab12 the',
  'футбольная форма, мотофутбол',
  'ποδοσφαιρική φανέλα',
  '足球赛程 サッカートリコット',
  'ฟุตบอล เสื้อ',
  'naïve résumé coöperation',
  'banana bandana',
]
const anyText = fc
  .array(fc.constantFrom(...TEXTS.flatMap((text) => text.split(' '))), { maxLength: 5 })
  .map((words) => words.join(' '))
const anyDocument: fc.Arbitrary<Document> = fc.record({ a: anyText, b: anyText, c: anyText })

function termOf(small: SmallText, index: TextIndex, query: string, scope: Scope): Term | null {
  const { search } = small
  const space = new TermSpace(index, search.rules, scope, () => search.searchableFields())
  const graph = buildGraph(parseQuery(search.analyzer.tokenize(query, null), true), space)
  return graph === null || graph.nodes.length > 1 ? null : graph.nodes[0]!.term
}

/** Documents with a word in one of the fields that contains `text`. */
function scanned(small: SmallText, documents: readonly Document[], text: string, fields: string[]) {
  const ids = documents.flatMap((document, id) => {
    const words = fields.flatMap((field) =>
      small.search.analyzer
        .tokenize(String(document[field] ?? ''), null)
        .filter(({ kind }) => kind === 'word')
        .map(({ lemma }) => lemma),
    )
    return words.some((word) => word.includes(text)) ? [id] : []
  })
  return ids
}

/** One segment of the live documents of all. */
function merged({ index }: SmallText): TextIndex {
  const out = new ByteWriter()
  const inputs = index.segments.map(({ dead, reader }) => ({ reader, dead: dead ?? IdSet.empty }))
  mergeText(inputs, (bytes) => out.bytes(bytes))
  return new TextIndex([{ reader: TextReader.open(Frame.open(out.finish(), 'TEXT')), dead: null }])
}

describe('a text inside of words', () => {
  it('finds the documents that a scan finds', () => {
    const documents = fc.array(anyDocument, { minLength: 1, maxLength: 12 })
    const place = fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 3, max: 8 }))
    fc.assert(
      fc.property(
        documents,
        fc.constantFrom(1, 2, 3),
        fc.array(place, { minLength: 8 }),
        (all, segments, places) => {
          const settings = { infixSearch: { attributes: ['a', 'c'] }, stopWords: ['the', 'trikot'] }
          const small = new SmallText(all, settings, segments)
          const words = TEXTS.flatMap((text) => small.search.analyzer.words(text))
          const [a, b, c] = ['a', 'b', 'c'].map((name) => small.search.fieldId(name)!)
          const scopes: readonly (readonly [Scope, string[]])[] = [
            [EVERYWHERE, ['a', 'c']],
            [scopeOf([b!, c!]), ['c']],
            [scopeOf([b!]), []],
            [scopeOf([a!]), ['a']],
          ]
          for (const [which, from, length] of places) {
            const letters = [...words[which % words.length]!]
            const part = letters.slice(from % letters.length).slice(0, length)
            if (part.length < 3) continue
            const text = part.join('')
            for (const [scope, fields] of scopes) {
              for (const index of [small.index, merged(small)]) {
                const term = termOf(small, index, `${text} `, scope)
                if (term === null || term.text !== text) continue
                const within = term.one().within
                const found = within === null ? IdSet.empty : term.space.withinDocs(within)
                const wanted = scanned(small, all, text, fields)
                expect([...found.toArray()], `${text} in ${fields}`).toEqual(wanted)
                const level = term.docs(LEVELS.oneTypo, false)
                expect(level.and(found).size).toBe(found.size)
              }
            }
          }
        },
      ),
      { numRuns: 12 },
    )
  })

  it('is a word of three characters or more, and not a phrase', () => {
    const documents = [{ a: 'fussballtrikot' }]
    const found = (query: string, minLength = 3): number => {
      const small = new SmallText(documents, { infixSearch: { attributes: ['a'], minLength } })
      return small.graph(query)?.docs(small.ids).size ?? 0
    }
    expect(['ballt ', 'all', 'fussballtrikot', 'trikot'].map((query) => found(query))).toEqual([
      1, 1, 1, 1,
    ])
    expect(['al', '"trikot"', '"ballt', 'trikots'].map((query) => found(query))).toEqual([
      0, 0, 0, 0,
    ])
    expect([found('ballt', 5), found('ball', 5), found('ballt', 6)]).toEqual([1, 0, 0])
    expect(found('ball trik')).toBe(1)
    expect(found('tri kot')).toBe(1)
  })

  it('costs one typo, without regard to the limits of typos', () => {
    const typoTolerance = { enabled: false, disableOnAttributes: ['a'], disableOnNumbers: true }
    const infixSearch = { attributes: ['*'] }
    const small = new SmallText([{ a: '55501234' }, { a: '0123' }], { infixSearch, typoTolerance })
    const { term } = small.graph('0123')!.nodes[0]!
    expect([...term.docs(LEVELS.typed, false).toArray()]).toEqual([1])
    expect([...term.docs(LEVELS.oneTypo, false).toArray()]).toEqual([0, 1])
    expect(term.costMax(LEVELS.all)).toBe(1)
  })

  it('is not looked for without the setting', () => {
    const small = new SmallText([{ a: 'fussballtrikot' }])
    const { term } = small.graph('trikot')!.nodes[0]!
    expect([term.one().within, term.docs(LEVELS.all, false).size]).toEqual([null, 0])
    expect(small.index.segments[0]!.reader.infix()).toBeNull()
  })
})
