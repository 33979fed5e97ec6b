// Computed vectors of one embedder have one length: that of the settings, or of the vector that was
// computed when the embedder was set.
import { expect, it } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import { fakeEmbedding, REST_EMBEDDER } from '../../testing/test-embedding.ts'
import { addDocuments, enqueue, openTestEngine, vectorsOf } from '../../testing/test-engine.ts'

/** Answers each text with a vector of two dimensions, or of as many as it says. */
const said = fakeEmbedding(async ({ body }) => {
  const { texts } = JSON.parse(Buffer.from(body!).toString()) as { texts: readonly string[] }
  const vectors = texts.map((text) => Array<number>(Number(text) || 2).fill(1))
  return { status: 200, body: Buffer.from(JSON.stringify({ vectors })) }
})

async function added(more: object, titles: readonly string[]) {
  const engine = await openTestEngine(new FakeDisk().mount(), { embedding: said })
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
