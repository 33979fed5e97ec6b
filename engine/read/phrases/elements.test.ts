// Documents in which a list element equals words or begins with them, in examples and compared with
// a walk over the elements.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { type Document, SmallText } from '../query-graph/test-support.ts'
import { elementMembers } from './elements.ts'

type Found = { readonly equal: readonly number[]; readonly begun: readonly number[] }

function found(small: SmallText, words: readonly string[], among = small.ids, first = 0): Found {
  const placed = words.map((text, i) => ({ word: small.index.word(text)!, position: first + i }))
  const { equal, begun } = elementMembers(
    small.index,
    placed,
    small.search.searchableFields(),
    among,
  )
  return { equal: [...equal.toArray()], begun: [...begun.toArray()] }
}

const of = (documents: readonly Document[], ...words: string[]): Found =>
  found(new SmallText(documents), words)

describe('elements of lists', () => {
  it('are equal, or begin with the words', () => {
    const documents = [
      { t: ['chaos', 'red fox'] },
      { t: ['red fox', 'chaos'] },
      { t: ['chaos', 'red fox runs'] },
      { t: ['the red fox', 'chaos'] },
      { t: ['red', 'fox'] },
      { t: ['chaos', 'red. Fox'] },
      { t: ['chaos red', 'fox'] },
      { t: 'red fox' },
    ]
    expect(of(documents, 'red', 'fox')).toEqual({ equal: [0, 1], begun: [0, 1, 2] })
    expect(of(documents, 'red')).toEqual({ equal: [4], begun: [0, 1, 2, 4, 5] })
    expect(of(documents, 'fox')).toEqual({ equal: [4, 6], begun: [4, 6] })
  })

  it('are those of one field, in nested lists and objects too', () => {
    const documents = [
      { a: [{ n: 'red' }, { n: 'fox', m: 'dog' }] },
      { a: [['red', ['fox']], 'dog'] },
      { a: [{ n: 'red' }, { m: 'fox' }] },
      { a: ['', 'fox'] },
      { a: [12, true, 'fox'] },
      { a: [null, 'fox'] },
      { a: ['fox'] },
    ]
    expect(of(documents, 'fox').equal).toEqual([0, 1, 3, 4])
    expect(of(documents, '12').equal).toEqual([4])
    expect(of(documents, 'true').equal).toEqual([4])
  })

  it('have the words behind a dropped one at their places', () => {
    const documents = [{ t: ['x', 'the fox'] }, { t: ['x', 'fox'] }]
    const small = new SmallText(documents, { stopWords: ['the'] })
    expect(found(small, ['fox'], small.ids, 1)).toEqual({ equal: [0], begun: [0] })
    expect(found(small, ['fox'])).toEqual({ equal: [1], begun: [1] })
  })

  it('beyond the last position are not told apart', () => {
    const long = 'x '.repeat(65_000)
    expect(
      of([{ t: [long, 'fox', `${long}y`, 'fox'] }, { t: [long, long, 'fox'] }], 'fox'),
    ).toEqual({
      equal: [0],
      begun: [0],
    })
  })

  const anyText = fc
    .array(fc.constantFrom('red', 'red', 'fox', 'fox.', 'dog'), { maxLength: 4 })
    .map((words) => words.join(' '))
  const anyList = fc.array(anyText, { minLength: 2, maxLength: 4 })

  it('are found in any number of segments and documents', () => {
    const anyWords = fc.array(fc.constantFrom('red', 'fox'), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(
        fc.array(anyList, { minLength: 1, maxLength: 12 }),
        anyWords,
        fc.constantFrom(1, 2, 3),
        fc.constantFrom(1, 20),
        (few, words, segments, copies) => {
          const lists = Array.from({ length: few.length * copies }, (_, i) => few[i % few.length]!)
          lists.push(['red', 'fox'])
          const small = new SmallText(
            lists.map((t) => ({ t })),
            {},
            segments,
          )
          const text = words.join(' ')
          const idsOf = (holds: (element: string) => boolean): number[] =>
            [...lists.keys()].filter((id) => lists[id]!.some(holds))
          const expected = {
            equal: idsOf((one) => one === text || one === `${text}.`),
            begun: idsOf((one) => `${one} `.replace('. ', ' . ').startsWith(`${text} `)),
          }
          expect(found(small, words)).toEqual(expected)
          // Cached in parts: the second question reads only the rest.
          const half = IdSet.of([...lists.keys()].filter((id) => id % 2 === 0))
          expect(found(small, words, half).begun).toEqual(
            expected.begun.filter((id) => id % 2 === 0),
          )
          expect(found(small, words)).toEqual(expected)
        },
      ),
      { numRuns: 100 },
    )
  })
})
