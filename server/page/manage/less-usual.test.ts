// Views without an answer, keys that permit little, changes that come by themselves, and answers that
// lack members, without a browser.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { taskChanges } from '../parts/changes.ts'
import { setKey } from '../parts/server.ts'
import { act, markup, settled, stubServer } from '../test-dom.ts'
import { batchCard } from './batch-card.ts'
import { FormDialog } from './form-dialog.ts'
import { ratePoints } from './history.ts'
import { readIndexes } from './index-list.ts'
import { readActions, revokeForm } from './key-forms.ts'
import { KeysView } from './keys-view.ts'
import { type NetworkAnswer, networkModel } from './network-model.ts'
import { networkView } from './network-view.ts'
import { SettingsView } from './settings-view.ts'
import { taskRow } from './task-detail.ts'
import { TaskProgress } from './task-progress.ts'
import { TasksView } from './tasks-view.ts'
import { buttonOf, openPages, refused, siteOf, taskAnswer, textsOf } from './test-site.ts'
import { sendFile } from './upload.ts'

openPages()
afterEach(() => setKey('', false))

describe('the list of indexes for a key that may not read it', () => {
  const INDEXES = 'GET /indexes?limit=1000'
  const of = (list: number, search: unknown) =>
    stubServer({
      [INDEXES]: refused(list, 'listing'),
      'GET /stats': { indexes: {} },
      'POST /multi-search': search,
    })
  const read = (wanted: string) =>
    readIndexes(wanted).then(
      (rows) => rows.map(({ uid }) => uid),
      ({ code }: { readonly code: string }) => code,
    )

  it('is the index of the address, if the key may search it', async () => {
    setKey('k', false)
    const asked = of(403, { results: [] })
    expect(await read('films')).toEqual(['films'])
    expect(asked.at(-1)).toEqual([
      'POST /multi-search',
      { queries: [{ indexUid: 'films', limit: 0 }] },
    ])
    of(403, refused(403, 'searching'))
    expect(await read('films')).toBe('listing')
  })

  it('is refused without a key, without an index, and by another error', async () => {
    of(403, { results: [] })
    expect(await read('films')).toBe('listing')
    setKey('k', false)
    expect(await read('')).toBe('listing')
    of(401, { results: [] })
    expect(await read('films')).toBe('listing')
  })
})

describe('a network', () => {
  const remote = { url: 'http://a', isSelf: true, isLeader: true, status: 'available' as const }
  const more = { shards: [], backlog: null, stale: null, lastError: null }
  const answer = (change: Partial<NetworkAnswer> = {}): NetworkAnswer => ({
    self: 'a',
    leader: 'a',
    remotes: { a: { ...remote, ...more } },
    shards: {},
    change: null,
    replicasEqual: null,
    ...change,
  })

  it('may have no shards, or as many owners of each', () => {
    expect(networkModel(answer())).toMatchObject({
      summary: '1 instance, no shards',
      replicas: null,
      shards: [],
    })
    const shards = { s1: ['a', 'b'], s2: ['b', 'a'] }
    const model = networkModel(answer({ shards, replicasEqual: false }))
    expect(model.summary).toBe('1 instance, 2 shards with 2 owners each')
    expect(model.replicas).toEqual({ text: 'replicas differ', isGood: false })
    // The owner that the answer does not list is not available.
    expect(model.shards!.map(({ available }) => available)).toEqual([1, 1])
  })

  it('has instances whose shards are out of date, and writes that are confirmed', () => {
    const backlog = { tasks: 0, bytes: 0 }
    const remotes = { a: { ...remote, ...more, backlog, stale: 'a restart' } }
    expect(networkModel(answer({ remotes })).instances[0]!.notes).toEqual([
      'receives its shards again: a restart',
    ])
  })

  it.each([
    ['Importing, processed 3 out of 2', 1],
    ['Importing, processed 0 out of 0', null],
    ['Importing, processed 0 out of 2', 0],
  ])('has moved a share of its documents: %s', (message, share) => {
    expect(networkModel(answer({ change: { taskUid: 1, message } })).change!.share).toBe(share)
  })
})

describe('a task that is followed', () => {
  const running = taskAnswer({ status: 'processing', batchUid: null })
  /** Follows a task that runs at the first reading. `isLive`: changes come by themselves. */
  function followed(isLive: boolean) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const listeners = new Set<(item: unknown) => void>()
    vi.spyOn(taskChanges, 'listen').mockImplementation((listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    })
    vi.spyOn(taskChanges, 'isLive', 'get').mockReturnValue(isLive)
    let reads = 0
    const asked = stubServer({
      'GET /tasks/7': () => (reads++ === 0 ? running : taskAnswer()),
    })
    const progress = new TaskProgress()
    const end = progress.follow(7, new AbortController().signal)
    const tell = (item: unknown): void => {
      for (const listener of listeners) listener(item)
    }
    return { asked, progress, end, tell, listeners }
  }
  afterEach(() => void vi.restoreAllMocks())

  it('is read again when it changes, and not when another one does', async () => {
    const { asked, end, tell, listeners, progress } = followed(true)
    await settled()
    expect(markup(progress.element)).toMatchInlineSnapshot(`
      "<div class="task-progress" role="status">
        <span class="pill is-processing">processing
        " "
        <a href="#/tasks?task=7">task #7
      "
    `)
    tell(null)
    tell({ uid: 8 })
    await settled()
    expect(asked).toHaveLength(1)
    tell({ uid: 7 })
    expect((await end)!.status).toBe('succeeded')
    expect([asked.length, listeners.size, vi.getTimerCount()]).toEqual([2, 0, 0])
  })

  it.each([
    [true, 1000],
    [false, 300],
  ])('is read again after a pause; changes come: %s', async (isLive, ms) => {
    const { asked, end } = followed(isLive)
    await settled()
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect((await end)!.status).toBe('succeeded')
  })
})

it('a task whose batch has ended has no progress', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let reads = 0
  const asked = stubServer({
    'GET /tasks/7': () => taskAnswer(reads++ === 0 ? { status: 'processing' } : {}),
    'GET /batches?batchUids=3&statuses=processing&limit=1': { results: [] },
  })
  const progress = new TaskProgress()
  const end = progress.follow(7, new AbortController().signal)
  await settled()
  expect([progress.element.textContent, asked.length]).toEqual(['processing task #7', 2])
  await vi.advanceTimersByTimeAsync(300)
  await end
})

describe('a view', () => {
  type View = { readonly element: HTMLElement; readonly refresh: () => void }
  const key = { uid: 'u', name: null, description: null, actions: [], indexes: [], expiresAt: null }
  const keys = { results: [{ ...key, createdAt: '2026-01-02T00:00:00Z' }] }
  const network = { self: null, leader: null, remotes: {}, shards: {}, change: null }
  const VIEWS: readonly (readonly [string, () => View, { readonly [request: string]: unknown }])[] =
    [
      ['keys', () => new KeysView(siteOf()), { 'GET /keys?limit=1000': keys }],
      ['the network', () => networkView(siteOf()), { 'GET /network/status': network }],
      ['settings', () => new SettingsView(siteOf()), { 'GET /indexes/films/settings': {} }],
    ]

  it.each(VIEWS)(
    'of %s keeps what it shows when its request is aborted',
    async (_, make, answers) => {
      stubServer(answers)
      const view = make()
      view.refresh()
      await settled()
      const before = markup(view.element)
      vi.stubGlobal('fetch', () => Promise.reject(new DOMException('x', 'AbortError')))
      view.refresh()
      await settled()
      expect(markup(view.element)).toBe(before)
      stubServer({})
      view.refresh()
      await settled()
      expect(view.element.textContent).toContain('The server refused')
    },
  )

  it('of tasks keeps its list when its request is aborted', async () => {
    stubServer({
      'GET /tasks?limit=30': { results: [taskAnswer()], total: 1, next: null },
      'GET /batches?statuses=processing&limit=5': { results: [] },
    })
    const view = new TasksView(siteOf())
    view.refresh()
    await settled()
    expect(textsOf(view.element, '.task-uid')).toEqual(['#7'])
    vi.stubGlobal('fetch', () => Promise.reject(new DOMException('x', 'AbortError')))
    view.refresh()
    await settled()
    expect(textsOf(view.element, '.task-uid')).toEqual(['#7'])
  })
})

it('a dialog that is closed shows no refusal of its request', async () => {
  const dialog = new FormDialog()
  document.body.append(dialog.element)
  const key = { uid: 'a/b', name: null } as never
  dialog.open(revokeForm(key, () => undefined))
  const alert = dialog.element.querySelector<HTMLElement>('[role=alert]')!
  expect(textsOf(dialog.element, 'h2')).toEqual(['Revoke this key'])
  vi.stubGlobal('fetch', () => Promise.reject(new DOMException('x', 'AbortError')))
  act(dialog.element.querySelector('form')!, 'submit')
  await settled()
  expect([alert.hidden, buttonOf(dialog.element, 'Revoke').disabled]).toEqual([true, false])
  const asked = stubServer({})
  act(dialog.element.querySelector('form')!, 'submit')
  await settled()
  expect(asked).toEqual([['DELETE /keys/a%2Fb', null]])
  expect([alert.hidden, alert.textContent]).toEqual([false, 'no DELETE /keys/a%2Fb'])
})

it('a server that does not describe its keys names no actions', async () => {
  stubServer({ 'GET /openapi.json': { paths: {} } })
  expect(await readActions()).toEqual([])
})

it('a task and a batch may lack details', () => {
  const row = taskRow(
    taskAnswer({ details: null, duration: null, indexUid: null }),
    true,
    () => undefined,
  )
  expect(row.querySelector('pre')!.textContent).toBe('{}')
  expect(textsOf(row, '.task-index')).toEqual(['all indexes'])
  expect(textsOf(row, '.task-time')[0]).toBe('–')
  const card = batchCard({
    uid: 3,
    progress: null,
    stats: { totalNbTasks: 1 },
    duration: 'PT1S',
    startedAt: '2026-01-02T00:00:00Z',
    finishedAt: '2026-01-02T00:00:01Z',
  } as never)
  expect(card.querySelector('p')).toBeNull()
  expect(textsOf(card, 'li')).toEqual([])
})

it('batches without documents, or that still run, add nothing to the plot', () => {
  const now = Date.parse('2026-01-02T01:00:00Z')
  const startedAt = '2026-01-02T00:58:00Z'
  const rates = (finishedAt: string | null, indexedDocuments?: number | null) =>
    ratePoints([{ startedAt, finishedAt, details: { indexedDocuments: indexedDocuments! } }], now)
  const none = rates(null, 60)
  expect(none.every(({ value }) => value === 0)).toBe(true)
  expect([rates('2026-01-02T00:59:00Z', null), rates('2026-01-02T00:59:00Z')]).toEqual([none, none])
  // A minute of the hour, the last but one.
  const some = rates('2026-01-02T00:59:00Z', 60)
  expect(some.flatMap(({ value }, at) => (value > 0 ? [[at, value]] : []))).toEqual([[58, 1]])
  // A batch that took no time is in one minute.
  const quick = rates(startedAt, 60).map(({ value }) => value)
  expect(quick.flatMap((value, at) => (value > 0 ? [[at, value]] : []))).toEqual([[58, 1]])
})

describe('a file that is sent', () => {
  class Request {
    static last: Request
    readonly done: unknown[] = []
    readonly upload: { onprogress?: (event: { loaded: number }) => void } = {}
    status = 202
    responseText = '{"taskUid":5}'
    onload = (): void => undefined
    onerror = (): void => undefined
    onabort = (): void => undefined
    constructor() {
      Request.last = this
    }
    open = (...words: readonly string[]): void => void this.done.push(words)
    setRequestHeader = (...words: readonly string[]): void => void this.done.push(words)
    send = (file: File): void => void this.done.push(file.name)
    abort = (): void => this.onabort()
  }
  const send = (change: object = {}) => {
    vi.stubGlobal('XMLHttpRequest', Request)
    const control = new AbortController()
    const sentBytes: number[] = []
    const upload = {
      index: 'a b',
      file: new File(['x'], 'x.csv.gz'),
      primaryKey: '',
      isUpdate: false,
      csvDelimiter: ';',
      ...change,
    }
    const type = { type: 'text/csv', isGzip: true } as const
    const sent = sendFile(upload, type, (bytes) => sentBytes.push(bytes), control.signal)
    return { sent, sentBytes, control, request: Request.last }
  }

  it('has its type, its packing and the key', async () => {
    setKey('k', false)
    const { sent, request, sentBytes } = send()
    request.upload.onprogress!({ loaded: 3 })
    request.onload()
    expect([await sent, sentBytes]).toEqual([5, [3]])
    expect(request.done).toEqual([
      ['POST', './indexes/a%20b/documents?csvDelimiter=%3B'],
      ['content-type', 'text/csv'],
      ['content-encoding', 'gzip'],
      ['authorization', 'Bearer k'],
      'x.csv.gz',
    ])
    setKey('', false)
    const other = send({ isUpdate: true, primaryKey: 'id', csvDelimiter: '' }).request
    expect(other.done[0]).toEqual(['PUT', './indexes/a%20b/documents?primaryKey=id'])
    expect(other.done).toHaveLength(4)
  })

  it('is refused by the server, lost on its way, or canceled', async () => {
    const { sent, request } = send()
    Object.assign(request, { status: 200, responseText: '{"message":"no","code":"c"}' })
    request.onload()
    await expect(sent).rejects.toMatchObject({ message: 'no', status: 200, code: 'c' })
    const lost = send()
    lost.request.onerror()
    await expect(lost.sent).rejects.toMatchObject({
      message: 'The upload was interrupted. Is the server running?',
      status: 0,
      code: 'unreachable',
    })
    const canceled = send()
    canceled.control.abort()
    await expect(canceled.sent).rejects.toMatchObject({ name: 'AbortError' })
  })
})
