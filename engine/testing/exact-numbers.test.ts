// Whole numbers beyond 2^53 through the whole engine, against BigInt: five thousand neighbours that
// doubles do not tell apart, after updates, merges, a dump and its import.
import { afterAll, describe, expect, it } from 'vitest'
import { FakeDisk } from '../store/storage/index.ts'
import { dumpOf, dumpsOn, openFromDump } from './test-dump.ts'
import { enqueue, openTestEngine, type TestEngine } from './test-engine.ts'
import { askOf, BASE, expectExact, fillEvents, found, type Model } from './test-exact-numbers.ts'

describe('five thousand neighbours beyond 2^53', () => {
  let again: TestEngine
  let model: Model
  afterAll(() => again?.close())

  it('are told apart by filters, sorts, facets and distinct, also after merges and a dump', async () => {
    const dumps = new FakeDisk()
    const engine = await openTestEngine(new FakeDisk().mount(), { dumps: dumpsOn(dumps) })
    model = await fillEvents(engine)
    await expectExact(askOf(engine), model)
    await engine.allMerged()
    await expectExact(askOf(engine), model)
    const dump = await dumpOf(engine)
    await engine.close()

    again = await openFromDump(dumps.mount(), dump)
    await expectExact(askOf(again), model)
  }, 120_000)

  it('are deleted and edited one by one', async () => {
    const engine = again
    const [one, other] = [BASE + 4_321n, BASE + 4_322n]
    const filter = `id = ${one}`
    await enqueue(engine, 'events', { kind: 'documentDeletion', by: 'filter', filter })
    const text = 'doc.owner = doc.owner + 1; doc.more = doc.id > 712345678901230000'
    const edition = { filter: `id = ${other}`, context: null, function: text }
    await enqueue(engine, 'events', { kind: 'documentEdition', ...edition })
    await engine.idle()
    expect(await found(askOf(engine), `id >= ${one} AND id <= ${other}`)).toEqual([other])
    const owner = model.get(other)!.owner + 1n
    expect(await found(askOf(engine), `owner = ${owner} AND more = true`)).toEqual([other])
  }, 60_000)
})
