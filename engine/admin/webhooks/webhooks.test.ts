// Webhooks in a database: created, changed, deleted, and read again after a restart.

import { expect, test } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asUuid } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { openTestEngine } from '../../testing/test-engine.ts'
import { decodeWebhook, encodeWebhook } from './record.ts'
import { webhookChanges } from './store.ts'

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

test('faults have codes, and name the webhook', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const uuid = asUuid(uuidOf(1))
  const headers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`h${n}`, '']))
  const create = (n: number, count = 0) =>
    engine.webhooks.create({ uuid: asUuid(uuidOf(n)), url: 'http://x', headers: headers(count) })
  expect(engine.webhooks.get(uuid)).toBeUndefined()
  await expect(create(1, 201)).rejects.toMatchObject({
    code: 'invalid_webhook_headers',
    message: expect.stringContaining(`\`${uuid}\``),
  })
  expect(engine.webhooks.list()).toEqual([])
  expect(await create(1, 200)).toMatchObject({ uuid })
  for (const missing of [
    engine.webhooks.update(asUuid(uuidOf(2)), {}),
    engine.webhooks.remove(asUuid(uuidOf(2))),
  ]) {
    await expect(missing).rejects.toMatchObject({
      code: 'webhook_not_found',
      message: `Webhook \`${uuidOf(2)}\` not found.`,
    })
  }
  for (let n = 2; n <= 20; n++) await create(n)
  await expect(create(21)).rejects.toMatchObject({
    code: 'invalid_webhooks',
    message: expect.stringContaining('limit the number of webhooks to 20.'),
  })
  // One that exists may change.
  await engine.webhooks.update(uuid, { url: 'http://y' })
  expect(Object.keys(engine.webhooks.get(uuid)!.headers)).toHaveLength(200)
  await engine.webhooks.remove(uuid)
  await create(21)
  await engine.close()
})

test('imported webhooks become values; too many headers are refused', () => {
  const webhook = { uuid: asUuid(uuidOf(1)), url: 'http://x', headers: { a: 'b' } }
  const [change] = webhookChanges([webhook])
  expect(change).toMatchObject({ kind: 'value-set', space: 'webhooks', key: uuidOf(1) })
  expect(decodeWebhook((change as { readonly value: Uint8Array }).value)).toEqual({
    url: 'http://x',
    headers: { a: 'b' },
  })
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`h${n}`, '']))
  expect(() => webhookChanges([webhook, { ...webhook, headers: many }])).toThrow('headers')
})
