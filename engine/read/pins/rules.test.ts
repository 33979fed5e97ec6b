// Dynamic search rules in a database: changed by tasks, and read again after a restart.

import { expect, test } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { enqueue, openTestEngine, type TestEngine } from '../../testing/test-engine.ts'
import { decodeRule, encodeRule, type RulePatch, ruleChanges } from './index.ts'
import { patchedRule } from './rule.ts'

const update = (engine: TestEngine, uid: string, rule: RulePatch | null) =>
  enqueue(engine, '.meili_dsr', { kind: 'dsrUpdate', uid, rule })

const actions = [
  { selector: { id: '1' }, action: { type: 'pin', position: 0 } },
  { selector: { indexUid: asIndexUid('shop'), id: 'ü' }, action: { type: 'pin', position: 7 } },
] as const

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
    { uid: 'c', active: true, conditions: {}, actions: [] },
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
  bad.push({ ...sound, precedence: '1' }, { ...sound, description: 1 }, { ...sound, actions: {} })
  bad.push({ ...sound, conditions: { tim: {} } }, { ...sound, conditions: { time: { end: 1 } } })
  bad.push({ ...sound, conditions: { query: { words: 1 } } }, { ...sound, actions: [{}] })
  bad.push({ ...sound, actions: [{ selector: { id: '1' }, action: { type: 'boost' } }] })
  bad.push({ ...sound, conditions: { filter: {} } }, { ...sound, lastUpdatedAt: null })
  for (const value of bad) {
    const bytes = Buffer.from(JSON.stringify(value))
    expect(() => decodeRule('a', bytes), bytes.toString()).toThrow(CorruptionError)
  }
  for (const bytes of [Buffer.from('{'), Uint8Array.of(0xff)]) {
    expect(() => decodeRule('a', bytes)).toThrow(CorruptionError)
  }
  expect(ruleChanges({ values: new Map() } as never, [], 1)).toEqual([])
})
