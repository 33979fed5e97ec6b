// Walks over dictionaries are read once, and dropped when there are too many.
import { describe, expect, it } from 'vitest'
import { buildFst, Fst, FstCursor, KeyWalk } from '../../../format/fst/index.ts'
import { mergeStreams, StreamCache, TermStream } from './term-streams.ts'

const encoder = new TextEncoder()
const walkOf = (...words: string[]): KeyWalk =>
  new KeyWalk(new FstCursor(new Fst(buildFst(words.map((word) => encoder.encode(word))))))

describe('a walk', () => {
  it('reads the dictionary only as far as requested', () => {
    const keys = walkOf('a', 'b', 'c')
    const stream = new TermStream(keys)
    expect(stream.at(0)?.text).toBe('a')
    expect(keys.ordinal).toBe(0)
    expect(stream.at(0)).toBe(stream.at(0))
    expect([stream.at(1)?.text, stream.at(2)?.text]).toEqual(['b', 'c'])
    expect([stream.at(3), stream.at(3)]).toEqual([null, null])
  })

  it('over several streams returns each text once, in byte order, and stops on request', () => {
    const streams = [walkOf('a', 'c', '𝒜'), walkOf('b', 'c', '東'), walkOf()].map(
      (keys, segment) => ({ stream: new TermStream(keys), segment }),
    )
    const seen: string[] = []
    mergeStreams(streams, ({ text }, segment) => seen.push(`${text}${segment}`) > 0)
    expect(seen).toEqual(['a0', 'b1', 'c0', '東1', '𝒜0'])
    const some: string[] = []
    mergeStreams(streams, ({ text }) => some.push(text) < 2)
    expect(some).toEqual(['a', 'b'])
    mergeStreams([], () => expect.fail('no stream has a term'))
  })
})

describe('a cache of walks', () => {
  const open = (): KeyWalk => walkOf('a', 'b', 'c', 'd')
  const walk = (stream: TermStream): void => {
    for (let i = 0; stream.at(i) !== null; i++);
  }

  it('starts a walk once', () => {
    const cache = new StreamCache()
    const first = cache.stream('a', open)
    expect(cache.stream('a', () => expect.fail('it is there'))).toBe(first)
  })

  it('drops the least recently used walks, by number and by terms', () => {
    const byNumber = new StreamCache(32, 1_000_000)
    for (let i = 0; i < 100; i++) {
      byNumber.stream(`${i}`, open)
      byNumber.stream('0', open)
      expect(byNumber.size).toBeLessThanOrEqual(34)
    }
    byNumber.stream('0', () => expect.fail('it was used'))
    const byTerms = new StreamCache(32, 40)
    for (let i = 0; i < 100; i++) walk(byTerms.stream(`${i}`, open))
    expect(byTerms.size).toBeLessThanOrEqual(12)
  })
})
