// Conditions on one element, and many places in one disjunction, compared with testing each document.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/index.ts'
import { distanceMetres } from '../geo/index.ts'

type Place = { readonly lat: number; readonly lng: number }
type Part = { readonly size: number; readonly color: string }
type Offer = {
  readonly kind: string
  readonly cost: number
  readonly parts: readonly Part[]
  readonly _geo?: Place
}
type Shop = { readonly id: number; readonly offers: readonly Offer[]; readonly _geo: Place }

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!
const KINDS = ['new', 'used', 'old']
const placeOf = (n: number): Place => ({ lat: ((n * 7) % 30) - 10, lng: ((n * 11) % 40) - 20 })
const SHOPS = Array.from({ length: 90 }, (_, id): Shop => {
  const offers = Array.from({ length: id % 4 }, (_unused, i): Offer => {
    const n = id * 5 + i * 3
    const parts = Array.from({ length: n % 3 }, (_none, p) => ({
      size: (n + p) % 5,
      color: pick(['red', 'blue'], n + p * 2),
    }))
    const place = n % 4 === 0 ? {} : { _geo: placeOf(n) }
    return { kind: pick(KINDS, n), cost: n % 11, parts, ...place }
  })
  return { id, offers, _geo: placeOf(id) }
})

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await changeSettings(engine, 'shops', { filterableAttributes: ['offers', '_geo', 'id', 'more'] })
  // Several segments, with dead copies in the first.
  await addDocuments(
    engine,
    'shops',
    SHOPS.slice(0, 40).map((shop) => ({ ...shop, offers: [{ kind: 'used', cost: 1 }] })),
    { primaryKey: 'id' },
  )
  await engine.idle()
  await addDocuments(engine, 'shops', SHOPS)
  await engine.idle()
})
afterAll(() => engine.close())

async function found(filter: unknown): Promise<readonly number[]> {
  const { hits } = (await searchFor(engine, 'shops', { filter })) as { hits: { id: number }[] }
  return hits.map(({ id }) => id).toSorted((a, b) => a - b)
}
const those = (test: (shop: Shop) => boolean): readonly number[] =>
  SHOPS.filter(test).map(({ id }) => id)
const one =
  (test: (offer: Offer) => boolean) =>
  ({ offers }: Shop): boolean =>
    offers.some(test)
const isNear = (place: Place | undefined, lat: number, lng: number, metres: number): boolean =>
  place !== undefined && distanceMetres(lat, lng, place.lat, place.lng) <= metres

describe('conditions on one element', () => {
  const all = Array.from({ length: 20 }, (_, i) => i)
  it.each<[string, (shop: Shop) => boolean]>([
    ['offers[kind = used AND cost > 5]', one((o) => o.kind === 'used' && o.cost > 5)],
    ['offers[NOT kind = used]', one((o) => o.kind !== 'used')],
    ['NOT offers[kind = used]', (shop) => !one((o) => o.kind === 'used')(shop)],
    [
      'offers[kind IN [old, new] AND cost 2 TO 4]',
      one((o) => o.kind !== 'used' && o.cost >= 2 && o.cost <= 4),
    ],
    ['offers[kind STARTS WITH o OR cost = 1]', one((o) => o.kind === 'old' || o.cost === 1)],
    // A list and a condition that are too long to be kept.
    [
      `offers[cost IN [${all.filter((n) => n !== 3)}] AND kind = used]`,
      one((o) => o.cost !== 3 && o.kind === 'used'),
    ],
    [
      `offers[kind = new AND (${all
        .slice(0, 10)
        .map((n) => `cost = ${n}`)
        .join(' OR ')})]`,
      one((o) => o.kind === 'new' && o.cost < 10),
    ],
    // No document has the attribute.
    ['offers[nothing = 1]', () => false],
    ['offers[kind = used AND NOT nothing = 1]', one((o) => o.kind === 'used')],
    ['more[kind = used]', () => false],
    [
      'offers[kind = used AND parts[size = 3 AND color = red]]',
      one((o) => o.kind === 'used' && o.parts.some((p) => p.size === 3 && p.color === 'red')),
    ],
    [
      'offers[NOT parts[size = 3] AND cost < 6]',
      one((o) => !o.parts.some((p) => p.size === 3) && o.cost < 6),
    ],
    [
      'offers.parts[size > 2 AND color = blue]',
      one((o) => o.parts.some((p) => p.size > 2 && p.color === 'blue')),
    ],
    [
      'offers[kind = used] AND offers[cost = 2]',
      (shop) => one((o) => o.kind === 'used')(shop) && one((o) => o.cost === 2)(shop),
    ],
    ['offers[cost = 2] OR id = 1', (shop) => shop.id === 1 || one((o) => o.cost === 2)(shop)],
  ])('%s', async (filter, test) => {
    const ids = those(test)
    expect(await found(filter)).toEqual(ids)
    // Again from what was kept, inside of something else, and as a list.
    expect(await found(`(${filter}) AND id >= 0`)).toEqual(ids)
    expect(await found([[filter, 'id = 999']])).toEqual(ids)
  })

  it.each<[string, (place: Place | undefined) => boolean]>([
    ['_geoRadius(4, -9, 900000)', (place) => isNear(place, 4, -9, 900_000)],
    [
      '_geoBoundingBox([12, 8], [-3, -11])',
      (place) =>
        place !== undefined &&
        place.lat <= 12 &&
        place.lat >= -3 &&
        place.lng <= 8 &&
        place.lng >= -11,
    ],
    [
      '_geoPolygon([-5.5, -12.5], [-5.5, 9.5], [14.5, 9.5], [14.5, -12.5])',
      (place) =>
        place !== undefined &&
        place.lat > -5.5 &&
        place.lat < 14.5 &&
        place.lng > -12.5 &&
        place.lng < 9.5,
    ],
  ])('places in elements: %s', async (condition, holds) => {
    const ids = those(one((o) => holds(o._geo)))
    expect(ids.length).toBeGreaterThan(2)
    expect(ids.length).toBeLessThan(SHOPS.length / 2)
    expect(await found(`offers[${condition}]`)).toEqual(ids)
    expect(await found(`offers[${condition} AND kind = used]`)).toEqual(
      those(one((o) => holds(o._geo) && o.kind === 'used')),
    )
    expect(await found(`offers[NOT ${condition}]`)).toEqual(those(one((o) => !holds(o._geo))))
    expect(await found(`offers[${condition}] OR offers[cost = 2]`)).toEqual(
      those(one((o) => holds(o._geo) || o.cost === 2)),
    )
    // No element has a place there.
    expect(await found(`offers.parts[${condition}]`)).toEqual([])
  })
})

describe('a disjunction of many conditions', () => {
  const centres = Array.from({ length: 12 }, (_, i) => placeOf(i * 13))
  const radius = ({ lat, lng }: Place): string => `_geoRadius(${lat}, ${lng}, 300000)`
  const isInside = ({ _geo }: Shop): boolean =>
    centres.some(({ lat, lng }) => isNear(_geo, lat, lng, 300_000))

  it('finds the documents in any of its circles, beside other conditions', async () => {
    const circles = centres.map(radius).join(' OR ')
    const ids = those(isInside)
    expect(ids.length).toBeGreaterThan(5)
    expect(ids.length).toBeLessThan(SHOPS.length / 2)
    expect(await found(circles)).toEqual(ids)
    expect(await found([centres.map(radius)])).toEqual(ids)
    const more = `${circles} OR id < 10 OR id IN [70, 71] OR id 80 TO 82 OR offers[cost = 2]`
    expect(await found(more)).toEqual(
      those(
        (shop) =>
          isInside(shop) ||
          shop.id < 10 ||
          [70, 71, 80, 81, 82].includes(shop.id) ||
          one((o) => o.cost === 2)(shop),
      ),
    )
    expect(await found(`NOT (${circles})`)).toEqual(those((shop) => !isInside(shop)))
  })
})
