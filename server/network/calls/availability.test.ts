// How long the coordinator avoids an instance that did not answer.
import { expect, test } from 'vitest'
import { Availability } from './availability.ts'

const HOUR = 3_600_000

test('avoids an instance that fails, longer each time, until it answers', () => {
  let now = 0
  const instances = new Availability(() => now)
  expect(instances.isAvailable('b')).toBe(true)
  instances.failed('b')
  expect(instances.isAvailable('b')).toBe(false)
  now = 30_000
  expect(instances.isAvailable('b')).toBe(true)
  instances.failed('b')
  now = 60_000
  instances.failed('b')
  expect(instances.isAvailable('b')).toBe(false)
  expect(instances.mayBeTried('b')).toBe(true)
  instances.answered('b')
  expect(instances.isAvailable('b')).toBe(true)
  instances.failed('b')
  now = 90_000
  expect(instances.isAvailable('b')).toBe(true)
})

test('keeps the state that an operator sets until the operator changes it', () => {
  let now = 0
  const instances = new Availability(() => now)
  instances.set('b', 'unavailable')
  instances.answered('b')
  now = 1e9
  expect(instances.status('b')).toBe('unavailable')
  expect(instances.mayBeTried('b')).toBe(false)
  instances.failed('b')
  instances.set('b', 'available')
  expect(instances.status('b')).toBe('available')
})

test('uses an instance again after a successful probe; the next pause is longer', () => {
  let now = 0
  const instances = new Availability(() => now)
  expect(instances.isDue('b')).toBe(false)
  instances.failed('b')
  expect(instances.isDue('b')).toBe(false)
  now = 500
  expect(instances.isDue('b')).toBe(true)
  instances.probeFailed('b')
  expect(instances.isDue('b')).toBe(false)
  now = 1500
  expect(instances.isDue('b')).toBe(true)
  instances.recovered('b')
  expect(instances.isAvailable('b')).toBe(true)
  expect(instances.isDue('b')).toBe(false)
  instances.failed('b')
  now = 1500 + 59_000
  expect(instances.isAvailable('b')).toBe(false)
  instances.probeFailed('b')
  now = 1500 + 61_000
  // The instance is avoided as long as probes fail.
  expect(instances.isAvailable('b')).toBe(false)
})

test('keeps the state that an operator has set when probes succeed or fail', () => {
  const instances = new Availability(() => 0)
  instances.set('b', 'unavailable')
  expect(instances.isDue('b')).toBe(false)
  instances.recovered('b')
  instances.probeFailed('b')
  expect(instances.mayBeTried('b')).toBe(false)
})

test('prefers an instance that lacks no writes', () => {
  let now = 0
  const lacking = new Set(['c'])
  const instances = new Availability(
    () => now,
    () => lacking,
  )
  expect(['b', 'c'].map((name) => instances.lacksWrites(name))).toEqual([false, true])
  instances.behind('b', 10)
  now = 9
  expect([instances.lacksWrites('b'), instances.isAvailable('b')]).toEqual([true, false])
  expect(instances.status('b')).toBe('available')
  now = 10
  expect(instances.lacksWrites('b')).toBe(false)
  instances.behind('b', 10)
  instances.set('b', 'available')
  expect(instances.lacksWrites('b')).toBe(false)
  instances.behind('b', 10)
  instances.forgetBehind()
  expect(instances.lacksWrites('b')).toBe(false)
})

test('knows which instance has answered since it failed', () => {
  const instances = new Availability(() => 0)
  expect(instances.isCold('b')).toBe(true)
  instances.answered('b')
  expect(instances.isCold('b')).toBe(false)
  instances.failed('b')
  expect(instances.isCold('b')).toBe(true)
})

test('pauses and intervals of probes grow up to their limits', () => {
  let now = 0
  const instances = new Availability(() => now)
  const end = (): number => {
    const from = now
    while (instances.status('b') === 'unavailable' && now < from + HOUR) now += 1000
    return now - from
  }
  const pauses = Array.from({ length: 6 }, () => {
    instances.failed('b')
    return end()
  })
  expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000])
  instances.failed('b')
  const from = now
  const probes = Array.from({ length: 5 }, () => {
    while (!instances.isDue('b') && now < from + HOUR) now += 500
    instances.probeFailed('b')
    return now - from
  })
  expect(probes).toEqual([5000, 15_000, 35_000, 65_000, 95_000])
  // Of an instance without a pause there is nothing to note.
  instances.recovered('c')
  instances.probeFailed('c')
  expect(instances.isDue('c')).toBe(false)
})
