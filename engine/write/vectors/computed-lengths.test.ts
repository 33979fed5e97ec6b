// Computed vectors of one embedder have one length: that of the settings, or of the vector that was
// computed when the embedder was set.
import { expect, it } from 'vitest'
import { DIMENSIONS_MAX } from '../../../format/vectors/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { fakeEmbedding, REST_EMBEDDER } from '../../testing/test-embedding.ts'
import { addDocuments, enqueue, openTestEngine, vectorsOf } from '../../testing/test-engine.ts'

/** Answers each text with a vector of as many dimensions as it says, or of `usual` ones. */
const answering = (usual: number) =>
  fakeEmbedding(async ({ body }) => {
    const { texts } = JSON.parse(Buffer.from(body!).toString()) as { texts: readonly string[] }
    const vectors = texts.map((text) => Array<number>(Number(text) || usual).fill(1))
    return { status: 200, body: Buffer.from(JSON.stringify({ vectors })) }
  })

async function added(more: object, titles: readonly string[], usual = 2) {
  const embedding = answering(usual)
  const engine = await openTestEngine(new FakeDisk().mount(), { embedding })
  const patch = { embedders: { e: { ...REST_EMBEDDER, ...more } } }
  const content = { kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }
  await enqueue(engine, 'i', content as never)
  await engine.idle()
  const documents = titles.map((title, id) => ({ id, title }))
  const { uid } = await addDocuments(engine, 'i', documents, { primaryKey: 'id' })
  await engine.idle()
  const task = await engine.tasks.get(uid, null)
  const vectors = await vectorsOf(engine, 'i', 'e')
  await engine.close()
  return { task, vectors }
}

it.each([
  ['the first one', {}, ['a', '3'], '2', '3'],
  ['the first one', {}, ['1'], '2', '1'],
  ['those of the settings', { dimensions: 3 }, ['3', '2'], '3', '2'],
])(
  'vectors of another length than %s are refused: %j, %j',
  async (_, more, titles, wanted, found) => {
    const { task, vectors } = await added(more, titles)
    expect(task).toMatchObject({
      status: 'failed',
      error: {
        code: 'vector_embedding_error',
        message: expect.stringContaining(
          `expecting embeddings of dimension \`${wanted}\`, got embeddings of dimensions \`${found}\``,
        ),
      },
    })
    expect(vectors).toEqual([])
  },
)

it.each([
  [{}, ['a', 'b'], 2],
  [{ dimensions: 3 }, ['3', '3'], 3],
])('vectors of one length are kept: %j, %j', async (more, titles, dimensions) => {
  const { vectors } = await added(more, titles)
  expect(vectors).toEqual(titles.map(() => [Array(dimensions).fill(1)]))
})

it.each([
  [DIMENSIONS_MAX, null],
  [DIMENSIONS_MAX + 1, 'expecting embeddings of dimension at most `65536`, got embeddings of'],
])('vectors of %d dimensions, with the error %j', async (dimensions, words) => {
  const { task, vectors } = await added({}, ['a'], dimensions)
  if (words === null) expect(vectors).toEqual([[Array(dimensions).fill(1)]])
  else {
    const message = expect.stringContaining(words)
    expect(task?.error).toMatchObject({ code: 'vector_embedding_error', message })
  }
})
