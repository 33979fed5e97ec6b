// Tasks of the whole database: their records, details and forms in dumps.
import { describe, expect, it, test } from 'vitest'
import { EngineFault } from '../../model/index.ts'
import { taskKinds } from '../index.ts'
import {
  expectForms,
  finishedForms,
  readDetails,
  readFromDump,
  recordOf,
  treatmentOf,
} from '../kind/test-forms.ts'
import { sizeText } from './size-text.ts'
import { namingStore, storeWords } from './snapshot-upload.ts'

const exported = { url: 'http://h', apiKey: null, payloadSize: null, indexes: {} }
const patterns = { '*': { filter: 'a = 1', overrideSettings: true } }
const MOVING = { movedDocuments: 0, message: 'processing tasks for previous network versions' }

describe('a request', () => {
  it.each<[string, object, object | null, unknown]>([
    [
      'dumpCreation',
      { keys: [{ uid: 'k' }], instanceUid: 'i' },
      { dumpUid: null },
      { dumpCreation: { keys: [{ uid: 'k' }], instance_uid: 'i' } },
    ],
    ['snapshotCreation', {}, null, 'snapshotCreation'],
    [
      'export',
      exported,
      { url: 'http://h', indexes: {} },
      { export: { url: 'http://h', api_key: null, payload_size: null, indexes: {} } },
    ],
    [
      'export',
      { ...exported, apiKey: 'masterKeyOfSomeone', payloadSize: '1 MiB', indexes: patterns },
      {
        url: 'http://h',
        apiKey: 'maXXXX...',
        payloadSize: '1 MiB',
        indexes: patterns,
      },
      {
        export: {
          url: 'http://h',
          api_key: 'masterKeyOfSomeone',
          payload_size: '1 MiB',
          indexes: patterns,
        },
      },
    ],
    [
      'upgradeDatabase',
      { from: 'v1.2.3', to: 'v1.2.3' },
      { upgradeFrom: 'v1.2.3', upgradeTo: 'v1.2.3' },
      { upgradeDatabase: { from: [1, 2, 3] } },
    ],
    ['networkTopologyChange', { change: { a: 1 } }, MOVING, { networkTopologyChange: { a: 1 } }],
  ])('%s %j keeps its content, and has details and a form in dumps', expectForms)

  it('of a dump may lack keys, in records and dumps of earlier releases', () => {
    const view = recordOf({ kind: 'dumpCreation', keys: [{}], instanceUid: 'i' })
    const bare = { kind: 'dumpCreation', keys: [], instanceUid: null }
    expect(taskKinds.contentOf({ ...view, content: null })).toEqual(bare)
    expect(taskKinds.contentOf({ ...view, content: Buffer.from('{}') })).toEqual(bare)
    expect(readFromDump('dumpCreation', 'dumpCreation', {})).toEqual(bare)
  })

  it('of a network change may lack the change', () => {
    const view = recordOf({ kind: 'networkTopologyChange', change: 1 })
    expect(taskKinds.contentOf({ ...view, content: Buffer.from('{}') })).toEqual({
      kind: 'networkTopologyChange',
      change: null,
    })
  })

  it('of an export may lack members in a dump', () => {
    const read = { url: 'http://h', indexes: { '*': {} } }
    expect(readFromDump('export', 'export', read)).toEqual({
      kind: 'export',
      ...exported,
      indexes: { '*': { filter: null, overrideSettings: false } },
    })
    expect(readFromDump('export', 'export', { url: 'http://h' })).toMatchObject({ indexes: {} })
  })
})

test('how the queue treats the kinds', () => {
  const names = [
    'dumpCreation',
    'snapshotCreation',
    'export',
    'upgradeDatabase',
    'networkTopologyChange',
  ]
  expect(names.map((name) => `${name}: ${treatmentOf(name)}`)).toEqual([
    'dumpCreation: queue 7, takes oldest isGlobal failsWithStorage',
    'snapshotCreation: queue 6, takes all isGlobal failsWithStorage',
    'export: queue 5, takes oldest isGlobal holdsSecret failsWithStorage',
    'upgradeDatabase: queue 1, takes all isGlobal isRetried failsWithStorage',
    'networkTopologyChange: queue 2, takes oldest isGlobal',
  ])
  const { queue, failedDetails } = taskKinds.named('networkTopologyChange')
  expect(queue.of === 'kind' ? queue.strategy!(4 as never) : null).toBe(
    'stopped after task with id 4 because it is a network topology change task',
  )
  expect(failedDetails!(MOVING)).toEqual({
    movedDocuments: 0,
    message: `Failed. Previous status: ${MOVING.message}`,
  })
})

test.each<[string, object, unknown, unknown]>([
  [
    'dumpCreation',
    { dumpUid: 'd' },
    { dumpCreation: { keys: [], instance_uid: null } },
    { Dump: { dump_uid: 'd' } },
  ],
  [
    'export',
    { url: 'http://h', apiKey: 'abcdeXXXXX...', payloadSize: '1 KiB', indexes: patterns },
    { export: { url: 'http://h', api_key: null, payload_size: '1 KiB', indexes: patterns } },
    {
      Export: {
        url: 'http://h',
        api_key: 'abcdeXXXXX...',
        payload_size: '1 KiB',
        indexes: patterns,
      },
    },
  ],
  [
    'upgradeDatabase',
    { upgradeFrom: 'v1.2.3', upgradeTo: 'v1.3.0' },
    { upgradeDatabase: { from: [1, 2, 3] } },
    { UpgradeDatabase: { from: [1, 2, 3], to: [1, 3, 0] } },
  ],
  [
    'networkTopologyChange',
    { movedDocuments: 2, message: 'm' },
    { networkTopologyChange: {} },
    { NetworkTopologyChange: { moved_documents: 2, message: 'm' } },
  ],
])('a finished %s in a dump', (kind, shown, type, dumped) => {
  expect(finishedForms(kind, shown)).toEqual({ type, details: dumped })
  const [tag, members] = Object.entries(dumped as object)[0]!
  expect(readDetails(kind, tag, members)).toEqual(shown)
})

test('details of dumps of other releases', () => {
  expect(finishedForms('snapshotCreation', {})).toEqual({ type: 'snapshotCreation', details: null })
  expect(readDetails('export', 'Export', { url: 'u', payload_size: 2048 })).toEqual({
    url: 'u',
    payloadSize: '2 KiB',
    indexes: {},
  })
  expect(readDetails('export', 'Export', { url: 'u', api_key: 'k', payload_size: null })).toEqual({
    url: 'u',
    apiKey: expect.stringMatching(/XXX/),
    indexes: {},
  })
  const secret = readDetails('export', 'Export', { url: 'u', api_key: 'masterKeyOfSomeone' })
  expect(JSON.stringify(secret)).not.toContain('OfSomeone')
  expect(readDetails('networkTopologyChange', 'NetworkTopologyChange', {})).toEqual({
    movedDocuments: 0,
    message: '',
  })
  expect([sizeText(2048), sizeText('3 MiB')]).toEqual(['2 KiB', '3 MiB'])
})

test('errors of a store name it, without its secrets', () => {
  const store = { url: 'https://key:secret@host:9000/path', bucket: 'b' }
  expect(storeWords(store)).toBe('the bucket `b` of host:9000')
  expect(storeWords({ url: 'no url', bucket: 'b' })).toBe('the bucket `b` of no url')
  const named = namingStore(store, new EngineFault('internal', 'no')) as EngineFault
  expect([named.code, named.message]).toEqual(['internal', 'no (the bucket `b` of host:9000)'])
  const other = new Error('x')
  expect(namingStore(store, other)).toBe(other)
})
