// The page about scaling has the results of the simulation, and the simulation meets expectations.
// `UPDATE_GOLDEN=1` rewrites the page's tables.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { scalingTables, withTables } from './page.ts'
import { simulateFollowers, simulateLag, simulatePublishing } from './simulate-followers.ts'
import { simulateSearches, simulateShards, simulateWrites } from './simulate-network.ts'

const PAGE = fileURLToPath(new URL('../../docs/scaling.md', import.meta.url))

it('the page has the simulated tables', () => {
  const page = readFileSync(PAGE, 'utf8')
  const wanted = withTables(page, scalingTables())
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(PAGE, wanted)
  else expect(page).toBe(wanted)
})

it('a table without a place on the page is an error', () => {
  expect(() => withTables('nothing', new Map([['lag', '']]))).toThrow('no place for the table lag')
})

it('an additional instance moves its share of the documents, and no shard is far from the mean', () => {
  for (const { instances, moved, largest } of simulateShards([3, 9])) {
    expect(moved * (instances + 1)).toBeGreaterThan(0.9)
    expect(moved * (instances + 1)).toBeLessThan(1.1)
    expect(largest).toBeLessThan(1.1)
  }
})

it('writes do not become faster by replicas, nor faster than bodies are received', () => {
  for (const { perS } of simulateWrites([3, 30], [1, 2, 3])) {
    expect(perS.toSorted((a, b) => b - a)).toEqual(perS)
    expect(perS[0]).toBeLessThan(38_000)
  }
})

it('searches that wait for more instances take longer, hedged ones less', () => {
  const [one, ten] = simulateSearches([1, 10])
  expect(ten!.p99).toBeGreaterThan(one!.p99)
  expect(ten!.hedgedP99).toBeLessThan(ten!.p99)
})

it('nothing is published without changes, and rarer states cost less', () => {
  expect(simulatePublishing(0, 1)).toMatchObject({ published: 0, putsPerHour: 0, bytesPerHour: 0 })
  expect(simulatePublishing(10, 60).putsPerHour).toBeLessThan(simulatePublishing(10, 1).putsPerHour)
})

it('a follower is at most the interval and two seconds behind', () => {
  const { most } = simulateLag(5, 1)
  expect(most).toBeGreaterThan(5)
  expect(most).toBeLessThan(7)
})

it('more followers are possible if they check less often', () => {
  expect(simulateFollowers(1, 5).readsPerS).toBeLessThan(simulateFollowers(1, 1).readsPerS)
})
