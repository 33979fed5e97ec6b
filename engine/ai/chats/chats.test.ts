// Chat workspaces in a database: created, changed, deleted, and read again after a restart.

import { expect, test } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { openTestEngine } from '../../testing/test-engine.ts'
import { DEFAULT_WORKSPACE, decodeWorkspace, encodeWorkspace, promptsOf } from './index.ts'
import { CHATS_BYTES_MAX } from './limits.ts'
import { chatChanges } from './store.ts'
import { patchedWorkspace } from './workspace.ts'

test('keeps created and changed workspaces over a restart, by name', async () => {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  await engine.chats.update('vl', { source: 'vLlm', baseUrl: 'http://x', apiKey: 'a-secret' })
  await engine.chats.update('az', {})
  await engine.chats.update('az', { prompts: { system: 'Be brief.', searchQParam: 'Q' } })
  await engine.chats.update('az', { orgId: 'o', prompts: { searchQParam: null } })
  await engine.chats.update('gone', {})
  await engine.chats.remove('gone')
  expect(engine.chats.list()).toEqual(['az', 'vl'])
  const az = engine.chats.get('az')!
  expect(az).toEqual({
    ...DEFAULT_WORKSPACE,
    orgId: 'o',
    prompts: { ...DEFAULT_WORKSPACE.prompts, system: 'Be brief.' },
  })
  expect(promptsOf(az).system).toBe('Be brief.')
  expect(promptsOf(az).searchQParam).toBe(promptsOf(DEFAULT_WORKSPACE).searchQParam)
  await engine.close()
  const again = await openTestEngine(disk.mount())
  expect(again.chats.list()).toEqual(['az', 'vl'])
  expect(again.chats.get('az')).toEqual(az)
  expect(again.chats.get('vl')).toMatchObject({ source: 'vLlm', apiKey: 'a-secret' })
  expect(await again.chats.reset('vl')).toEqual(DEFAULT_WORKSPACE)
  await again.close()
})

test('refuses a source that lacks a required member, and changes nothing', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const { chats } = engine
  await expect(chats.update('a', { source: 'vLlm' })).rejects.toThrow('`baseUrl`')
  const azure = { source: 'azureOpenAi', baseUrl: 'u', deploymentId: 'd' } as const
  await expect(chats.update('a', azure)).rejects.toThrow('`apiVersion`')
  expect(chats.list()).toEqual([])
  await chats.update('a', { ...azure, apiVersion: 'v' })
  await expect(chats.update('a', { baseUrl: null })).rejects.toThrow('azureOpenAi')
  expect(chats.get('a')?.baseUrl).toBe('u')
  await chats.update('a', { baseUrl: null, source: null })
  expect(chats.get('a')?.source).toBe('openAi')
  await expect(chats.reset('b')).rejects.toThrow('Chat `b` not found')
  await expect(chats.remove('b')).rejects.toThrow('chat b not found')
  await engine.close()
})

test('limits the bytes of all workspaces together', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const system = 'x'.repeat(6 * MiB)
  await engine.chats.update('a', { prompts: { system } })
  await engine.chats.update('b', { prompts: { system } })
  await expect(engine.chats.update('c', { prompts: { system } })).rejects.toMatchObject({
    code: 'database_size_limit_reached',
  })
  await engine.chats.update('b', { prompts: null })
  await engine.chats.update('c', { prompts: { system } })
  await engine.close()
})

test('encodes a record as this text', () => {
  const prompts = '{"system":"s","searchDescription":null,"searchQParam":null,'
  const text =
    '{"source":"vLlm","orgId":null,"projectId":null,"apiVersion":null,"deploymentId":null,' +
    `"baseUrl":"http://x","apiKey":"k","prompts":${prompts}` +
    '"searchFilterParam":null,"searchIndexUidParam":null}}'
  const workspace = decodeWorkspace(Buffer.from(text))
  expect(workspace).toMatchObject({ source: 'vLlm', apiKey: 'k', prompts: { system: 's' } })
  expect(Buffer.from(encodeWorkspace(workspace)).toString()).toBe(text)
})

test('refuses a record that the encoder would not write', () => {
  const workspace = patchedWorkspace(DEFAULT_WORKSPACE, { orgId: 'ü', prompts: { system: 's' } })
  expect(decodeWorkspace(encodeWorkspace(workspace))).toEqual(workspace)
  const text = Buffer.from(encodeWorkspace(workspace)).toString()
  const bad = [
    '',
    'null',
    '[]',
    '{}',
    '\xff',
    text.slice(0, -1),
    text.replace('openAi', 'other'),
    text.replace('"ü"', '1'),
    text.replace('"s"', '[]'),
    text.replace('"orgId"', '"or"'),
    text.replace('{', '{"more":1,'),
  ]
  for (const one of bad) {
    expect(() => decodeWorkspace(Buffer.from(one, 'latin1')), one).toThrow(CorruptionError)
  }
})

test('a change keeps members that it does not name; null resets a source and all prompts', () => {
  const from = patchedWorkspace(DEFAULT_WORKSPACE, {
    source: 'mistral',
    apiKey: 'k',
    prompts: { system: 's', searchQParam: 'q' },
  })
  const after = (patch: object) => patchedWorkspace(from, patch)
  expect(after({})).toEqual(from)
  expect(after({ apiKey: null })).toEqual({ ...from, apiKey: null })
  expect(after({ source: 'openAi' }).source).toBe('openAi')
  expect(after({ source: null }).source).toBe(DEFAULT_WORKSPACE.source)
  expect(after({ prompts: { system: 't' } }).prompts).toEqual({ ...from.prompts, system: 't' })
  expect(after({ prompts: null }).prompts).toEqual(DEFAULT_WORKSPACE.prompts)
})

test('imported workspaces become values', () => {
  const [change] = chatChanges([['a', DEFAULT_WORKSPACE]])
  expect(change).toMatchObject({ kind: 'value-set', space: 'chats', key: 'a' })
  const { value } = change as { readonly value: Uint8Array }
  expect(decodeWorkspace(value)).toEqual(DEFAULT_WORKSPACE)
})

test('faults have codes', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const { chats } = engine
  for (const work of [chats.reset('b'), chats.remove('b')]) {
    await expect(work).rejects.toMatchObject({ code: 'chat_not_found' })
  }
  for (const patch of [
    { source: 'vLlm' },
    { source: 'azureOpenAi', deploymentId: 'd', apiVersion: 'v' },
    { source: 'azureOpenAi', baseUrl: 'u', apiVersion: 'v' },
    { source: 'azureOpenAi', baseUrl: 'u', deploymentId: 'd' },
  ] as const) {
    await expect(chats.update('a', patch)).rejects.toMatchObject({ code: 'bad_request' })
  }
  expect(await chats.update('a', { source: 'vLlm', baseUrl: 'u' })).toMatchObject({ baseUrl: 'u' })
  expect(await chats.update('b', { source: 'mistral' })).toMatchObject({ source: 'mistral' })
  const system = 'x'.repeat(CHATS_BYTES_MAX)
  await expect(chats.update('c', { prompts: { system } })).rejects.toThrow(
    `may take ${CHATS_BYTES_MAX} at most`,
  )
  await engine.close()
})
