// An upgrade keeps vectors unchanged, both user-provided and generated. It sends no request to a
// provider.
import { expect, test } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import type { OutgoingAnswer, OutgoingRequest } from '../model/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { fakeEmbedding, REST_EMBEDDER } from './test-embedding.ts'
import {
  addDocuments,
  allTasks,
  changeSettings,
  documentsWithVectors,
  openTestEngine,
  searchFor,
  type TestEngine,
} from './test-engine.ts'
import { age } from './test-old-segments.ts'

const EMBEDDERS = {
  own: { source: 'userProvided', dimensions: 2 },
  made: { ...REST_EMBEDDER, dimensions: 2 },
}
const FILMS = Array.from({ length: 400 }, (_, id) => ({
  id,
  title: `film ${id}`,
  _vectors: { own: id % 5 === 0 ? null : [Math.cos(id), Math.sin(id)] },
}))

const open = (disk: FakeDisk, embedded: string[], upgrade: boolean): Promise<TestEngine> => {
  const send = async ({ body }: OutgoingRequest): Promise<OutgoingAnswer> => {
    const { texts } = JSON.parse(Buffer.from(body!).toString()) as { texts: string[] }
    embedded.push(...texts)
    const vectors = texts.map((text) => [text.length, Number(text.slice(5)) % 7])
    return { status: 200, body: Buffer.from(JSON.stringify({ vectors })) }
  }
  return openTestEngine(disk.mount(), { upgrade, embedding: fakeEmbedding(send) })
}

async function seen(engine: TestEngine) {
  const nearest = async (embedder: string) =>
    (
      await searchFor(engine, 'films', {
        vector: Float64Array.of(1, 0.2),
        hybrid: { embedder, semanticRatio: 1 },
        limit: 20,
      })
    ).hits
  return {
    documents: await documentsWithVectors(engine, 'films'),
    own: await nearest('own'),
    made: await nearest('made'),
    count: engine.documents.indexStats(asIndexUid('films')).numberOfEmbeddings,
  }
}

test('an upgrade keeps vectors, and embeds nothing', async () => {
  const disk = new FakeDisk()
  const embedded: string[] = []
  const engine = await open(disk, embedded, false)
  await changeSettings(engine, 'films', { embedders: EMBEDDERS })
  await addDocuments(engine, 'films', FILMS)
  await engine.idle()
  const before = await seen(engine)
  expect(before.count).toBe(400 + 320)
  expect(embedded.filter((text) => text.startsWith('film'))).toHaveLength(400)
  await engine.close()
  await age(disk.mount(), '1.49.0')
  embedded.length = 0

  const upgraded = await open(disk, embedded, true)
  await upgraded.idle()
  expect((await allTasks(upgraded)).at(-1)).toMatchObject({ status: 'succeeded' })
  expect(await seen(upgraded)).toEqual(before)
  await addDocuments(upgraded, 'films', [{ id: 1, note: 'of no text' }], { method: 'update' })
  await upgraded.idle()
  expect(embedded).toEqual([])
  await addDocuments(upgraded, 'films', [{ id: 1, title: 'film 2' }], { method: 'update' })
  await upgraded.idle()
  expect(embedded).toEqual(['film 2'])
  await upgraded.close()
})
