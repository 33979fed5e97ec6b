// Whole numbers beyond 2^53 through the whole engine, against BigInt: ten thousand neighbours that
// doubles do not tell apart, after updates, merges, a dump and its import.
import { describe, expect, it } from 'vitest'
import { FakeDisk } from '../store/storage/index.ts'
import { dumpOf, dumpsOn, openFromDump } from './test-dump.ts'
import { enqueue, openTestEngine } from './test-engine.ts'
import { askOf, BASE, expectExact, fillEvents, found } from './test-exact-numbers.ts'

describe('ten thousand neighbours beyond 2^53', () => {
  it('are told apart by filters, sorts, facets and distinct, also after merges and a dump', async () => {
    const dumps = new FakeDisk()
    const engine = await openTestEngine(new FakeDisk().mount(), { dumps: dumpsOn(dumps) })
    const model = await fillEvents(engine)
    await expectExact(askOf(engine), model)
    await engine.allMerged()
    await expectExact(askOf(engine), model)
    const dump = await dumpOf(engine)
    await engine.close()

    const again = await openFromDump(dumps.mount(), dump)
    await expectExact(askOf(again), model)
    await again.close()
  }, 120_000)

  it('are deleted and edited one by one', async () => {
    const engine = await openTestEngine(new FakeDisk().mount())
    const model = await fillEvents(engine)
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
    await engine.close()
  }, 60_000)
})
