// The record of the followed state, which is a value of the manifest.
import { expect, test } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asIndexNo } from '../../../format/ids.ts'
import { EMPTY_STATE } from '../../store/catalog/state.ts'
import { applied, stateOf } from '../../task-kinds/kind/test-states.ts'
import { type Following, followingChange, followingOf, OWN_SPACES } from './record.ts'

const FOLLOWING: Following = {
  source: 'b/p',
  follower: 'me',
  snapshot: 's',
  publishedAt: '2026-01-01T00:00:00Z',
  generation: 1,
  shift: { index: 2, segment: 3 },
}

test('the record is one value of the manifest, which may be removed', () => {
  const state = stateOf(['a'])
  expect(followingOf(state)).toBeNull()
  const full = { ...FOLLOWING, writer: 'http://w', instance: 'i', missing: [asIndexNo(4)] }
  for (const one of [FOLLOWING, full]) {
    const after = applied(state, [followingChange(one)])
    expect(followingOf(after)).toEqual(one)
    expect([...after.values.keys()]).toEqual([...OWN_SPACES])
    expect(followingOf(applied(after, [followingChange(null)]))).toBeNull()
  }
})

test.each([
  '',
  '{}',
  'null',
  JSON.stringify({ ...FOLLOWING, generation: 0 }),
  JSON.stringify({ ...FOLLOWING, shift: { index: -1, segment: 0 } }),
  JSON.stringify({ ...FOLLOWING, source: 5 }),
])('a record is refused that says %j', (text) => {
  const record = new TextEncoder().encode(text)
  const values = new Map([['following', new Map([['state', record]])]])
  expect(() => followingOf({ ...EMPTY_STATE, values })).toThrow(CorruptionError)
})
