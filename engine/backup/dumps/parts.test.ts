// The smaller parts of a dump of the newest version: what may be missing, and what is refused.
import { describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE, promptsOf } from '../../ai/chats/index.ts'
import { FEATURES } from '../../model/index.ts'
import { NO_NETWORK } from '../../network/records/index.ts'
import { taskKinds } from '../../task-kinds/index.ts'
import type { DumpReader } from './dump-reader.ts'
import { openDump } from './open-dump.ts'
import { collected, type Files, lines, smallDump, unpackedFiles } from './test-dumps.ts'

const opened = (files: Files): Promise<DumpReader> =>
  openDump(unpackedFiles(smallDump(files)), taskKinds)
const json = (value: unknown): string => JSON.stringify(value)

const DATES = { createdAt: '2026-01-02T03:04:05Z', updatedAt: '2026-01-02T03:04:05Z' }
const RULES = 'indexes/.meili_dsr'
const UUID = 'd0d0cafe-0000-4000-8000-000000000003'

const withRules = (...rules: readonly unknown[]): Files => ({
  [`${RULES}/metadata.json`]: json({ uid: '.meili_dsr', ...DATES }),
  [`${RULES}/settings.json`]: '{}',
  [`${RULES}/documents.jsonl`]: lines(rules),
})

it('a dump may have none of them', async () => {
  const dump = await opened({})
  expect([dump.chats(), dump.network(), dump.webhooks(), dump.instanceUid]).toEqual([
    [],
    null,
    [],
    null,
  ])
  expect(Object.values(dump.features())).toEqual(FEATURES.map(() => false))
  expect(await collected(dump.rules())).toEqual([])
})

it('parts may lack members, or have null in their place', async () => {
  const dump = await opened({
    'instance_uid.uuid': ` ${UUID}\n`,
    'experimental-features.json': json({ network: true, metrics: 1, unknown: true }),
    'network.json': json({ remotes: { b: { url: 'http://b' } }, shards: { s: {} } }),
    'webhooks.json': json({ webhooks: { [UUID]: { url: 'http://w' } } }),
    'chat-completions-settings/help.json': json({ source: 'vLlm', baseUrl: 'http://m' }),
  })
  expect(dump.instanceUid).toBe(UUID)
  const on = Object.entries(dump.features()).filter(([, isOn]) => isOn)
  expect(on).toEqual([['network', true]])
  expect(dump.network()).toEqual({
    ...NO_NETWORK,
    remotes: new Map([['b', { url: 'http://b', searchApiKey: null, writeApiKey: null }]]),
    shards: new Map([['s', { remotes: [] }]]),
  })
  expect(dump.webhooks()).toEqual([{ uuid: UUID, url: 'http://w', headers: {} }])
  const workspace = { ...DEFAULT_WORKSPACE, source: 'vLlm', baseUrl: 'http://m' }
  expect(dump.chats()).toEqual([['help', workspace]])
  const empty = await opened({
    'network.json': json({ version: null, remotes: null, shards: null }),
    'webhooks.json': json({ webhooks: null }),
    'experimental-features.json': 'null',
  })
  expect([empty.network(), empty.webhooks()]).toEqual([NO_NETWORK, []])
  const nothing = await opened({ 'network.json': 'null', 'webhooks.json': 'null' })
  expect([nothing.network(), nothing.webhooks()]).toEqual([null, []])
})

it('built-in prompts of a workspace are not kept', async () => {
  const built = promptsOf(DEFAULT_WORKSPACE)
  const prompts = { ...built, searchQParam: 'Mine.', searchDescription: null }
  const path = 'chat-completions-settings/help.json'
  const [[, { prompts: kept }]] = (
    await opened({ [path]: json({ source: 'openAi', prompts }) })
  ).chats() as never as [[string, { prompts: object }]]
  expect(kept).toEqual({ ...DEFAULT_WORKSPACE.prompts, searchQParam: 'Mine.' })
})

it('rules may lack members, and members of other releases are left out', async () => {
  const dump = await opened(
    withRules(
      { uid: 'a' },
      {
        uid: 'b',
        description: null,
        precedence: null,
        active: false,
        lastUpdatedAt: '1970-01-01T00:00:01.000002003Z',
        conditions: { time: null, query: { words: 'x' }, filter: null },
        actions: null,
        unknown: 1,
      },
      { uid: 'c', conditions: { filter: { values: { n: 1 }, nbConstraints: 1 } } },
    ),
  )
  expect(dump.indexes().map(({ uid }) => uid)).toEqual(['books'])
  const bare = { lastUpdatedAt: 0, active: true, conditions: {}, actions: {} }
  expect(await collected(dump.rules())).toEqual([
    { uid: 'a', ...bare },
    {
      uid: 'b',
      lastUpdatedAt: 1_000_002,
      lastUpdatedNanos: 3,
      active: false,
      conditions: { query: { words: 'x' } },
      actions: {},
    },
    { uid: 'c', ...bare, conditions: { filter: { values: { n: 1 } } } },
  ])
})

it('embedders of a local model get the pooling that older releases had', async () => {
  const local = { source: 'huggingFace', model: 'm' }
  const embedders = {
    old: local,
    nulled: { ...local, pooling: null },
    own: { ...local, pooling: 'useModel' },
    other: { source: 'userProvided', dimensions: 1 },
  }
  const settings = async (given: unknown) => {
    const dump = await opened({ 'indexes/books/settings.json': json({ embedders: given }) })
    const entries = Object.entries(dump.indexes()[0]!.settings().embedders)
    return entries.map(([name, { pooling }]) => [name, pooling])
  }
  expect(await settings(embedders)).toEqual([
    ['nulled', 'forceMean'],
    ['old', 'forceMean'],
    ['other', undefined],
    ['own', 'useModel'],
  ])
  expect(await settings({ gone: null })).toEqual([])
  expect(await settings(null)).toEqual([])
})

describe('a faulty part is refused with its place', () => {
  it.each<[string, (dump: DumpReader) => unknown, Files, string]>([
    [
      'no workspace',
      (dump) => dump.chats(),
      { 'chat-completions-settings/a b.json': json({ source: 'openAi' }) },
      '`chat-completions-settings/a b.json`: it names no workspace',
    ],
    [
      'source',
      (dump) => dump.chats(),
      { 'chat-completions-settings/a.json': json({ source: 'x' }) },
      '`chat-completions-settings/a.json`: its source is unknown',
    ],
    [
      'text',
      (dump) => dump.chats(),
      { 'chat-completions-settings/a.json': json({ source: 'openAi', apiKey: 1 }) },
      '`chat-completions-settings/a.json`: a text is expected',
    ],
    [
      'features',
      (dump) => dump.features(),
      { 'experimental-features.json': '[]' },
      'experimental-features.json: an object is expected',
    ],
    [
      'remote',
      (dump) => dump.network(),
      { 'network.json': json({ remotes: { b: {} } }) },
      'network.json: ',
    ],
    [
      'webhook',
      (dump) => dump.webhooks(),
      { 'webhooks.json': json({ webhooks: { one: { url: 'http://w' } } }) },
      'webhooks.json: a UUID is expected',
    ],
    [
      'name of a rule',
      (dump) => collected(dump.rules()),
      withRules({ uid: 'a' }, { uid: 'b c' }),
      `\`${RULES}/documents.jsonl\`, line 2: it names no rule`,
    ],
    [
      'rule',
      (dump) => collected(dump.rules()),
      withRules({ uid: 'a', conditions: { query: { words: 1 } } }),
      `\`${RULES}/documents.jsonl\`, line 1: `,
    ],
    [
      'filter of a rule',
      (dump) => collected(dump.rules()),
      withRules({ uid: 'a', conditions: { filter: {} } }),
      `\`${RULES}/documents.jsonl\`, line 1: `,
    ],
    [
      'order of batches',
      (dump) => collected(dump.batches()),
      {
        'batches/queue.jsonl': lines(
          [4, 4].map((uid) => ({ uid, startedAt: '2026-01-02T03:04:05Z' })),
        ),
      },
      '`batches/queue.jsonl`, line 2: batches are out of order',
    ],
  ])('%s', async (_, read, files, words) => {
    const dump = await opened(files)
    const reading = (async () => read(dump))()
    await expect(reading).rejects.toThrow(`Corrupted dump: ${words}`)
  })

  it('an index occurs once', async () => {
    const of = (name: string) => smallDump()[`indexes/books/${name}`]!
    const names = ['metadata.json', 'settings.json', 'documents.jsonl']
    const files = Object.fromEntries(names.map((name) => [`indexes/other/${name}`, of(name)]))
    await expect(opened(files)).rejects.toThrow(
      'Corrupted dump: `indexes/other`: `books` occurs twice.',
    )
  })
})
