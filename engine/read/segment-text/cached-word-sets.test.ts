// Cached sets stay below their limit, and the newest stay.
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { CachedWordSets } from './cached-word-sets.ts'
import { Word } from './word.ts'

const wordOf = (text: string): Word => new Word(text, new Int32Array(0), 0)

describe('cached sets of words', () => {
  it('are dropped when they are too large, the oldest first', () => {
    const kept = new CachedWordSets(1000)
    const words = Array.from({ length: 11 }, (_, i) => wordOf(`w${i}`))
    for (const word of words) {
      word.docsByScope = new Map([['*', IdSet.of([1])]])
      kept.add(word, '*', 100)
    }
    const left = words.filter((word) => word.docsByScope!.size > 0).map((word) => word.text)
    expect(left).toEqual(['w6', 'w7', 'w8', 'w9', 'w10'])
  })

  it('keeps the newest set, however large', () => {
    const kept = new CachedWordSets(10)
    const word = wordOf('w')
    word.docsByScope = new Map([['*', IdSet.of([1])]])
    kept.add(word, '*', 1000)
    expect(word.docsByScope!.size).toBe(1)
  })

  it('give memory back, down to none', () => {
    const kept = new CachedWordSets(1000)
    const words = ['a', 'b', 'c'].map(wordOf)
    for (const word of words) {
      word.docsByScope = new Map([['*', IdSet.of([1])]])
      kept.add(word, '*', 100)
    }
    kept.shrinkTo(150)
    expect(kept.byteLength).toBe(100)
    expect(words.map(({ docsByScope }) => docsByScope!.size)).toEqual([0, 0, 1])
    kept.shrinkTo(0)
    expect(kept.byteLength).toBe(0)
    expect(words.at(-1)!.docsByScope!.size).toBe(0)
  })
})
