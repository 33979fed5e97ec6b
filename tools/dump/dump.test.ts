// Commands on dumps: the counts, the faults found, the extracted files; and no temporary file
// remains.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Files, lines, packed, smallDump } from '../../engine/backup/dumps/test-dumps.ts'
import { runForTest } from '../test-run.ts'
import type { DumpSummary } from './inspect.ts'
import type { DumpVerdict } from './verify.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-tools-dump-'))
const scratch = join(root, 'scratch')
const path = (name: string): string => join(root, name)
beforeAll(() => mkdirSync(scratch))
afterAll(() => rmSync(root, { recursive: true }))

const SECRET = 'sk-0123456789abcdef0123'
const KEY_UID = 'd0d0cafe-0000-4000-8000-000000000003'
const at = '2026-01-02T03:04:05Z'

const RICH: Files = smallDump({
  'keys.jsonl': lines([
    {
      name: 'reader',
      uid: KEY_UID,
      actions: ['search'],
      indexes: ['b*'],
      expires_at: null,
      created_at: at,
      updated_at: at,
    },
  ]),
  'indexes/books/settings.json': JSON.stringify({
    embedders: { one: { source: 'openAi', apiKey: SECRET } },
  }),
  'experimental-features.json': JSON.stringify({ containsFilter: true, metrics: false }),
  'webhooks.json': JSON.stringify({
    webhooks: {
      'd0d0cafe-0000-4000-8000-000000000009': {
        url: `https://there/?token=${SECRET}`,
        headers: { a: SECRET },
      },
    },
  }),
  'tasks/queue.jsonl': lines([
    {
      uid: 3,
      batchUid: null,
      indexUid: 'books',
      status: 'enqueued',
      type: { documentImport: { primary_key: null, documents_count: 1 } },
      enqueuedAt: at,
    },
  ]),
  'tasks/update_files/3.jsonl': '{"id":3}\n',
})

async function write(name: string, files: Files): Promise<string> {
  writeFileSync(path(name), await packed(files))
  return path(name)
}

async function run(...words: string[]) {
  const ran = await runForTest(['dump', ...words, '--scratch', scratch])
  expect(readdirSync(scratch), 'nothing stays behind').toEqual([])
  return ran
}

describe('dump inspect', () => {
  it('counts the content, without secrets', async () => {
    const file = await write('rich.dump', RICH)
    const { code, out, err } = await run('inspect', file)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const words of [
      'dump V6',
      'release 1.50.0',
      'books',
      '1 task',
      'reader',
      'https://there/',
    ]) {
      expect(out).toContain(words)
    }
    const json = await run('inspect', file, '--json')
    const summary = JSON.parse(json.out) as DumpSummary
    expect(summary).toMatchObject({
      version: 'V6',
      indexes: [{ uid: 'books', documents: 2, embedders: ['one'] }],
      tasks: { total: 1, statuses: { enqueued: 1 }, bodies: 1 },
      features: ['containsFilter'],
      keys: [{ name: 'reader', actions: ['search'], indexes: ['b*'] }],
    })
    for (const text of [out, json.out]) {
      expect(text).not.toContain(SECRET)
      expect(text).not.toContain(KEY_UID)
    }
  })

  it('reports faults', async () => {
    const none = await run('inspect', path('none.dump'))
    expect(none).toMatchObject({ code: 2, out: '' })
    expect(none.err).toContain('there is no file')
    writeFileSync(path('text.dump'), 'no archive')
    const text = await run('inspect', path('text.dump'))
    expect(text.code).toBe(2)
    expect(text.err).toContain('is not a sound dump')
  })
})

describe('dump verify', () => {
  it('reads everything', async () => {
    const { code, out } = await run('verify', await write('rich.dump', RICH))
    expect(code).toBe(0)
    expect(out).toContain('is sound: dump V6, 1 index, 2 documents, 1 task.')
  })

  it.each([
    ['a document', { 'indexes/books/documents.jsonl': '{"id":1}\n{"id":' }, 'Index `books`'],
    ['a setting', { 'indexes/books/settings.json': '{"stopWords":1}' }, 'a setting'],
    ['a task', { 'tasks/queue.jsonl': '{}\n' }, '`tasks/queue.jsonl`, line 1'],
    ['a body', { 'tasks/update_files/3.jsonl': '[\n' }, 'Task 3'],
    ['a key', { 'keys.jsonl': '7\n' }, '`keys.jsonl`, line 1'],
    ['a batch', { 'batches/queue.jsonl': '7\n' }, '`batches/queue.jsonl`, line 1'],
    ['a webhook', { 'webhooks.json': '[]' }, 'webhooks.json'],
    ['no primary key', { 'indexes/books/documents.jsonl': '{"id":1}\n{"ID":2}\n' }, '`id`'],
    [
      'a vector beyond 32-bit floats',
      {
        'indexes/books/settings.json':
          '{"embedders":{"e":{"source":"userProvided","dimensions":2}}}',
        'indexes/books/documents.jsonl': '{"id":1,"_vectors":{"e":[1e39,0]}}\n',
      },
      'beyond the range',
    ],
  ])('finds a fault: %s', async (_, files, words) => {
    const file = await write('wrong.dump', { ...RICH, ...files } as Files)
    const { code, out } = await run('verify', file, '--json')
    const verdict = JSON.parse(out) as DumpVerdict
    expect(verdict.isSound).toBe(false)
    expect(verdict.fault).toContain(words)
    expect(code).toBe(1)
  })

  it('only reads when it has to be quick', async () => {
    const files = { ...RICH, 'indexes/books/documents.jsonl': '{"ID":2}\n' } as Files
    const file = await write('no-key.dump', files)
    expect(await run('verify', file)).toMatchObject({ code: 1 })
    expect(await run('verify', file, '--quick')).toMatchObject({ code: 0 })
  })

  it('finds a truncated archive', async () => {
    const file = await write('cut.dump', RICH)
    writeFileSync(file, readFileSync(file).subarray(0, -9))
    const { code, out } = await run('verify', file)
    expect(code).toBe(1)
    expect(out).toContain('it ends early')
  })
})

describe('dump extract', () => {
  it('writes documents and settings of an index', async () => {
    const file = await write('rich.dump', RICH)
    const plain = await run('extract', file, 'books')
    expect(plain).toMatchObject({ code: 0, out: RICH['indexes/books/documents.jsonl']! })
    const target = path('books.ndjson')
    const settings = path('settings.json')
    const words = ['extract', file, 'books', '-o', target, '--settings', settings]
    expect(await run(...words)).toMatchObject({ code: 0 })
    expect(readFileSync(target, 'utf8')).toBe(RICH['indexes/books/documents.jsonl'])
    const text = readFileSync(settings, 'utf8')
    expect(text).not.toContain(SECRET)
    // A server without the feature refuses its setting.
    expect(Object.keys(JSON.parse(text) as object)).not.toContain('foreignKeys')
    const again = await run(...words)
    expect(again.code).toBe(2)
    expect(again.err).toContain('--force')
    expect(await run(...words, '--force')).toMatchObject({ code: 0 })
    const none = await run('extract', file, 'films', '-o', path('films.ndjson'))
    expect(none.err).toContain('it has books')
    expect(existsSync(path('films.ndjson'))).toBe(false)
  })
})
