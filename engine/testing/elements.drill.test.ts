// Conditions on one element in a large index, against the definition: a hundred thousand random
// nested documents, after changes, merges and a restart.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  ATTRIBUTES,
  anyCondition,
  anyObject,
  isConditionMet,
  type JsonObject,
  namesIn,
  textOf,
} from '../read/segments/test-elements.ts'
import { FakeDisk, randomOf } from '../store/storage/index.ts'
import { addDocuments, enqueue, openTestEngine, searchFor, type TestEngine } from './test-engine.ts'

const COUNT = 100_000
const BATCH = 20_000
/** With each state of the index; others with the next one. */
const CONDITIONS = 15
const SEED = Number(process.env['SVC_TEST_SEED'] ?? 1) || 1
const DAY_MS = 86_400_000

type Model = {
  readonly objects: Map<number, JsonObject>
  /** The names that documents ever had. */
  readonly names: Set<string>
}

async function change(
  engine: TestEngine,
  { objects, names }: Model,
  ids: readonly number[],
  seed: number,
): Promise<void> {
  const sample = fc.sample(anyObject, { numRuns: ids.length, seed })
  const documents = ids.map((id, i) => ({ ...sample[i]!, id }))
  for (const [i, id] of ids.entries()) {
    objects.set(id, sample[i]!)
    for (const name of namesIn(sample[i]!)) names.add(name)
  }
  for (let at = 0; at < documents.length; at += BATCH) {
    await addDocuments(engine, 'a', documents.slice(at, at + BATCH), { primaryKey: 'id' })
    await engine.idle()
  }
}

/** Returns the number of documents found. */
async function compare(
  engine: TestEngine,
  { objects, names }: Model,
  seed: number,
): Promise<number> {
  let sum = 0
  for (const condition of fc.sample(anyCondition, { numRuns: CONDITIONS, seed })) {
    const filter = textOf(condition)
    const request = { filter, limit: COUNT, attributesToRetrieve: ['id'] }
    const { hits } = await searchFor(engine, 'a', request)
    const found = hits.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
    const expected = [...objects]
      .filter(([, object]) => isConditionMet(condition, object, (name) => names.has(name)))
      .map(([id]) => id)
      .sort((a, b) => a - b)
    // As texts: comparing lists of so many numbers takes much longer.
    expect(found.join() === expected.join(), `${filter}: ${found.length}`).toBe(true)
    sum += found.length
  }
  return sum
}

it(`${COUNT} documents are found as the definition says`, async () => {
  const disk = new FakeDisk()
  const options = { indexingMemoryMax: 256 << 20 }
  const engine = await openTestEngine(disk.mount(), options)
  const patch = {
    filterableAttributes: ATTRIBUTES,
    pagination: { maxTotalHits: COUNT },
    searchCutoffMs: DAY_MS,
  }
  const settings = { kind: 'settingsUpdate', isDeletion: false, allowIndexCreation: true } as const
  await enqueue(engine, 'a', { ...settings, patch })
  const model: Model = { objects: new Map(), names: new Set() }
  const all = Array.from({ length: COUNT }, (_, id) => id)
  await change(engine, model, all, SEED)
  expect(await compare(engine, model, SEED)).toBeGreaterThan(COUNT)

  const random = randomOf(SEED)
  await change(
    engine,
    model,
    all.filter(() => random.below(5) === 0),
    SEED + 1,
  )
  const gone = all.filter(() => random.below(50) === 0)
  await enqueue(engine, 'a', { kind: 'documentDeletion', by: 'ids', ids: gone.map(String) })
  await engine.idle()
  for (const id of gone) model.objects.delete(id)
  await compare(engine, model, SEED + 2)
  await engine.allMerged()
  await compare(engine, model, SEED + 3)
  await engine.close()

  const again = await openTestEngine(disk.mount(), options)
  await compare(again, model, SEED + 4)
  await again.close()
}, 900_000)
