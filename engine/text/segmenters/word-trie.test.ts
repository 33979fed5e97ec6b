// Word lists and the tree over them, compared with maps.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packWords, readWords, unpackWords } from './word-list.ts'
import { NO_NODE, WordTrie } from './word-trie.ts'

const word = fc.string({
  minLength: 1,
  maxLength: 5,
  unit: fc.constantFrom('a', 'b', '中', '\uffff'),
})
const lists = fc.dictionary(word, fc.integer({ min: 1, max: 0xffff_ffff }), { maxKeys: 40 })

const asMap = (words: Record<string, number>): Map<string, number> => new Map(Object.entries(words))

describe('word lists', () => {
  it('are unpacked as they were packed, sorted', () => {
    fc.assert(
      fc.property(lists, (words) => {
        const list = unpackWords(packWords(asMap(words)))
        const found = Array.from(list.counts, (count, i) => {
          const units = list.units.subarray(list.starts[i]!, list.starts[i + 1]!)
          return [String.fromCharCode(...units), count] as const
        })
        expect(found).toEqual([...asMap(words)].sort(([a], [b]) => (a < b ? -1 : 1)))
      }),
    )
  })

  it('are read from a file; a missing or incomplete one is named with advice', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-words-'))
    try {
      const path = join(folder, 'words.bin')
      const bytes = packWords(new Map([['abc', 7]]))
      writeFileSync(path, bytes)
      expect(readWords(pathToFileURL(path)).counts).toEqual(Uint32Array.of(7))
      const refused = (file: string, code: string) =>
        expect(() => readWords(pathToFileURL(file))).toThrow(
          expect.objectContaining({
            name: 'StorageError',
            code,
            message: expect.stringContaining(`\`${file}\``),
          }),
        )
      for (let length = 0; length < bytes.length; length++) {
        writeFileSync(path, bytes.subarray(0, length))
        refused(path, 'short_file')
      }
      refused(join(folder, 'none.bin'), 'missing')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('a tree of words', () => {
  it('holds exactly the words and their beginnings', () => {
    fc.assert(
      fc.property(lists, fc.array(word), (words, others) => {
        const map = asMap(words)
        const trie = new WordTrie(unpackWords(packWords(map)))
        for (const text of [...map.keys(), ...others]) {
          expect(trie.count(text, 0, text.length)).toBe(map.get(text) ?? 0)
          let node = 0
          for (let i = 1; i <= text.length; i++) {
            node = i > 1 && node === 0 ? NO_NODE : trie.step(node, text.charCodeAt(i - 1))
            const begins = [...map.keys()].some((known) => known.startsWith(text.slice(0, i)))
            expect(node !== NO_NODE).toBe(begins)
          }
        }
      }),
    )
  })
})
