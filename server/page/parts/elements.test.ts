// Elements, notes and requests of the page, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { markup, stubPage, stubServer } from '../test-dom.ts'
import { bodySchema } from './description.ts'
import { bar, fill, h, refill } from './element.ts'
import { readJson, readObject } from './json-text.ts'
import { emptyIndexNote, errorNote, noIndexNote, unknownIndexNote } from './notes.ts'
import { imageOrigins, isReadOnly } from './options.ts'
import { about } from './prose.ts'
import {
  ask,
  hasKey,
  isAbort,
  openEvents,
  ServerError,
  sendRaw,
  serverErrorOf,
  setKey,
} from './server.ts'
import type { Site } from './site.ts'
import { readStored, writeStored } from './storage.ts'
import { firstLine, isFinished, type Task, tasksQuery, waitText } from './task-model.ts'
import { agoText, bytesText, durationText } from './words.ts'

beforeEach(() => stubPage('https://a.example  https://b.example'))
afterEach(() => vi.unstubAllGlobals())

describe('an element', () => {
  it('leaves out attributes and children that are null or false', () => {
    let clicks = 0
    const element = h(
      'p',
      {
        class: 'a',
        hidden: true,
        id: null,
        title: undefined,
        lang: false,
        rows: 0,
        onclick: () => clicks++,
      },
      'text',
      null,
      false,
      7,
      [h('b', {}, 'bold'), ['inner']],
    )
    expect(markup(element)).toBe(
      '<p class="a" hidden rows="0">\n  "text"\n  "7"\n  <b>bold\n  "inner"\n',
    )
    element.click()
    expect(clicks).toBe(1)
    fill(element, 'new')
    expect(element.textContent).toBe('new')
  })

  it('that is filled again keeps the focus by its name', () => {
    const place = h('div')
    document.body.append(place)
    const buttons = () => ['a', 'b'].map((name) => h('button', { 'data-focus': name }, name))
    refill(place, buttons())
    place.querySelectorAll('button')[1]!.focus()
    refill(place, buttons())
    expect(document.activeElement).toBe(place.querySelectorAll('button')[1])
    refill(place, h('button', { 'data-focus': 'c' }))
    expect(document.activeElement).toBe(document.body)
  })

  it.each([
    [0.5, '50.00%'],
    [-1, '0.00%'],
    [2, '100.00%'],
  ])('a bar of %d has a width of %s', (share, width) => {
    expect(markup(bar(share, 'label'))).toBe(
      `<span class="bar" role="img" aria-label="label">\n  <span class="bar-inside" style="width: ${width};">\n`,
    )
  })

  it('of a description has names as code', () => {
    expect(about(undefined)).toBeNull()
    expect(markup(about('a `b` c')!)).toBe('<p class="about">\n  "a "\n  <code>b\n  " c"\n')
  })
})

const streamOf = (parts: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (control) => {
      for (const part of parts) control.enqueue(part)
      control.close()
    },
  })

it('the page knows its options', () => {
  expect([isReadOnly(), imageOrigins()]).toEqual([
    false,
    ['https://a.example', 'https://b.example'],
  ])
  document.documentElement.dataset['readOnly'] = ''
  expect(isReadOnly()).toBe(true)
})

describe('a note', () => {
  const added: string[] = []
  const site = {
    indexes: [
      { uid: 'a b', documents: 2 },
      { uid: 'c', documents: null },
    ],
    addDocuments: (index: string) => added.push(index),
    retry: () => added.push('retry'),
    keyForm: (error: string | null) => h('form', {}, error ?? 'no error'),
  } as unknown as Site

  it('says that there is no index, no document, or another index', () => {
    expect(markup(noIndexNote(site))).toMatchInlineSnapshot(`
      "<div class="notice">
        <h2>No index yet
        <p>The first documents create the index. Upload a file of JSON, NDJSON or CSV:
        <button class="primary" type="button">Upload a file
        <p>Or send documents from a terminal:
        <div class="command">
          <pre tabindex="0">curl -X POST 'http://host:7700/indexes/films/documents' \\
        -H 'Content-Type: application/json' \\
        -d '[{"id": 1, "title": "A quiet harbour", "year": 1962},
             {"id": 2, "title": "Mountains of the moon", "year": 1990}]'
          <button class="quiet small" type="button">
            <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
              <path d="M9 9h11v11H9zM5 15H4V4h11v1">
            <span>Copy
        <p class="muted">
          "With a key: add "
          <code>-H 'Authorization: Bearer KEY'
          "."
      "
    `)
    const empty = emptyIndexNote('films', site)
    expect(empty.textContent).toContain('The index films is empty.')
    empty.querySelector('button')!.click()
    expect(added.splice(0)).toEqual(['films'])
    expect(markup(unknownIndexNote('x', site))).toMatchInlineSnapshot(`
      "<div class="notice">
        <h2>There is no index “x”
        <p>It may have been deleted or renamed, or the address has a mistake.
        <p>These indexes exist:
        <ul class="choices">
          <li>
            <a href="#/search?index=a+b">a b
            <span class="muted"> 2 documents
          <li>
            <a href="#/search?index=c">c
      "
    `)
    const none = unknownIndexNote('x', { ...site, indexes: [] })
    expect(none.textContent).toContain("curl -X POST 'http://host:7700/indexes/x/documents'")
    document.documentElement.dataset['readOnly'] = ''
    expect(noIndexNote(site).textContent).not.toContain('Upload a fileOr')
    expect(noIndexNote(site).querySelectorAll('button')).toHaveLength(1)
  })

  it('shows an error, and what to do about it', () => {
    const refused = errorNote(new ServerError('why', 400, 'bad_request'), site)
    expect(markup(refused)).toMatchInlineSnapshot(`
      "<div class="notice">
        <h2>The server refused
        <p class="refusal">why
        <p class="muted">
          <code>bad_request
          " · status 400"
        <button class="primary" type="button">Try again
      "
    `)
    refused.querySelector('button')!.click()
    expect(added.splice(0)).toEqual(['retry'])
    const text = (status: number, code: string): string =>
      errorNote(new ServerError('why', status, code), site).textContent ?? ''
    expect(text(0, 'unreachable')).toBe('No answerwhyTry again')
    expect(text(500, '')).toBe('The server refusedwhyTry again')
    expect(text(401, 'x')).toContain('This server is protected.')
    expect(text(401, 'x')).toContain('no error')
    expect(text(403, 'x')).toMatch(/The key may be mistyped.*why$/)
  })
})

describe('a request', () => {
  afterEach(() => {
    vi.stubGlobal('sessionStorage', { removeItem: () => undefined })
    setKey('', false)
  })

  it('has a body and a key if there is one', async () => {
    const inits: RequestInit[] = []
    vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
      inits.push(init)
      return Promise.resolve(new Response(inits.length === 1 ? '' : '{"a":1}'))
    })
    const stored = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      setItem: (name: string, text: string) => stored.set(name, text),
      removeItem: (name: string) => stored.delete(name),
    })
    expect(await ask('DELETE', '/keys/a')).toBeNull()
    setKey(' k ', true)
    expect([hasKey(), stored.get('svc-preview-key')]).toEqual([true, 'k'])
    expect(await ask('POST', '/x', { b: 2 })).toEqual({ a: 1 })
    await sendRaw('PUT', '/y', { type: 'text/csv', text: 'a' }, new AbortController().signal)
    await sendRaw('GET', '/y', null, new AbortController().signal)
    expect(inits.map(({ method, headers, body }) => ({ method, headers, body }))).toEqual([
      { method: 'DELETE', headers: {}, body: undefined },
      {
        method: 'POST',
        headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
        body: '{"b":2}',
      },
      {
        method: 'PUT',
        headers: { authorization: 'Bearer k', 'content-type': 'text/csv' },
        body: 'a',
      },
      { method: 'GET', headers: { authorization: 'Bearer k' }, body: undefined },
    ])
    setKey('k', false)
    expect(stored.size).toBe(0)
    setKey('', true)
    expect([hasKey(), stored.size]).toEqual([false, 0])
  })

  it('fails with the words of the server, or says that there is no answer', async () => {
    const failing = (error: unknown) => vi.stubGlobal('fetch', () => Promise.reject(error))
    stubServer({})
    await expect(ask('GET', '/x')).rejects.toMatchObject({ status: 404, code: 'not_found' })
    failing(new TypeError('x'))
    await expect(ask('GET', '/x')).rejects.toMatchObject({ status: 0, code: 'unreachable' })
    failing(new DOMException('x', 'NetworkError'))
    await expect(ask('GET', '/x')).rejects.toMatchObject({ status: 0, code: 'unreachable' })
    vi.stubGlobal('sessionStorage', { removeItem: () => undefined })
    setKey('ключ', false)
    await expect(ask('GET', '/x')).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' })
    const abort = new DOMException('x', 'AbortError')
    failing(abort)
    await expect(ask('GET', '/x')).rejects.toBe(abort)
    expect([isAbort(abort), isAbort(new DOMException('x', 'Other')), isAbort(null)]).toEqual([
      true,
      false,
      false,
    ])
    expect(serverErrorOf(502, '<p>').message).toBe('The answer was 502 without an error message.')
    expect(serverErrorOf(400, '{}')).toMatchObject({ message: '{}', status: 400, code: '' })
    expect([401, 403, 404].map((status) => new ServerError('', status, '').wantsKey)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('of a stream yields the data of events, split anywhere', async () => {
    const text = 'data: a\n\n: comment\n\ndata: b c\n\ndata: cut'
    for (const at of [3, 8, 9, 25]) {
      const parts = [text.slice(0, at), text.slice(at)].map((part) => Buffer.from(part))
      vi.stubGlobal('fetch', () => Promise.resolve(new Response(streamOf(parts))))
      const found: string[] = []
      let opened = 0
      const { signal } = new AbortController()
      for await (const data of openEvents('GET', '/x', undefined, signal, () => opened++)) {
        found.push(data)
      }
      expect([found, opened]).toEqual([['a', 'b c'], 1])
    }
    stubServer({})
    const refused = openEvents('GET', '/x', undefined, new AbortController().signal)
    await expect(refused.next()).rejects.toMatchObject({ status: 404 })
  })

  it('reads the description once, and again after a failure', async () => {
    stubServer({})
    await expect(bodySchema('post', '/keys')).rejects.toMatchObject({ status: 404 })
    const properties = { name: { type: 'string' } }
    const body = { content: { 'application/json': { schema: { properties } } } }
    const asked = stubServer({
      'GET /openapi.json': { paths: { '/keys': { post: { requestBody: body } } } },
    })
    expect(await bodySchema('post', '/keys')).toEqual(properties)
    expect(await bodySchema('patch', '/keys')).toEqual({})
    expect(await bodySchema('post', '/other')).toEqual({})
    expect(asked).toHaveLength(1)
  })
})

it('storage that is forbidden stores nothing', () => {
  const forbidden = (): never => {
    throw new DOMException('no', 'SecurityError')
  }
  expect(readStored(forbidden, 'a')).toBeNull()
  writeStored(forbidden, 'a', 'b')
  const broken = (): never => {
    throw new RangeError('ours')
  }
  expect(() => readStored(broken, 'a')).toThrow('ours')
  expect(() => writeStored(broken, 'a', null)).toThrow('ours')
  const stored = new Map([['a', 'b']])
  const storage = () =>
    ({
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, text: string) => stored.set(name, text),
      removeItem: (name: string) => stored.delete(name),
    }) as unknown as Storage
  expect(readStored(storage, 'a')).toBe('b')
  writeStored(storage, 'c', '')
  writeStored(storage, 'a', null)
  expect([...stored]).toEqual([['c', '']])
})

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [99.94 * 1024, '99.9 KiB'],
  [100 * 1024, '100 KiB'],
  [1024 ** 5, '1024 TiB'],
])('%d bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))

it.each([
  [null, ''],
  ['P1D', ''],
  ['PT0.0094S', '9.4 ms'],
  ['PT0.01S', '10 ms'],
  ['PT0.9994S', '999 ms'],
  ['PT1S', '1.0 s'],
  ['PT59.94S', '59.9 s'],
  ['PT60S', '1 min 0 s'],
  ['PT1M5S', '1 min 5 s'],
  ['PT59M59S', '59 min 59 s'],
  ['PT1H1M30S', '1 h 1 min'],
])('the duration %s is %s', (duration, text) => expect(durationText(duration)).toBe(text))

it.each([
  [-5, 'just now'],
  [4.9, 'just now'],
  [5, '5 s ago'],
  [59.9, '59 s ago'],
  [60, '1 min ago'],
  [3599, '59 min ago'],
  [3600, '1 h ago'],
  [86_399, '23 h ago'],
  [86_400, '1 day ago'],
  [3 * 86_400, '3 days ago'],
])('%d seconds before now is %s', (seconds, text) => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(agoText(new Date(now - seconds * 1000).toISOString(), now)).toBe(text)
})

it('a text that is not a time is shown as it is', () => {
  expect([agoText(null, 0), agoText('soon', 0)]).toEqual(['never', 'soon'])
})

it('tasks are selected, and have ended or not', () => {
  const all = { task: null, batch: null }
  expect([
    tasksQuery(all, '', '', 5),
    tasksQuery(all, 'a', 'failed', 5),
    tasksQuery({ task: 0, batch: 3 }, 'a', 'failed', 5),
    tasksQuery({ task: null, batch: 0 }, 'a', 'failed', 5),
  ]).toEqual([
    'limit=5',
    'limit=5&indexUids=a&statuses=failed',
    'limit=5&uids=0',
    'limit=5&batchUids=0',
  ])
  const states = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const
  expect(states.map((status) => isFinished({ status } as Task))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ])
  const task = { enqueuedAt: '2026-01-01T00:00:00Z', startedAt: '2026-01-01T00:00:02Z' } as Task
  expect([waitText(task), waitText({ ...task, startedAt: null })]).toEqual(['2.0 s', ''])
  expect(waitText({ ...task, startedAt: '2025-01-01T00:00:00Z' })).toBe('0.0 ms')
  expect([firstLine('a\nb'), firstLine('x'.repeat(160)), firstLine('x'.repeat(161))]).toEqual([
    'a',
    'x'.repeat(160),
    `${'x'.repeat(160)}…`,
  ])
})

it('JSON that a user types is read, or the mistake is shown', () => {
  expect([readJson('1'), readObject('{"a":1}')]).toEqual([
    { value: 1, error: null },
    { value: { a: 1 }, error: null },
  ])
  expect(readObject('{').error).toContain('This is not valid JSON')
  expect(readObject('[]').error).toContain('are an object')
})
