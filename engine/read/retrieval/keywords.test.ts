// Queries of a declared language: their words have the form that the words of the searched fields
// have.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/index.ts'

const DOCUMENTS = [
  { id: 1, title: '国', note: '国' },
  { id: 2, title: '國', note: '國' },
]

describe('Japanese', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await openTestEngine(new FakeDisk().mount())
    await addDocuments(engine, 'guessed', DOCUMENTS)
    const localizedAttributes = [{ attributePatterns: ['title'], locales: ['jpn'] }]
    await changeSettings(engine, 'declared', { localizedAttributes })
    await addDocuments(engine, 'declared', DOCUMENTS)
    await engine.idle()
  })
  afterAll(() => engine.close())

  const found = async (
    index: string,
    q: string,
    locales: readonly string[] | null,
    attributesToSearchOn: readonly string[] | null = null,
  ): Promise<number[]> => {
    const request = { q, locales, attributesToSearchOn }
    const { hits } = (await searchFor(engine, index, request)) as { hits: { id: number }[] }
    return hits.map(({ id }) => id).toSorted((a, b) => a - b)
  }

  it.each([
    ['guessed', '国', null, null, [1, 2]],
    // A request that declares Japanese does not change how the documents were indexed.
    ['guessed', '国', ['jpn'], null, [1, 2]],
    ['guessed', '國', ['jpn'], null, [1, 2]],
    ['declared', '国', null, ['title'], [1]],
    ['declared', '国', ['jpn'], ['title'], [1]],
    ['declared', '國', ['jpn'], ['title'], [2]],
    // No rule declares this field.
    ['declared', '国', ['jpn'], ['note'], [1, 2]],
    ['declared', '國', ['jpn'], ['note'], [1, 2]],
  ] as const)('of index %s: %s in %j, fields %j', async (index, q, locales, fields, ids) => {
    expect(await found(index, q, locales, fields)).toEqual(ids)
  })
})
