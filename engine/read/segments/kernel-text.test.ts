// A view over a segment whose text is in the memory of the kernel gives the same words, documents
// and occurrences as one that is read in place.
import { beforeAll, expect, it } from 'vitest'
import { ByteWriter, compareText } from '../../../format/bytes/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import {
  KernelMemory,
  kernel,
  newKernelMemory,
  shareKernelMemory,
} from '../../../format/kernel/index.ts'
import {
  LengthsBuilder,
  TEXT_KIND,
  TextReader,
  TextWriter,
} from '../../../format/postings/index.ts'
import { EVERYWHERE, scopeOf, TextIndex, type Word } from '../segment-text/index.ts'

const DOCUMENTS = 6000
/** Enough words for a copy, and words of many documents. */
const wordsOf = (id: number): string[] => [
  'all',
  `each${id % 7}`,
  `some${id % 300}`,
  `only${id.toString(36)}`,
  `é${id % 50}`,
]
/** Calls after which postings are copied. */
const CALLS = 80

function frame(): Frame {
  const byWord = new Map<string, { docs: number[]; packed: number[] }>()
  for (let id = 0; id < DOCUMENTS; id++) {
    for (const [at, word] of wordsOf(id).entries()) {
      const { docs, packed } = byWord.get(word) ?? { docs: [], packed: [] }
      byWord.set(word, { docs, packed })
      docs.push(id, id)
      packed.push(at * 3, 65_536 + ((id + at) % 90))
    }
  }
  const out = new ByteWriter()
  const ids = Uint32Array.from({ length: DOCUMENTS }, (_, id) => id)
  const writer = new TextWriter(ids, (bytes) => out.bytes(bytes), 2)
  for (const word of [...byWord.keys()].sort(compareText)) {
    const { docs, packed } = byWord.get(word)!
    const utf8 = new TextEncoder().encode(word)
    writer.term(utf8, Uint32Array.from(docs), Uint32Array.from(packed), 0, docs.length)
  }
  writer.finish(new LengthsBuilder())
  return Frame.open(out.finish(), TEXT_KIND)
}

beforeAll(() => shareKernelMemory(new KernelMemory(newKernelMemory(), 0)))

it('the text of a segment is the same in the memory of the kernel', () => {
  const bytes = frame()
  const dead = IdSet.of([5, 700, 5999])
  const indexes = [TextReader.open(bytes), TextReader.open(bytes, asSegmentNo(8))].map(
    (reader) => new TextIndex([{ reader, dead }]),
  )
  const [plain, shared] = indexes as [TextIndex, TextIndex]
  for (let i = 0; i < CALLS; i++) shared.occurrences([shared.word('all')!], null, Uint32Array.of(i))
  expect(kernel().memory.heldPages).toBeGreaterThan(2)
  const found = indexes.map((index) => {
    const near: unknown[] = []
    const options = { maxDistance: 2, otherFirstDistanceMax: 1, prefix: true } as const
    index.eachNear('onyl4', options, ({ text }, distance, sameFirst) => {
      near.push([text, distance, sameFirst])
      return near.length < 500
    })
    const words: Word[] = []
    index.eachWithPrefix('some1', (word) => words.push(word) < 200)
    const ids = Uint32Array.from({ length: 900 }, (_, i) => i * 6)
    const sets = [
      index.union(words, EVERYWHERE),
      index.union(words, scopeOf([1])),
      index.unionInBuckets([...words, index.word('each3')!], [6, 32]),
      index.docs(index.word('all')!, scopeOf([0])),
      index.docs(index.word('é7')!, EVERYWHERE),
    ]
    const all = [index.word('all')!, index.word('each5')!]
    return {
      near,
      words: words.map(({ text }) => text),
      sets: sets.map((set) => [...set.toArray()]),
      occurrences: [
        index.occurrences(all, null, ids),
        index.occurrences(all, 'so', ids),
        index.occurrences([index.word('each0')!], null, Uint32Array.of(699, 700, 701)),
      ].map(({ starts, packed }) => [[...starts], [...packed]]),
    }
  })
  expect(found[1]).toEqual(found[0])
  expect(found[0]!.near.length).toBeGreaterThan(100)
  expect(plain.word('only3q') === null).toBe(shared.word('only3q') === null)
  shared.segments[0]!.reader.close()
  expect(kernel().memory.heldPages).toBe(1)
})
