// Reports about a network, as people read them.
import { expect, it } from 'vitest'
import { asTaskUid } from '../../format/ids.ts'
import { type Plan, planText } from './plan.ts'
import { repairText } from './repair.ts'
import { type Status, statusText } from './status.ts'
import { replicasText } from './verify.ts'

const REMOTE = {
  url: 'http://a',
  isSelf: false,
  isLeader: false,
  status: 'available',
  shards: ['s1', 's2'],
  backlog: null,
  stale: null,
  lastError: null,
}
const STATUS: Status = {
  self: 'a',
  leader: 'a',
  version: 'v',
  remotes: {
    a: { ...REMOTE, isSelf: true, isLeader: true },
    b: { ...REMOTE, shards: [], backlog: { tasks: 2, bytes: 2048 }, lastError: 'e'.repeat(41) },
    c: { ...REMOTE, backlog: { tasks: 0, bytes: 0 }, status: 'unavailable' },
    d: { ...REMOTE, stale: 'backlog', backlog: { tasks: 1, bytes: 1 } },
  },
  shards: { s1: ['a'], s2: ['a', 'c'], s3: ['c'] },
  change: { taskUid: asTaskUid(7), message: 'Exporting documents' },
  replicasEqual: false,
  problem: 'a problem',
}

it('a status shows instances, work and problems', () => {
  expect(statusText(STATUS)).toMatchInlineSnapshot(`
    "As \`a\` sees it; \`a\` leads.
      instance  role          status       shards  waits for it                last fault
      a         leads, asked  available    s1 s2
      b                       available    -       2 tasks, 2 KiB              eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee…
      c                       unavailable  s1 s2   nothing
      d                       available    s1 s2   its shards again (backlog)
    Task 7 changes the network: Exporting documents
    2 shards on one instance only: s1 s3
    Replicas differ: see network verify.
    a problem
    "
  `)
  const calm = { ...STATUS, self: null, leader: null, change: null, shards: {}, problem: null }
  expect(
    statusText({ ...calm, remotes: { a: REMOTE }, replicasEqual: true }),
  ).toMatchInlineSnapshot(`
    "As an instance that is not a member sees it; no instance leads.
      instance  role  status     shards  waits for it  last fault
      a               available  s1 s2
    Replicas are equal.
    "
  `)
  expect(statusText({ ...calm, replicasEqual: null })).not.toContain('Replicas')
  expect(statusText({ ...calm, remotes: {} })).toBe('This instance is not in a network.\n')
})

it('a plan shows the documents of each instance, and those that move', () => {
  const none = { documents: 0, bytes: 0 }
  const some = { documents: 1200, bytes: 2048 }
  const plan: Plan = {
    instances: {
      a: {
        shardsBefore: ['s1', 's2'],
        shardsAfter: ['s1'],
        holds: some,
        receives: none,
        sends: { documents: 1, bytes: 10 },
        deletes: some,
      },
      b: {
        shardsBefore: [],
        shardsAfter: ['s2'],
        holds: none,
        receives: some,
        sends: none,
        deletes: none,
      },
    },
    moves: [
      { from: 'a', to: 'b', documents: 1200, bytes: 2048 },
      { from: 'a', to: 'c', documents: 1, bytes: 1024 },
    ],
    unreachable: ['d', 'e'],
  }
  expect(planText(plan)).toMatchInlineSnapshot(`
    "1,201 documents (3 KiB) would move.
      instance  shards now  shards then  documents      receives       sends     deletes
      a         s1 s2       s1           1,200 (2 KiB)  -              1 (10 B)  1,200 (2 KiB)
      b         -           s2           -              1,200 (2 KiB)  -         -
    Not counted, because they do not answer: d e
    "
  `)
  const still = planText({ ...plan, moves: [], unreachable: [] })
  expect(still).toMatch(/^No document would move\.\n/)
  expect(still).not.toContain('Not counted')
})

it('a repair shows what is sent again, and what is unclear', () => {
  const unclear = [{ index: 'films', shard: 's1', instances: ['a', 'b'] }]
  const repaired = { b: ['s1', 's2'], c: [] }
  expect(repairText({ verdict: 'different', repaired, unclear })).toMatchInlineSnapshot(`
    "These get again what differs:
      instance  shards
      b         s1 s2
      c         definitions of indexes
    It is unknown which owner of these is right:
      index  shard  owners
      films  s1     a b
    Name the instance that is wrong with --wrong NAME: it gets the shard from the others.
    "
  `)
  expect([
    repairText({ verdict: 'equal', repaired: {}, unclear: [] }),
    repairText({ verdict: 'different', repaired: {}, unclear: [] }),
    repairText({ verdict: 'different', repaired: {}, unclear }).split('\n')[0],
    repairText({ verdict: 'different', repaired, unclear: [] }).split('\n')[0],
  ]).toEqual([
    'Nothing was repaired.\n',
    'A repair has begun already.\n',
    'Nothing was repaired.',
    'These get again what differs:',
  ])
})

it('a comparison shows its verdict, the instances and the differences', () => {
  const member = { isSettled: true, version: 'v', documents: 1200, error: null }
  const difference = {
    index: 'films',
    shard: 's1',
    instance: 'b',
    problem: 'documents',
    documents: 1,
    expectedDocuments: 2,
  }
  const settings = { ...difference, shard: null, documents: null, expectedDocuments: null }
  expect(
    replicasText({
      verdict: 'different',
      instances: {
        a: member,
        b: { ...member, isSettled: false, documents: 0 },
        c: { ...member, documents: null, isSettled: null, error: 'gone' },
      },
      differences: [
        difference,
        { ...settings, problem: 'settings' },
        { ...settings, problem: 'missingIndex' },
        { ...difference, problem: 'foreignDocuments', expectedDocuments: 0 },
        { ...settings, problem: 'another' },
      ],
    }),
  ).toMatchInlineSnapshot(`
    "Different, and no running task would change that.
      instance  documents
      a             1,200
      b                 0  tasks run
      c                 -  gone
      index  shard  instance  problem                                        documents  expected
      films  s1     b         has other documents                                    1         2
      films         b         has other settings
      films         b         lacks the index
      films  s1     b         has documents of a shard that it does not own          1         0
      films         b         another
    "
  `)
  const verdicts = ['equal', 'different', 'unsettled', 'unreachable', 'another']
  expect(
    verdicts.map((verdict) => replicasText({ verdict, instances: {}, differences: [] })),
  ).toMatchInlineSnapshot(`
    [
      "Equal: all owners of each shard have the same documents, and all instances the same settings.
    ",
      "Different, and no running task would change that.
    ",
      "Tasks run, so instances could not be compared. Try again with fewer writes.
    ",
      "All instances that answer are equal, but some do not answer.
    ",
      "another
    ",
    ]
  `)
})
