// Values that a dump may have, lack, or hold in another form: keys, rules, settings, tasks and their
// network parts. Lines that are written are read back.
import { describe, expect, it, test } from 'vitest'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { countBetween } from '../../../format/schema/index.ts'
import { taskKinds } from '../../task-kinds/index.ts'
import type { Task } from '../../write/task-data/index.ts'
import {
  batchUidOrNull,
  countOf,
  DumpError,
  indexUidOrNull,
  parsed,
  readAs,
  taskUidOf,
  textOrNull,
} from './dump-error.ts'
import { keyLine, readKeyLine } from './key-lines.ts'
import { dumpFile, dumpUidOf, isDumpUid, unfinishedDumpFile } from './layout.ts'
import { newerKey } from './older-keys.ts'
import { newerSettings, patchOfV1, settingsOfV1 } from './older-settings.ts'
import { taskOfEvents, taskOfUpdate, taskOfV1 } from './older-tasks.ts'
import { ruleDocument, ruleOfDocument } from './rules-index.ts'
import { settingsOf, settingsPatch } from './settings-file.ts'
import { camelMembers, snakeMembers, versionParts, versionText } from './task-details.ts'
import { readTaskLine, taskLine } from './task-lines.ts'
import { networkMembers, readNetworkMembers } from './task-network.ts'

const refused = (words: string): DumpError => new DumpError(`Corrupted dump: here: ${words}.`)
const U32_MAX = 0xffffffff
const UUID = 'd0d0cafe-0000-4000-8000-000000000003'

describe('a value', () => {
  it('may be missing, or null, where it has a default', () => {
    for (const value of [undefined, null]) {
      expect([textOrNull(value, 'here'), indexUidOrNull(value, 'here')]).toEqual([null, null])
      expect(batchUidOrNull(value, 'here')).toBeNull()
    }
    expect([textOrNull('', 'here'), batchUidOrNull(0, 'here')]).toEqual(['', 0])
  })

  it('is refused with the place of its fault', () => {
    expect(() => textOrNull(1, 'here')).toThrow(refused('a text is expected'))
    const schema = countBetween(0, 1)
    expect(() => readAs(schema, 2, 'here')).toThrow(
      refused('a whole number from 0 to 1 is expected'),
    )
    expect(() => readKeyLine({ ...keyLineOf(), actions: ['search', 1] }, 'here')).toThrow(
      refused('a text is expected at /actions/1'),
    )
    expect(() => parsed('{"secret":', 'here')).toThrow(refused('it is not JSON'))
  })

  it('is the number of a task below the one that stands for none', () => {
    expect(taskUidOf(U32_MAX - 1, 'here')).toBe(U32_MAX - 1)
    for (const uid of [U32_MAX, -1, 0.5, '1']) {
      expect(() => taskUidOf(uid, 'here')).toThrow(
        refused('a number of a task or a batch is expected'),
      )
    }
  })

  it.each([
    [0, 0],
    [1, 1],
    [U32_MAX, U32_MAX],
    [U32_MAX + 1, U32_MAX],
    [-1, 0],
    [1.5, 0],
    ['1', 0],
    [null, 0],
  ])('%j is a count of %i', (value, count) => {
    expect(countOf(value)).toBe(count)
  })
})

test('a dump is named by the time at which it began', () => {
  const uid = dumpUidOf(Date.UTC(2026, 0, 2, 3, 4, 5, 678) * 1000 + 999)
  expect([uid, isDumpUid(uid)]).toEqual(['20260102-030405678', true])
  expect([dumpFile(uid), unfinishedDumpFile(uid)]).toEqual([`${uid}.dump`, `${uid}.dump.new`])
})

const KEY = {
  uid: UUID,
  actions: ['search'],
  indexes: ['*'],
  createdAt: 1_000_000,
  updatedAt: 2_000_000,
} as const
const keyLineOf = (more: object = {}) =>
  keyLine({ ...KEY, name: null, description: null, expiresAt: null, ...more } as never)

describe('a key', () => {
  it.each<[object, object]>([
    [{}, { expires_at: null }],
    [
      { name: 'n', description: 'd' },
      { name: 'n', description: 'd', expires_at: null },
    ],
    [
      { expiresAt: { seconds: 60, nanos: 5, offsetMinutes: 0 } },
      { expires_at: '1970-01-01T00:01:00.000000005Z' },
    ],
  ])('with %j is written and read back', (more, members) => {
    const line = keyLineOf(more)
    expect(line).toEqual({
      uid: UUID,
      actions: ['search'],
      indexes: ['*'],
      created_at: '1970-01-01T00:00:01Z',
      updated_at: '1970-01-01T00:00:02Z',
      ...members,
    })
    const whole = { ...KEY, name: null, description: null, expiresAt: null, ...more }
    expect(readKeyLine(line, 'here')).toEqual(whole)
  })

  it('keeps known actions, and is refused without a date or a UUID', () => {
    expect(readKeyLine(keyLineOf({ actions: ['search', 'fly'] }), 'here').actions).toEqual([
      'search',
    ])
    expect(() => readKeyLine({ ...keyLineOf(), expires_at: 'x' }, 'here')).toThrow(
      refused('a date is expected'),
    )
    expect(() => readKeyLine({ ...keyLineOf(), uid: 'x' }, 'here')).toThrow(
      refused('a UUID is expected'),
    )
  })

  it('of an older release has a UUID, derived from its id unless it has one', () => {
    const uidOf = (value: unknown): unknown => newerKey(value, 'here')['uid']
    const derived = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    const of = { id: uidOf({ id: 'a' }), other: uidOf({ id: 'b' }), uid: uidOf({ uid: 'a' }) }
    for (const uid of Object.values(of)) expect(uid).toMatch(derived)
    expect([of.uid, of.id === of.other]).toEqual([of.id, false])
    expect([uidOf({ uid: UUID }), uidOf({ uid: UUID, id: 'a' })]).toEqual([UUID, UUID])
    expect(newerKey({ uid: UUID, actions: ['search', 'fly'], more: 1 }, 'here')).toEqual({
      uid: UUID,
      actions: ['search'],
      more: 1,
    })
    expect(newerKey({ uid: UUID, actions: 'search' }, 'here')['actions']).toEqual([])
  })
})

describe('a rule', () => {
  const bare = { uid: 'r', lastUpdatedAt: 0, active: true, conditions: {}, actions: {} }
  it.each<[object, object]>([
    [{}, { lastUpdatedAt: '1970-01-01T00:00:00Z' }],
    [
      { description: 'd', precedence: 0 },
      { description: 'd', precedence: 0 },
    ],
    [{ active: false }, { active: false }],
    [
      { lastUpdatedAt: 1_000_002, lastUpdatedNanos: 3 },
      { lastUpdatedAt: '1970-01-01T00:00:01.000002003Z' },
    ],
    [
      { conditions: { query: { words: 'x' }, filter: { values: { a: 1, b: [2] } } } },
      {
        conditions: {
          query: { words: 'x' },
          filter: { values: { a: 1, b: [2] }, nbConstraints: 2 },
        },
      },
    ],
  ])('with %j is written and read back', (more, members) => {
    const document = ruleDocument({ ...bare, ...more } as never)
    expect(document).toEqual({ ...bare, lastUpdatedAt: '1970-01-01T00:00:00Z', ...members })
    expect(ruleOfDocument(document, 'here')).toEqual({ ...bare, ...more })
  })
})

describe('settings', () => {
  it('that have another form are refused', () => {
    const read = (value: unknown) => settingsOf(settingsPatch(value, 'here'), 'here')
    expect(read({ stopWords: ['a'], unknown: 1 }).stopWords).toEqual(['a'])
    expect(() => read(5)).toThrow(refused('an object is expected'))
    for (const given of [{ stopWords: 5 }, { synonyms: { a: 1 } }, { rankingRules: 'words' }]) {
      expect(() => read(given), JSON.stringify(given)).toThrow(
        refused('a setting does not have its form'),
      )
    }
  })

  it('of older releases may be missing', () => {
    expect([newerSettings(null, 'here'), newerSettings(undefined, 'here')]).toEqual([{}, {}])
    expect(() => newerSettings(5, 'here')).toThrow(refused('an object is expected'))
    expect(settingsOfV1(undefined, 'here')).toEqual({})
  })

  it('of version 1 have names with a capital, orders and other values', () => {
    const patch = (rules: unknown) => patchOfV1({ ranking_rules: { Update: rules } })
    expect(patch(['Exactness', 'Attribute', 'Proximity', 'Words', 'Other', 5])).toMatchObject({
      rankingRules: expect.arrayContaining(['exactness', 'attribute', 'proximity', 'words']),
    })
    expect(patchOfV1({ synonyms: { Update: { a: ['b'] } } })).toEqual({ synonyms: { a: ['b'] } })
    expect(patchOfV1({ synonyms: { Other: 1 }, stop_words: 5 })).toEqual({})
  })
})

describe('details', () => {
  it('change the case of their names; missing ones are null', () => {
    const camel = { dumpUid: 1, primaryKey: 'k' }
    const snake = { dump_uid: 1, primary_key: 'k' }
    expect(snakeMembers(camel, 'dumpUid', 'primaryKey', 'oneMore')).toEqual({
      ...snake,
      one_more: null,
    })
    expect(camelMembers(snake, 'dump_uid', 'primary_key', 'one_more')).toEqual({
      ...camel,
      oneMore: null,
    })
  })

  it.each<[unknown, readonly number[]]>([
    ['v1.12.0', [1, 12, 0]],
    ['1.2.3-rc', [1, 2, 3]],
    ['x', [0, 0, 0]],
    [undefined, [0, 0, 0]],
  ])('have the parts of the version %j', (text, parts) => {
    expect(versionParts(text)).toEqual(parts)
  })

  it('have the text of a version', () => {
    expect([versionText([1, '2', 3]), versionText('1.2.3')]).toEqual(['v1.2.3', 'v0.0.0'])
  })
})

describe('a task', () => {
  const second = (at: number): string => `1970-01-01T00:00:0${at}Z`
  const LINE = {
    uid: 3,
    batchUid: 7,
    indexUid: 'a',
    status: 'succeeded',
    type: { indexCreation: { primary_key: 'k' } },
    enqueuedAt: second(1),
    startedAt: second(2),
    finishedAt: second(3),
  }
  const read = (more: object = {}) => readTaskLine(taskKinds, { ...LINE, ...more }, 'here')

  it('has the members of its line', () => {
    expect(read({ canceledBy: 1, customMetadata: 'm' })).toEqual({
      uid: 3,
      batchUid: 7,
      indexUid: 'a',
      status: 'succeeded',
      kind: 'indexCreation',
      canceledBy: 1,
      details: {},
      error: null,
      enqueuedAt: 1e6,
      startedAt: 2e6,
      finishedAt: 3e6,
      nanos: undefined,
      customMetadata: 'm',
      names: [],
      count: 0,
      content: null,
      documents: null,
    })
  })

  it.each(['enqueued', 'processing'])('that is %s waits, with its request', (status) => {
    expect(read({ status, network: 5, customMetadata: null })).toMatchObject({
      status: 'enqueued',
      batchUid: null,
      startedAt: null,
      finishedAt: null,
      nanos: undefined,
      canceledBy: null,
      customMetadata: null,
      content: { kind: 'indexCreation', primaryKey: 'k' },
    })
  })

  it('has the nanoseconds of any of its moments', () => {
    const names = ['enqueuedAt', 'startedAt', 'finishedAt'] as const
    const none = { enqueuedAt: 0, startedAt: 0, finishedAt: 0 }
    for (const name of names) {
      expect(read({ [name]: '1970-01-01T00:00:01.000000001Z' }).nanos).toEqual({
        ...none,
        [name]: 1,
      })
    }
  })

  it('counts its documents, or the tasks that it matched', () => {
    const details = { DocumentAdditionOrUpdate: { received_documents: 4, indexed_documents: 2 } }
    const type = { documentImport: { method: 'ReplaceDocuments', documents_count: 4 } }
    expect(read({ type, details })).toMatchObject({
      count: 4,
      details: { receivedDocuments: 4, indexedDocuments: 2 },
    })
    const matched = { matched_tasks: 5, deleted_tasks: 1, original_filter: '?uids=1' }
    expect(
      read({
        type: { tasksDeletion: { query: '?uids=1', tasks: [] } },
        details: { TaskDeletion: matched },
      }).count,
    ).toBe(5)
  })

  it.each<[object, string]>([
    [{ type: 'fly' }, 'its type is unknown'],
    [{ type: {} }, 'its type is unknown'],
    [{ type: 5 }, 'an object is expected'],
    [{ type: { indexCreation: 5 } }, 'an object is expected'],
    [{ type: 'toString' }, 'its type is unknown'],
    [{ indexUid: null }, 'it names no index'],
    [{ status: 'lost' }, 'its status is unknown'],
    [{ uid: -1 }, 'a number of a task or a batch is expected'],
    [{ error: { code: 'c' } }, 'a text is expected'],
    [{ details: 5 }, 'an object is expected'],
    [{ network: { origin: {} } }, 'its origin cannot be read'],
  ])('with %j is refused', (more, words) => {
    expect(() => read(more)).toThrow(refused(words))
  })

  it('may have details of another release, which are left out', () => {
    expect([read({ details: { Fly: {} } }).details, read({ details: {} }).details]).toEqual([
      {},
      {},
    ])
  })

  it('of version 1 to 5 is left out if it has another form', () => {
    expect(taskOfEvents({ content: { Dump: {} }, events: 5 }, 'here')?.line).toMatchObject({
      enqueuedAt: '1970-01-01T00:00:00Z',
      finishedAt: '1970-01-01T00:00:00Z',
      details: { Dump: { dump_uid: null } },
    })
    const update = { status: 'enqueued', meta: { DeleteDocuments: { ids: 5 } } }
    expect(taskOfUpdate(update, asIndexUid('a'))?.line).toMatchObject({
      type: { documentDeletion: { documents_ids: [] } },
      details: { DocumentDeletion: { provided_ids: 0, deleted_documents: null } },
      enqueuedAt: '1970-01-01T00:00:00Z',
    })
    const deletion = { status: 'processed', type: { name: 'DocumentsDeletion' } }
    expect(taskOfV1(deletion, asIndexUid('a'))?.line).toMatchObject({
      details: { DocumentDeletion: { provided_ids: 0, deleted_documents: 0 } },
    })
  })
})

describe('the network part of a task', () => {
  const origin = { remoteName: 'b', taskUid: asTaskUid(4), networkVersion: UUID }
  const error = { message: 'm', code: 'c', type: 't', link: 'l' }
  const source = { remoteName: 'b', indexName: 'a', documentCount: 5 }
  const counts = { indexCount: 0, totalDocuments: 0, key: null }
  const leader = { kind: 'leader', version: 'v', remotes: ['b', 'c'] }
  const remoteResults = {
    b: { taskUid: asTaskUid(1), error: null },
    c: { error, isFinal: true },
  }

  it.each<[object, unknown]>([
    [{}, undefined],
    [{ network: { kind: 'origin', origin } }, { origin }],
    [
      { network: { kind: 'import', source: { ...source, ...counts }, change: origin } },
      { import_from: source, network_change: origin },
    ],
    [
      {
        network: {
          kind: 'import',
          source: { ...source, ...counts, indexName: null },
          change: origin,
        },
      },
      { import_from: { ...source, indexName: null }, network_change: origin },
    ],
    [
      { network: leader, remoteResults },
      { remote_tasks: { b: remoteResults.b, c: { error } }, network_version: 'v' },
    ],
  ])('%j is written and read back', (task, network) => {
    const members = networkMembers(task as Task)
    expect(members).toEqual(network === undefined ? {} : { network })
    expect(readNetworkMembers(members['network'], 'here')).toEqual(task)
    expect(readNetworkMembers(null, 'here')).toEqual({})
  })

  it('of a leader without answers has none', () => {
    expect(networkMembers({ network: leader } as unknown as Task)).toEqual({
      network: { remote_tasks: {}, network_version: 'v' },
    })
  })

  it('is refused if it has another form', () => {
    const read = (value: unknown) => readNetworkMembers(value, 'here')
    const sent = (answer: unknown) => ({ remote_tasks: { b: answer }, network_version: 'v' })
    expect(() => read(sent({ error: { code: 'c' } }))).toThrow(
      refused('an answer of a remote cannot be read'),
    )
    expect(() => read(sent({ taskUid: 'x', error: null }))).toThrow(
      refused('an answer of a remote cannot be read'),
    )
    expect(() => read({ remote_tasks: {} })).toThrow(refused('a text is expected'))
    const from = { import_from: { ...source, documentCount: 0.5 }, network_change: origin }
    expect(read(from)).toMatchObject({ network: { source: { documentCount: 0 } } })
    expect(() => read({ ...from, network_change: { remoteName: 'b' } })).toThrow(
      refused('its origin cannot be read'),
    )
  })
})

test('a line has the moments, the error and the metadata of its task, if it has them', () => {
  const task = {
    uid: asTaskUid(1),
    batchUid: null,
    indexUid: asIndexUid('a'),
    status: 'enqueued',
    kind: 'indexCreation',
    canceledBy: null,
    details: { primaryKey: 'k' },
    error: null,
    enqueuedAt: 1e6,
    startedAt: null,
    finishedAt: null,
    customMetadata: null,
  } as unknown as Task
  const kind = taskKinds.named('indexCreation')
  const line = (more: object) =>
    taskLine(kind, { ...task, ...more }, null, (code) => ({ type: `${code}?`, link: '#' }))
  const bare = {
    uid: 1,
    batchUid: null,
    indexUid: 'a',
    status: 'enqueued',
    type: { indexCreation: { primary_key: 'k' } },
    details: { IndexInfo: { primary_key: 'k' } },
    enqueuedAt: '1970-01-01T00:00:01Z',
  }
  expect(line({})).toMatchObject(bare)
  expect(line({})).not.toHaveProperty('error')
  const ended = {
    canceledBy: 2,
    error: { code: 'c', message: 'm' },
    startedAt: 2e6,
    finishedAt: 3e6,
    customMetadata: 'x',
    nanos: { enqueuedAt: 1, startedAt: 2, finishedAt: 3 },
  }
  expect(line(ended)).toMatchObject({
    canceledBy: 2,
    error: { message: 'm', code: 'c', type: 'c?', link: '#' },
    enqueuedAt: '1970-01-01T00:00:01.000000001Z',
    startedAt: '1970-01-01T00:00:02.000000002Z',
    finishedAt: '1970-01-01T00:00:03.000000003Z',
    customMetadata: 'x',
  })
  for (const name of ['canceledBy', 'startedAt', 'finishedAt', 'customMetadata', 'network']) {
    expect(line({})).not.toHaveProperty(name)
  }
})
