// Dynamic search rules in a database: changed by tasks, and read again after a restart.

import { expect, test } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { enqueue, openTestEngine, type TestEngine } from '../../testing/test-engine.ts'
import {
  decodeRule,
  encodeRule,
  type RulePatch,
  ruleChanges,
  ruleTargets,
  withActionsAsObject,
} from './index.ts'
import { patchedRule } from './rule.ts'

const update = (engine: TestEngine, uid: string, rule: RulePatch | null) =>
  enqueue(engine, '.meili_dsr', { kind: 'dsrUpdate', uid, rule })

const actions = {
  pin: [
    { id: '1', position: 0 },
    { indexUid: asIndexUid('shop'), id: 'ü', position: 7 },
  ],
  scale: [{ indexUid: asIndexUid('shop'), ids: ['2'], filter: ['a = 1', ['b = 2']], weight: 0.5 }],
}
/** The pins above as releases up to 1.50 wrote them. */
const listed = [
  { selector: { id: '1' }, action: { type: 'pin', position: 0 } },
  { selector: { indexUid: 'shop', id: 'ü' }, action: { type: 'pin', position: 7 } },
]

test('rules are created, changed and deleted, the newest change first', async () => {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  await update(engine, 'a', { description: 'A', precedence: 3, active: false, actions })
  await update(engine, 'b', {})
  await update(engine, 'c', {})
  await engine.idle()
  await update(engine, 'a', { precedence: null, active: null, conditions: { query: {} } })
  await update(engine, 'b', null)
  await update(engine, 'nobody', null)
  await engine.idle()
  const rules = engine.administration.rules()
  expect(rules.map(({ lastUpdatedAt: _, ...rule }) => rule)).toEqual([
    { uid: 'a', description: 'A', active: true, conditions: { query: {} }, actions },
    { uid: 'c', active: true, conditions: {}, actions: {} },
  ])
  await engine.close()
  const again = await openTestEngine(disk.mount())
  expect(again.administration.rules()).toEqual(rules)
  await enqueue(again, '.meili_dsr', { kind: 'dsrClear' })
  const last = await enqueue(again, '.meili_dsr', { kind: 'dsrClear' })
  await again.idle()
  expect(again.administration.rules()).toEqual([])
  expect(await again.tasks.get(last.uid, null)).toMatchObject({ details: { deletedDocuments: 0 } })
  expect(await again.tasks.get(asTaskUid(last.uid - 1), null)).toMatchObject({
    details: { deletedDocuments: 2 },
  })
  await again.close()
})

test('all rules together are limited', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const large = 'x'.repeat(9_000_000)
  await update(engine, 'a', { description: large })
  await engine.idle()
  const { uid } = await update(engine, 'b', { description: large })
  await engine.idle()
  expect(engine.administration.rules()).toHaveLength(1)
  expect(await engine.tasks.get(uid, null)).toMatchObject({
    status: 'failed',
    error: { code: 'database_size_limit_reached' },
  })
  await engine.close()
})

test('an invalid record is refused', () => {
  const rule = patchedRule(null, 'a', { actions, conditions: { time: { start: 'x' } } }, 5)
  expect(decodeRule('a', encodeRule(rule))).toEqual(rule)
  const sound = JSON.parse(Buffer.from(encodeRule(rule)).toString())
  const bad: unknown[] = [null, [], {}, 'x', { ...sound, more: 1 }, { ...sound, active: 1 }]
  bad.push(
    { ...sound, precedence: '1' },
    { ...sound, description: 1 },
    { ...sound, actions: { pin: {} } },
  )
  bad.push({ ...sound, conditions: { tim: {} } }, { ...sound, conditions: { time: { end: 1 } } })
  bad.push({ ...sound, conditions: { query: { words: 1 } } }, { ...sound, actions: [{}] })
  bad.push({ ...sound, actions: [{ selector: { id: '1' }, action: { type: 'boost' } }] })
  bad.push({ ...sound, actions: { pin: [{ id: '1' }] } }, { ...sound, actions: { scale: [{}] } })
  bad.push({ ...sound, conditions: { filter: {} } }, { ...sound, lastUpdatedAt: null })
  for (const value of bad) {
    const bytes = Buffer.from(JSON.stringify(value))
    expect(() => decodeRule('a', bytes), bytes.toString()).toThrow(CorruptionError)
  }
  for (const bytes of [Buffer.from('{'), Uint8Array.of(0xff)]) {
    expect(() => decodeRule('a', bytes)).toThrow(CorruptionError)
  }
  expect(ruleChanges({ values: new Map() } as never, [])).toEqual([])
})

test('the actions of earlier releases become an object', () => {
  const rule = patchedRule(null, 'a', { actions: { pin: actions.pin } }, 5)
  const encoded = (list: unknown) =>
    Buffer.from(JSON.stringify({ ...rule, uid: undefined, actions: list }))
  expect(decodeRule('a', encoded(listed))).toEqual(rule)
  expect(decodeRule('a', encoded([]))).toEqual({ ...rule, actions: {} })
  expect(withActionsAsObject({ active: true, actions: listed })).toEqual({
    active: true,
    actions: { pin: actions.pin },
  })
  for (const other of [{}, { actions: null }, { actions }, { actions: [{ selector: {} }] }]) {
    expect(withActionsAsObject(other)).toBe(other)
  }
})

test('a rule was last updated when its last change was accepted', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const first = await update(engine, 'a', { active: false })
  await engine.idle()
  const moment = () => engine.administration.rules()[0]!.lastUpdatedAt
  expect(moment()).toBe(first.enqueuedAt)
  await update(engine, 'a', {})
  await engine.idle()
  expect(moment()).toBe(first.enqueuedAt)
  const last = await update(engine, 'a', { active: null })
  await engine.idle()
  expect(moment()).toBe(last.enqueuedAt)
  expect(last.enqueuedAt).toBeGreaterThan(first.enqueuedAt)
  await engine.close()
})

test('targets are the rules after all tasks', () => {
  const stored = ['a', 'b'].map((uid) => patchedRule(null, uid, {}, 1))
  const task = (taskUid: number, uid: string, rule: RulePatch | null) => {
    return { taskUid: asTaskUid(taskUid), update: { uid, rule, enqueuedAt: taskUid } }
  }
  expect(ruleTargets(stored, []).rules.map(({ current, target }) => current === target)).toEqual([
    true,
    true,
  ])
  const changes = [
    task(10, 'a', { precedence: 2 }),
    task(11, 'c', { description: 'C' }),
    task(12, 'a', { active: false }),
    task(13, 'b', null),
    task(14, 'd', {}),
    task(15, 'd', null),
  ]
  const { rules, taskUids } = ruleTargets(stored, changes)
  expect(taskUids).toEqual([10, 11, 12, 13, 14, 15])
  expect(rules.map(({ uid, taskUids: own, target }) => [uid, own, target])).toEqual([
    ['a', [10, 12], { ...stored[0], precedence: 2, active: false, lastUpdatedAt: 12 }],
    ['c', [11], { ...stored[0], uid: 'c', description: 'C', lastUpdatedAt: 11 }],
    ['b', [13], null],
    ['d', [14, 15], null],
  ])
  const cleared = ruleTargets(stored, [...changes, { taskUid: asTaskUid(16), update: null }])
  expect(
    cleared.rules.every(
      ({ target, taskUids: own }) => target === null && own.includes(16 as never),
    ),
  ).toBe(true)
})
