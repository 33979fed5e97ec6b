// How long the coordinator avoids an instance that did not answer.
import { expect, test } from 'vitest'
import { Availability } from './availability.ts'

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
