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
