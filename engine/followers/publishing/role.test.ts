// The role of an instance at its start, for every state of its folder and of the place.
import { expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import type { WriterRecord } from '../../backup/objstore/index.ts'
import { decideRole, type Role, type RoleFacts } from './role.ts'

const record = (instance: string, ...before: string[]): WriterRecord => ({
  term: 9,
  instance,
  head: null,
  nextTask: asTaskUid(0),
  process: 'p',
  leaseMs: 1000,
  beat: 0,
  isReleased: false,
  ends: before.map((one, i) => ({
    term: i + 1,
    instance: one,
    head: null,
    nextTask: asTaskUid(0),
  })),
})

const FACTS: RoleFacts = {
  folder: 'new',
  instance: 'me',
  replaces: [undefined],
  record: null,
  isStandby: false,
}

it.each<[string, Partial<RoleFacts>, Role]>([
  ['a new folder in an empty place', {}, 'claim'],
  ['a standby in an empty place', { isStandby: true }, 'follow'],
  ['a database in an empty place', { folder: 'own' }, 'claim'],
  ['a database of a standby in an empty place', { folder: 'own', isStandby: true }, 'claim'],
  ['a follower in an empty place', { folder: 'follower' }, 'follow'],
  ['a new folder beside a writer', { record: record('a') }, 'follow'],
  ['a follower beside a writer', { folder: 'follower', record: record('a') }, 'follow'],
  ['the writer itself', { folder: 'own', record: record('me') }, 'claim'],
  [
    'the writer itself, told to stand by',
    { folder: 'own', record: record('me'), isStandby: true },
    'claim',
  ],
  ['a former writer', { folder: 'own', record: record('a', 'me', 'b') }, 'demote'],
  ['a database of its own', { folder: 'own', record: record('a', 'b') }, 'refuse'],
  [
    'one that replaces the writer',
    { folder: 'own', record: record('a'), replaces: ['a'] },
    'replace',
  ],
  ['one that replaces another', { folder: 'own', record: record('a'), replaces: ['b'] }, 'refuse'],
])('%s', (_, facts, role) => {
  expect(decideRole({ ...FACTS, ...facts })).toBe(role)
})
