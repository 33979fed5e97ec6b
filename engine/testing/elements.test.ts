// Conditions on one element through the whole engine: after updates, merges, a restart, a dump and
// its import, an upgrade of a database without rows; and in deletions, editions and lists of
// documents.
import { describe, expect, it } from 'vitest'
import { FakeDisk, randomOf } from '../store/storage/index.ts'
import { dumpOf, dumpsOn, openFromDump } from './test-dump.ts'
import {
  addDocuments,
  changeSettings,
  documentsOf,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from './test-engine.ts'
import { age } from './test-old-segments.ts'

type Variant = { readonly color: string; readonly size: number }
type Shirt = { readonly id: number; readonly variants: readonly Variant[] | Variant }

const COLORS = ['red', 'blue', 'green']
const COUNT = 300

/** Changes some documents twice, so that segments hold dead copies with other variants. */
async function shop(disk: FakeDisk, dumps: FakeDisk): Promise<[TestEngine, Map<number, Shirt>]> {
  const engine = await openTestEngine(disk.mount(), { dumps: dumpsOn(dumps) })
  await changeSettings(engine, 'shop', {
    filterableAttributes: ['variants'],
    pagination: { maxTotalHits: COUNT },
  })
  const random = randomOf(3)
  const variant = (): Variant => ({ color: COLORS[random.below(3)]!, size: 40 + random.below(3) })
  const model = new Map<number, Shirt>()
  for (let round = 0; round < 4; round++) {
    const shirts = Array.from({ length: COUNT }, (_, id): Shirt => {
      const many = Array.from({ length: random.below(4) }, variant)
      return { id, variants: random.below(5) === 0 ? variant() : many }
    }).filter(({ id }) => round === 0 || random.below(4) === 0 || id % 50 === round)
    for (const shirt of shirts) model.set(shirt.id, shirt)
    await addDocuments(engine, 'shop', shirts, { primaryKey: 'id' })
    await engine.idle()
  }
  return [engine, model]
}

async function expectShop(engine: TestEngine, model: ReadonlyMap<number, Shirt>): Promise<void> {
  for (const color of COLORS) {
    for (const size of [40, 42]) {
      const filter = `variants[color = ${color} AND NOT size = ${size}]`
      const { hits } = await searchFor(engine, 'shop', { filter, limit: COUNT })
      const expected = [...model.values()].filter(({ variants }) =>
        [variants].flat().some((one) => one.color === color && one.size !== size),
      )
      const ids = hits.map(({ id }: { id: number }) => id)
      expect(ids, filter).toEqual(expected.map(({ id }) => id).sort((a, b) => a - b))
    }
  }
}

describe('conditions on one element', () => {
  it('hold after updates, merges, a restart, a dump and an upgrade', async () => {
    const [disk, dumps] = [new FakeDisk(), new FakeDisk()]
    const [engine, model] = await shop(disk, dumps)
    await expectShop(engine, model)
    await engine.allMerged()
    await expectShop(engine, model)
    const dump = await dumpOf(engine)
    await engine.close()

    const reopened = await openTestEngine(disk.mount())
    await expectShop(reopened, model)
    await reopened.close()

    await age(disk.mount(), '1.50.0', 5)
    await expect(openTestEngine(disk.mount())).rejects.toMatchObject({ code: 'version' })
    const upgraded = await openTestEngine(disk.mount(), { upgrade: true })
    await upgraded.idle()
    await expectShop(upgraded, model)
    await upgraded.close()

    const again = await openFromDump(dumps.mount(), dump)
    await expectShop(again, model)
    await again.close()
  }, 120_000)

  it('select the documents of deletions and editions', async () => {
    const [engine, model] = await shop(new FakeDisk(), new FakeDisk())
    const has = (color: string, size: number) => (shirt: Shirt) =>
      [shirt.variants].flat().some((one) => one.color === color && one.size === size)
    const filter = 'variants[color = red AND size = 41]'
    await enqueue(engine, 'shop', { kind: 'documentDeletion', by: 'filter', filter })
    const edition = { context: null, function: 'doc.variants = []' }
    const edited = 'variants[color = blue AND size = 40]'
    await enqueue(engine, 'shop', { kind: 'documentEdition', filter: edited, ...edition })
    await engine.idle()
    for (const shirt of [...model.values()].filter(has('red', 41))) model.delete(shirt.id)
    for (const { id } of [...model.values()].filter(has('blue', 40))) {
      model.set(id, { id, variants: [] })
    }
    await expectShop(engine, model)
    expect(await documentsOf(engine, 'shop')).toHaveLength(model.size)
    await engine.close()
  }, 60_000)
})
