// Documents pinned by rules: merging alone, then whole searches.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'
import type { RulePatch } from '../search-rules/index.ts'
import { placed } from './pins.ts'

test('a pin is placed at its position, after earlier pins, or at the end', () => {
  const ids = fc.uniqueArray(fc.nat(1000), { maxLength: 20 })
  fc.assert(
    fc.property(ids, fc.array(fc.nat(25), { maxLength: 10 }), (ranked, positions) => {
      const pinned = positions
        .sort((a, b) => a - b)
        .map((position, i) => ({ position, id: -1 - i }))
      const hits = ranked.map((id) => ({ position: -1, id }))
      const all = placed(hits, pinned, ({ position }) => position)
      expect(all.filter(({ id }) => id >= 0)).toEqual(hits)
      expect(all.filter(({ id }) => id < 0)).toEqual(pinned)
      let before = -1
      for (const pin of pinned) {
        const at = all.indexOf(pin)
        const isInPlace = at === Math.max(pin.position, before + 1)
        const isAtEnd = all.slice(at).every(({ id }) => id < 0) && at <= pin.position
        expect(isInPlace || isAtEnd).toBe(true)
        before = at
      }
    }),
  )
})

async function shop(rules: { readonly [uid: string]: RulePatch }): Promise<TestEngine> {
  const engine = await openTestEngine(new FakeDisk().mount())
  const colors = ['red', 'blue', 'red', 'green']
  const shoes = Array.from({ length: 8 }, (_, id) => ({ id, name: 'shoe', color: colors[id % 4] }))
  await addDocuments(engine, 'shop', shoes)
  const patch = { filterableAttributes: ['color'] }
  const content = { kind: 'settingsUpdate', patch, isDeletion: false } as const
  await enqueue(engine, 'shop', { ...content, allowIndexCreation: true })
  for (const [uid, rule] of Object.entries(rules)) {
    await enqueue(engine, '.meili_dsr', { kind: 'dsrUpdate', uid, rule })
  }
  await engine.administration.setFeatures({ dynamicSearchRules: true })
  await engine.idle()
  return engine
}

const pin = (id: number, position: number, indexUid?: string) => ({
  ...(indexUid === undefined ? {} : { indexUid: asIndexUid(indexUid) }),
  id: String(id),
  position,
})

const idsOf = async (engine: TestEngine, request: object): Promise<number[]> =>
  (await searchFor(engine, 'shop', request)).hits.map(({ id }: { id: number }) => id)

test('pages are cut from pinned and ranked hits together', async () => {
  const actions = { pin: [pin(7, 0), pin(5, 3, 'shop'), pin(6, 1, 'other'), pin(7, 2)] }
  const engine = await shop({ a: { actions } })
  const all = [7, 0, 1, 5, 2, 3, 4, 6]
  expect(await idsOf(engine, {})).toEqual(all)
  for (let offset = 0; offset < 9; offset++) {
    for (let limit = 0; limit < 9; limit++) {
      const page = all.slice(offset, offset + limit)
      expect(await idsOf(engine, { offset, limit, q: 'shoe' })).toEqual(page)
    }
  }
  expect(await idsOf(engine, { page: 2, hitsPerPage: 3 })).toEqual([5, 2, 3])
  expect(await idsOf(engine, { q: 'nothing' })).toEqual([7, 5])
  expect(await idsOf(engine, { q: '-shoe' })).toEqual([7, 5])
  await engine.administration.setFeatures({ dynamicSearchRules: false })
  expect(await idsOf(engine, {})).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  await engine.close()
})

test('rules apply when all their conditions hold', async () => {
  const values = { color: ['RED', 'green'] }
  const engine = await shop({
    later: {
      conditions: { time: { start: '2999-01-01T00:00:00Z' } },
      actions: { pin: [pin(7, 0)] },
    },
    over: {
      conditions: { time: { end: '2001-01-01T00:00:00+02:00' } },
      actions: { pin: [pin(6, 0)] },
    },
    filter: { conditions: { filter: { values } }, actions: { pin: [pin(6, 0)] } },
    words: { conditions: { query: { words: 'Red shoe' } }, actions: { pin: [pin(5, 0)] } },
    some: { conditions: { query: { isEmpty: false } }, actions: { pin: [pin(4, 9)] } },
    off: { active: false, actions: { pin: [pin(3, 0)] } },
  })
  const first = async (request: object) => (await idsOf(engine, request))[0]
  expect(await first({})).toBe(0)
  expect(await first({ filter: 'color IN [blue, red]' })).toBe(6)
  expect(await first({ filter: 'NOT color = red' })).toBe(1)
  expect(await first({ filter: 'color = red AND color != green' })).toBe(6)
  expect(await first({ q: 'SHOE, red' })).toBe(5)
  expect((await idsOf(engine, { q: 'shoe' })).at(-1)).toBe(4)
  expect((await idsOf(engine, { q: ' ' })).at(-1)).toBe(7)
  await engine.close()
})

test('one alternative of a filter has to require all values', async () => {
  const values = { color: ['blue', 'red'], name: 'shoe' }
  const engine = await shop({
    both: { conditions: { filter: { values } }, actions: { pin: [pin(6, 0)] } },
  })
  const patch = { filterableAttributes: ['color', 'name', 'id'] }
  const content = { kind: 'settingsUpdate', patch, isDeletion: false } as const
  await enqueue(engine, 'shop', { ...content, allowIndexCreation: true })
  await engine.idle()
  const first = async (filter: unknown) => (await idsOf(engine, { filter }))[0]
  expect(await first('color = red')).toBe(0)
  expect(await first('color = red OR name = shoe')).toBe(0)
  expect(await first('color = red AND name = shoe')).toBe(6)
  expect(await first([['color = red', 'color = green'], 'name = shoe'])).toBe(6)
  expect(await first('id < 9 AND ((name = shoe AND color = red) OR id = 3)')).toBe(6)
  expect(await first('(name = shoe AND id < 9) OR (color = red AND id < 9)')).toBe(0)
  expect(await first('name = shoe AND NOT color = blue')).toBe(0)
  await engine.close()
})

test('the rule with the lowest precedence value applies first', async () => {
  const engine = await shop({
    a: { actions: { pin: [pin(7, 1)] } },
    b: { precedence: 0, actions: { pin: [pin(6, 1)] } },
  })
  const request = { q: 'shoe', limit: 20 }
  const { hits } = await searchFor(engine, 'shop', request)
  expect(hits.map(({ id }: { id: number }) => id)).toEqual([0, 6, 7, 1, 2, 3, 4, 5])
  await engine.close()
})
