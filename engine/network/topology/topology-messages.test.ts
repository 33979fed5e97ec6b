// Messages of other instances about a change, documents that may arrive, and the network that
// searches use meanwhile: without an engine.
import { expect, test } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { codeOf } from '../../testing/test-code.ts'
import {
  type ChangeMessages,
  type Network,
  NO_NETWORK,
  type TopologyChange,
} from '../records/index.ts'
import { ImportAdmission } from './import-admission.ts'
import { ServingNetwork } from './serving-network.ts'
import { TopologyMessages } from './topology-messages.ts'
import type { TopologyRecords } from './topology-records.ts'

const REMOTE = { url: 'http://x', searchApiKey: null, writeApiKey: null }
const network = (version: string, shards: Record<string, string[]>): Network => ({
  self: 'a',
  leader: 'a',
  leaderId: null,
  term: 1,
  remotes: new Map(['a', 'b'].map((name) => [name, REMOTE])),
  shards: new Map(Object.entries(shards).map(([shard, remotes]) => [shard, { remotes }])),
  version,
})
const before = network('v1', { s1: ['a'], s2: ['b'] })
const after = network('v2', { s1: ['b'], s2: ['a'] })
const ORIGIN = { remoteName: 'a', taskUid: asTaskUid(7), networkVersion: 'v2' }
const CHANGE: TopologyChange = {
  uid: asTaskUid(7),
  before,
  after,
  absent: [],
  renewed: [],
  renewedShards: new Map(),
  isDirty: false,
  isReturning: false,
  bringing: [],
  origin: ORIGIN,
}

/** Records in memory. */
function records(placement?: Network): TopologyRecords {
  const none = { ended: [], finished: {}, routed: [], isClean: false, isDefined: false }
  let known: ChangeMessages = { version: '', ...none }
  const messages = (version: string) => (known.version === version ? known : { version, ...none })
  const note = async (version: string, change: (one: ChangeMessages) => ChangeMessages) => {
    known = change(messages(version))
  }
  return { messages, note, placement, bringing: [] } as unknown as TopologyRecords
}

function opened(change: TopologyChange | null, hasOlderTasks = false) {
  let calls = 0
  const all = records()
  const messages = new TopologyMessages(all, { change: () => change, changed: () => calls++ })
  const imports = new ImportAdmission(messages, {
    importsOf: () => [{ source: { ...SOURCE, key: 'k1' }, hasEnded: true }] as never,
    hasOlderTasks: () => hasOlderTasks,
  })
  return { all, messages, imports, calls: () => calls }
}

const SOURCE = {
  remoteName: 'b',
  indexName: 'films',
  key: 'k2',
  totalIndexes: 1,
  totalDocuments: 1,
}
const importOf = (source: object, networkVersion = 'v2') =>
  ({
    kind: 'import',
    source: { ...SOURCE, ...source },
    change: { ...ORIGIN, networkVersion },
  }) as never

test('messages are kept for the running change, and each calls the listener', async () => {
  const { messages, calls } = opened(CHANGE)
  await messages.exportEnded(ORIGIN, 'b')
  await messages.exportEnded(ORIGIN, 'b')
  await messages.importFinished(ORIGIN, 'b', true, null)
  expect(messages.all()).toMatchObject({ ended: ['b'], finished: { b: true }, routed: ['b'] })
  expect(calls()).toBe(3)
  expect(messages.isRouted).toBe(false)
  await messages.setRouted(CHANGE, true)
  expect(messages.isRouted).toBe(true)
  await messages.setRouted(CHANGE, false)
  expect(messages.all().routed).toEqual(['b'])
})

test('messages about another change, of strangers, and without a change are refused', async () => {
  const { messages } = opened(CHANGE)
  const other = { ...ORIGIN, networkVersion: 'v3' }
  await expect(messages.exportEnded(other, 'b')).rejects.toMatchObject({
    code: 'network_version_mismatch',
  })
  await expect(messages.exportEnded(ORIGIN, 'c')).rejects.toMatchObject({
    code: 'import_task_unknown_remote',
  })
  await expect(messages.importFinished(ORIGIN, 'c', true, null)).rejects.toMatchObject({
    code: 'receive_import_finished_unknown_remote',
  })
  expect(codeOf(() => opened(null).messages.expected(ORIGIN))).toBe(
    'import_task_without_network_task',
  )
  await expect(messages.definitionsSent(ORIGIN)).rejects.toMatchObject({
    code: 'import_task_without_network_task',
  })
})

test('documents may arrive from exporters of the change, once', () => {
  const { imports } = opened(CHANGE)
  expect(codeOf(() => imports.admit(importOf({})))).toBe('none')
  expect(codeOf(() => imports.admit(importOf({ key: null })))).toBe('none')
  expect(codeOf(() => imports.admit(importOf({ key: 'k1' })))).toBe('import_task_already_received')
  expect(codeOf(() => imports.admit(importOf({ remoteName: 'c' })))).toBe(
    'import_task_unknown_remote',
  )
  expect(codeOf(() => imports.admit(importOf({}, 'v3')))).toBe('network_version_mismatch')
})

test('documents wait for what is deleted, for older tasks and for definitions', async () => {
  const wait = 'import_task_without_network_task'
  const dirty = opened({ ...CHANGE, isDirty: true })
  expect(codeOf(() => dirty.imports.admit(importOf({})))).toBe(wait)
  await dirty.messages.note((known) => ({ ...known, isClean: true }))
  expect(codeOf(() => dirty.imports.admit(importOf({})))).toBe('none')
  const renewal = { ...CHANGE, renewed: ['a'], before: after, after: { ...after, leader: 'b' } }
  const late = opened({ ...renewal, after: { ...renewal.after, leader: 'c' } })
  expect(codeOf(() => late.imports.admit(importOf({})))).toBe(wait)
  await late.messages.definitionsSent(ORIGIN)
  expect(codeOf(() => late.imports.admit(importOf({})))).toBe('none')
  const busy = opened(renewal, true)
  expect(codeOf(() => busy.imports.admit(importOf({})))).toBe(wait)
  expect(codeOf(() => busy.imports.admitIndexes(ORIGIN, false))).toBe(wait)
})

test('searches use the former network until this instance is routed', async () => {
  const { all, messages } = opened(CHANGE)
  const serving = new ServingNetwork(all, messages, () => after)
  serving.begin(CHANGE)
  expect(serving.network).toMatchObject({ version: 'v1', shards: before.shards })
  expect(serving.alsoServed('v2')).toBe(null)
  await messages.importFinished(ORIGIN, 'a', true, false)
  expect(serving.alsoServed('v2')).toBe(after)
  await messages.setRouted(CHANGE, true)
  expect(serving.network).toBe(after)
  expect(serving.alsoServed('v1')?.version).toBe('v1')
  serving.beginDeletion()
  expect(serving.alsoServed('v1')).toBe(null)
  expect(serving.shardNames).toEqual(['s1', 's2'])
})

test('without a change the current network counts, or the one by which documents lie', () => {
  const { messages } = opened(null)
  expect(new ServingNetwork(records(), messages, () => after).network).toBe(after)
  expect(new ServingNetwork(records(), messages, () => NO_NETWORK).shardNames).toBe(null)
  const unsettled = new ServingNetwork(records(before), messages, () => after)
  expect([...unsettled.network.shards.values()]).toEqual([...before.shards.values()])
  expect(unsettled.network).toBe(unsettled.network)
})
