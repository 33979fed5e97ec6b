// Small parts of the commands on a running server: formats of files, hits as text, results of
// imports, and the request for the stream of tasks.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { asTaskUid } from '../../format/ids.ts'
import { type ImportResult, importText } from './import.ts'
import { delimiterOf, formatOf, piecesOf } from './pieces.ts'
import { searchText } from './search.ts'
import { failureText, finishedTasks } from './tasks.ts'

test.each([
  [95 * MiB, null],
  [95 * MiB + 1, 'exceeds the size of a body'],
])('an array of JSON in %i bytes is one piece, or refused: %s', (bytes, words) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pieces-'))
  try {
    const path = join(folder, 'a.json')
    writeFileSync(path, '[]')
    // Without its bytes on the disk.
    truncateSync(path, bytes)
    const read = () => [...piecesOf(path, { format: 'json', bytes: 1, delimiter: ',' })]
    if (words !== null) expect(read).toThrow(words)
    else expect(read().map(({ body, done }) => [body.length, done])).toEqual([[bytes, bytes]])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the format of a file follows from its name, the delimiter from the format', () => {
  const names = ['a.json', 'b.x.NDJSON', 'c.jsonl', 'd.csv', 'e.tsv', 'f.tab']
  expect(names.map(formatOf)).toEqual(['json', 'ndjson', 'ndjson', 'csv', 'tsv', 'tsv'])
  for (const name of ['json', 'a.txt', 'a.']) {
    const read = (): string => formatOf(name)
    if (name === 'json') expect(read()).toBe('json')
    else expect(read).toThrow('does not show the format')
  }
  const delimiters = [
    [null, 'csv', ','],
    [null, 'tsv', '\t'],
    ['tab', 'csv', '\t'],
    ['\\t', 'csv', '\t'],
    [';', 'tsv', ';'],
  ] as const
  for (const [given, format, delimiter] of delimiters) {
    expect(delimiterOf(given, format)).toBe(delimiter)
  }
  for (const wrong of ['', '::', 'é']) expect(() => delimiterOf(wrong, 'csv')).toThrow('one ASCII')
})

test('hits show their first members, each on a line', () => {
  const hit = (members: number) =>
    Object.fromEntries(Array.from({ length: members }, (_, at) => [`m${at}`, at]))
  const last = (members: number) =>
    searchText({ hits: [hit(members)] })
      .split('\n')
      .at(-2)
  expect([6, 7, 8].map(last)).toEqual([
    '    m5: 5',
    '    and 1 more members',
    '    and 2 more members',
  ])
  const long = { text: 'a\n  b', list: [1, 'x'], long: 'y'.repeat(71) }
  expect(searchText({ hits: [long, {}], estimatedTotalHits: 1200, processingTimeMs: 3 })).toBe(
    '1,200 found in 3 ms, 2 shown\n\n1.  text: a b\n    list: [1,"x"]\n' +
      `    long: ${'y'.repeat(69)}…\n\n`,
  )
  expect(searchText({ hits: [] })).toBe('0 found, 0 shown\n')
})

test('an import says what became searchable, or why not', () => {
  const result: ImportResult = {
    index: 'films',
    bodies: 1,
    bytes: 9,
    tasks: [4],
    indexedDocuments: 1,
    failures: [],
    rewritten: null,
  }
  const text = (change: Partial<ImportResult>): string => importText({ ...result, ...change })
  expect(text({})).toBe('1 document is searchable in `films` (task 4).\n')
  expect(text({ bodies: 2, tasks: [4, 6], indexedDocuments: 2 })).toBe(
    '2 documents are searchable in `films` (tasks 4 to 6).\n',
  )
  expect(text({ indexedDocuments: null })).toBe('On disk, indexed soon: task 4.\n')
  expect(text({ bodies: 0, tasks: [] })).toBe('The file is empty: nothing was sent.\n')
  expect(text({ failures: ['a', 'b'] })).toBe('a\nb\n')
})

test('a task that did not succeed has a line', () => {
  const task = { uid: asTaskUid(7), details: null, error: null }
  expect(failureText({ ...task, status: 'succeeded' })).toBeNull()
  expect(failureText({ ...task, status: 'canceled' })).toBe('Task 7 was canceled: canceled')
  expect(failureText({ ...task, status: 'failed', error: { message: 'why' } })).toBe(
    'Task 7 failed: why',
  )
})

test.each([
  ['key', 'Bearer key'],
  [null, undefined],
])('the stream of tasks is opened with the key %s, and closed in the end', async (apiKey, sent) => {
  const headers: IncomingHttpHeaders[] = []
  let closed: Promise<unknown> = Promise.resolve()
  const task = { uid: 7, status: 'succeeded', error: null, details: null }
  const server = createServer((request, response) => {
    headers.push(request.headers)
    if (request.url !== '/tasks/stream') {
      response.end(JSON.stringify(task))
      return
    }
    closed = new Promise((resolve) => response.once('close', () => resolve(null)))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n\n')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    const { port } = server.address() as AddressInfo
    expect(await finishedTasks({ url: `http://127.0.0.1:${port}`, apiKey }, [7])).toEqual([task])
    expect(headers.map(({ authorization }) => authorization)).toEqual([sent, sent])
    expect(headers[0]!.accept).toBe('text/event-stream')
    await closed
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
