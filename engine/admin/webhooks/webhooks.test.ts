// Webhooks in a database: created, changed, deleted, and read again after a restart.

import { expect, test } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asUuid } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { openTestEngine } from '../../testing/test-engine.ts'
import { decodeWebhook, encodeWebhook } from './record.ts'

const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

test('keeps created and changed webhooks over a restart, by uuid', async () => {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  const url = 'http://x/?a=b'
  await engine.webhooks.create({ uuid: asUuid(uuidOf(2)), url, headers: { b: '1', c: '2' } })
  await engine.webhooks.create({ uuid: asUuid(uuidOf(1)), url, headers: {} })
  await engine.webhooks.create({ uuid: asUuid(uuidOf(3)), url, headers: {} })
  await engine.webhooks.update(asUuid(uuidOf(2)), { headers: { a: '0', b: null, B: 'x', d: null } })
  await engine.webhooks.update(asUuid(uuidOf(1)), { url: 'http://y', headers: { z: 'ü' } })
  await engine.webhooks.update(asUuid(uuidOf(1)), { headers: null })
  await engine.webhooks.remove(asUuid(uuidOf(3)))
  const all = engine.webhooks.list()
  expect(all).toEqual([
    { uuid: uuidOf(1), url: 'http://y', headers: {} },
    { uuid: uuidOf(2), url, headers: { B: 'x', a: '0', c: '2' } },
  ])
  expect(Object.keys(all[1]!.headers)).toEqual(['B', 'a', 'c'])
  await expect(engine.webhooks.update(asUuid(uuidOf(3)), {})).rejects.toThrow('not found')
  await expect(engine.webhooks.remove(asUuid(uuidOf(3)))).rejects.toThrow('not found')
  await engine.close()
  const again = await openTestEngine(disk.mount())
  expect(again.webhooks.list()).toEqual(all)
  expect(again.webhooks.get(asUuid(uuidOf(2)))).toEqual(all[1])
  await again.close()
})

test('webhooks and headers are limited', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const url = 'http://x'
  const many = Array.from({ length: 24 }, (_, n) =>
    engine.webhooks.create({ uuid: asUuid(uuidOf(n)), url, headers: {} }),
  )
  const settled = await Promise.allSettled(many)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  const headers = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`h${n}`, '']))
  await engine.webhooks.update(asUuid(uuidOf(0)), { headers })
  await expect(
    engine.webhooks.update(asUuid(uuidOf(0)), { headers: { more: '' } }),
  ).rejects.toThrow('200')
  await engine.close()
})

test('refuses a record that the encoder would not write', () => {
  const record = { url: 'http://x', headers: { a: 'b' } }
  expect(decodeWebhook(encodeWebhook(record))).toEqual(record)
  const bad = [
    '',
    'null',
    '[]',
    '{}',
    '{"url":1,"headers":{}}',
    '{"url":"x"}',
    '{"url":"x","headers":{"a":1}}',
  ]
  for (const text of [...bad, '{"url":"x","headers":{},"more":1}', '\xff']) {
    expect(() => decodeWebhook(Buffer.from(text, 'latin1')), text).toThrow(CorruptionError)
  }
})
