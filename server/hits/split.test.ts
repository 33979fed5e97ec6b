// Answers split into hits, compared with the result of a parser.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinHits, memberOf, splitHits, splitResults, withoutMembers } from './index.ts'

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const parsed = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString())
const document = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 })

test('hits are the same as those of a parser, and joined they are the answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(document), fc.string(), async (hits, query) => {
      const answer = bytes({ indexUid: 'a', hits, query, offset: 0 })
      const split = await splitHits(answer)
      expect(split.hits.map(parsed)).toEqual(hits.map((hit) => parsed(bytes(hit))))
      expect(Buffer.concat(joinHits(split, split.hits))).toEqual(Buffer.from(answer))
      const [first] = split.hits
      const alone = parsed(Buffer.concat(joinHits(split, split.hits.slice(0, 1))))
      expect(alone).toMatchObject({ hits: first === undefined ? [] : [parsed(first)], query })
    }),
  )
})

test('an answer without hits has an empty list', async () => {
  for (const answer of [{}, { hits: 7 }, { query: '{"hits":[1]}' }]) {
    const split = await splitHits(bytes(answer))
    expect(split.hits).toEqual([])
    expect(parsed(Buffer.concat(joinHits(split, [])))).toEqual(answer)
  }
})

test('answers with blanks are split as others', async () => {
  const value = { results: [{ a: [] }, { b: 1 }], hits: [{ id: 1 }, { id: ' ' }], query: 'q' }
  for (const indent of [1, '\t', '\n']) {
    const answer = Buffer.from(` ${JSON.stringify(value, null, indent)}`)
    const split = await splitHits(answer)
    expect(split.hits.map(parsed)).toEqual(value.hits)
    expect(parsed(Buffer.concat(joinHits(split, split.hits)))).toEqual(value)
    expect((await splitResults(answer)).map(parsed)).toEqual(value.results)
    expect(parsed(memberOf(answer, 'query')!)).toBe('q')
    expect(parsed(withoutMembers(answer, new Set(['hits', 'results'])))).toEqual({ query: 'q' })
  }
})

test('other work runs while a large answer is split, and only then', async () => {
  const split = async (count: number): Promise<[hits: number, turns: number]> => {
    const hits = Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(300) }))
    let turns = 0
    const countTurn = (): void => {
      turns++
      timer = setImmediate(countTurn)
    }
    let timer = setImmediate(countTurn)
    const { hits: found } = await splitHits(bytes({ hits }))
    clearImmediate(timer)
    return [found.length, turns]
  }
  expect(await split(700)).toEqual([700, 0])
  // A slice of 256 KiB has 820 of these hits.
  expect(await split(3000)).toEqual([3000, 3])
})

test('the answers of several searches are split', async () => {
  const results = [
    { indexUid: 'a', hits: [{ id: 1 }] },
    { indexUid: 'b', hits: [] },
  ]
  expect((await splitResults(bytes({ results }))).map(parsed)).toEqual(results)
  expect(await splitResults(bytes({ results: [] }))).toEqual([])
  expect(await splitResults(bytes({}))).toEqual([])
})

test('members are removed and found', () => {
  fc.assert(
    fc.property(document, fc.subarray(['a', '_x', '']), (object, names) => {
      const whole = { ...object, a: 1, '': [2] }
      const left = parsed(withoutMembers(bytes(whole), new Set(names)))
      const wanted = Object.entries(whole).filter(([name]) => !names.includes(name))
      expect(left).toEqual(parsed(bytes(Object.fromEntries(wanted))))
      const unchanged = bytes(whole)
      expect(withoutMembers(unchanged, new Set(['none of them']))).toBe(unchanged)
      expect(parsed(memberOf(bytes(whole), '')!)).toEqual([2])
      expect(memberOf(bytes({ b: { a: 1 } }), 'a')).toBeNull()
      expect(memberOf(bytes(['a', 1]), 'a')).toBeNull()
    }),
  )
})
