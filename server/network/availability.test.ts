// How long instances rest that did not answer.
import { expect, test } from 'vitest'
import { Availability } from './availability.ts'

test('an instance that fails rests, longer each time, until it answers', () => {
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

test('what an operator says holds until it is said otherwise', () => {
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

test('a probe that is answered ends the rest; the next one is longer', () => {
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
  // It rests as long as probes fail.
  expect(instances.isAvailable('b')).toBe(false)
})

test('probes do not change what an operator has said', () => {
  const instances = new Availability(() => 0)
  instances.set('b', 'unavailable')
  expect(instances.isDue('b')).toBe(false)
  instances.recovered('b')
  instances.probeFailed('b')
  expect(instances.mayBeTried('b')).toBe(false)
})
