// The memory of a batch that waits for embedders: sent texts, and space for the returned vectors,
// are bounded by the size of a chunk.
import { expect, test } from 'vitest'
import { asSegmentNo } from '../../../format/ids.ts'
import type { EmbeddedInputs, InputEmbedder } from '../../ai/embedding/index.ts'
import { loadLibrary } from '../../ai/template/index.ts'
import { SegmentCache } from '../../read/segments/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { EmbeddingMaker } from '../vectors/embedding-maker.ts'
import { runDocuments } from './jobs.ts'
import { importOf, SmallIndex } from './test-support.ts'

const CHUNK = 1 << 20
/** A message to the main thread, which may be pending when a chunk is full. */
const MESSAGE = 1 << 20

/** Returns vectors of a given length, and records the maximum of pending bytes. */
class Counting implements InputEmbedder {
  readonly #given: (readonly unknown[])[] = []
  readonly #dimensions: number
  #waiting = 0
  most = 0
  inputs = 0

  constructor(dimensions: number) {
    this.#dimensions = dimensions
  }

  give(_: Embedder, inputs: readonly unknown[]): number {
    this.inputs += inputs.length
    this.#waiting += this.#bytes(inputs)
    this.most = Math.max(this.most, this.#waiting)
    return this.#given.push(inputs) - 1
  }

  take(number: number): EmbeddedInputs {
    const inputs = this.#given[number]!
    this.#waiting -= this.#bytes(inputs)
    return inputs.map(() => new Float32Array(this.#dimensions).fill(0.5))
  }

  #bytes(inputs: readonly unknown[]): number {
    const texts = inputs.reduce<number>((sum, input) => sum + JSON.stringify(input).length, 0)
    return texts + inputs.length * this.#dimensions * 4
  }
}

const TEMPLATES = {
  source: 'rest',
  url: 'http://p/',
  response: { vectors: ['{{embedding}}', '{{..}}'] },
}
const TEXTS = {
  ...TEMPLATES,
  request: { texts: ['{{text}}', '{{..}}'] },
  documentTemplate: '{{doc.title}}',
}
const FRAGMENTS = {
  ...TEMPLATES,
  request: { texts: ['{{fragment}}', '{{..}}'] },
  // The text of each document is larger than the document.
  indexingFragments: { a: { value: '{{doc.title}} {{doc.title}} {{doc.title}} {{doc.title}}' } },
  searchFragments: { q: { value: '{{q}}' } },
}

test.each([
  [
    'small documents, long vectors of a known length',
    { ...TEXTS, dimensions: 1536 },
    1536,
    10,
    2000,
  ],
  ['small documents, vectors of a length that is learnt', TEXTS, 2048, 10, 2000],
  ['large texts, short vectors', { ...FRAGMENTS, dimensions: 4 }, 4, 20_000, 300],
])('%s', async (_, embedder, dimensions, titleLength, count) => {
  const { settings } = applyPatch(defaultSettings(), { embedders: { e: embedder as never } })
  const index = new SmallIndex(settings)
  const title = 'x'.repeat(titleLength)
  const documents = Array.from({ length: count }, (_, id) => ({ id, title }))
  const loaded = await loadLibrary()
  const counting = new Counting(dimensions)
  let segment = 1
  const result = runDocuments(
    {
      kind: 'documents',
      job: 1,
      view: index.ref,
      operations: [importOf(documents)],
      chunkBytesMax: CHUNK,
    },
    {
      fs: index.fs,
      cache: new SegmentCache(index.fs, CHUNK),
      takeSegments: (more) => asSegmentNo((segment += more) - more),
      progress: () => undefined,
      builders: null,
      dropped: () => undefined,
      memoryBytesMax: Number.POSITIVE_INFINITY,
      now: () => 0,
      vectorMaker: (context) =>
        new EmbeddingMaker({ loaded, embedder: counting, ignoresTemplates: false }, context),
    },
  )
  expect(result.vectorCounts).toEqual({ vectors: count, documents: count })
  expect(counting.inputs).toBe(count)
  // The length of the first vectors is guessed: half of it here.
  const guess = 'dimensions' in embedder ? 1 : 2
  expect(counting.most).toBeLessThan(guess * CHUNK + MESSAGE)
  expect(counting.most).toBeGreaterThan(CHUNK / 2)
})
