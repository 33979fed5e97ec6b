// Places that several matches share are given out once.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CountedPlaces, type Places } from './counted-places.ts'

/** Places by document; documents without places are left out of the match. */
const placesOf = (all: ReadonlyMap<number, readonly number[]>): Places => {
  const starts = [0]
  for (const places of all.values()) starts.push(starts.at(-1)! + places.length)
  return {
    ids: Uint32Array.from(all.keys()),
    starts: Uint32Array.from(starts),
    packed: Uint32Array.from([...all.values()].flat()),
  }
}

const ascending = (a: number, b: number): number => a - b

it('gives each place of a document once', () => {
  const place = fc.nat(12)
  const match = fc.dictionary(fc.constantFrom('3', '5', '9'), fc.array(place, { maxLength: 8 }))
  fc.assert(
    fc.property(fc.array(match, { maxLength: 5 }), (matches) => {
      const counted = new CountedPlaces(Uint32Array.of(3, 5, 9))
      const given = new Map([3, 5, 9].map((id) => [id, new Set<number>()]))
      for (const one of matches) {
        const wanted = new Map<number, number[]>()
        const entries = Object.entries(one).sort(([a], [b]) => Number(a) - Number(b))
        const sorted = entries.map(([id, places]) => [Number(id), places.sort(ascending)] as const)
        for (const [id, places] of sorted) {
          const own = given.get(id)!
          wanted.set(
            id,
            [...new Set(places)].filter((at) => !own.has(at)),
          )
          for (const at of places) own.add(at)
        }
        expect(counted.take(placesOf(new Map(sorted)))).toEqual(placesOf(wanted))
      }
    }),
    { numRuns: 200 },
  )
})
