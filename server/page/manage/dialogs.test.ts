// The view of the network, the upload of documents and the making of a workspace, without a browser.
import { describe, expect, it, vi } from 'vitest'
import { act, settled, stubServer } from '../test-dom.ts'
import { networkView } from './network-view.ts'
import {
  buttonOf,
  expectKept,
  openPages,
  refused,
  siteOf,
  taskAnswer,
  textsOf,
} from './test-site.ts'
import { UploadDialog } from './upload-dialog.ts'
import type { workspaceForm } from './workspace-form.ts'

openPages()

describe('the view of the network', () => {
  const STATUS = 'GET /network/status'
  const remote = (change: object) => ({
    url: 'http://a',
    isSelf: false,
    isLeader: false,
    status: 'available',
    shards: ['s1'],
    backlog: null,
    stale: null,
    lastError: null,
    ...change,
  })
  const answer = {
    self: 'a',
    leader: 'a',
    remotes: {
      a: remote({ isSelf: true, isLeader: true }),
      b: remote({ status: 'unavailable', lastError: 'why' }),
    },
    shards: { s1: ['a', 'b'], s2: ['b'] },
    change: { taskUid: 7, message: 'Importing: processed 25 out of 100 documents' },
    replicasEqual: true,
  }
  const shown = async (status: unknown) => {
    const asked = stubServer({ [STATUS]: status })
    const view = networkView(siteOf())
    view.refresh()
    await settled()
    return { asked, view, element: view.element }
  }

  it('shows the instances, the owners of shards, and a change', async () => {
    const { element } = await shown(answer)
    expect(textsOf(element, '.summary ~ .pill')).toEqual(['all replicas are equal'])
    expect(element.querySelector('.summary ~ .pill')!.className).toBe('pill is-succeeded')
    expect(textsOf(element, '.cards .pill')).toEqual([
      'leader',
      'this instance',
      'available',
      'unavailable',
    ])
    expect(textsOf(element, '.instance-notes li')).toEqual(['why'])
    expect(textsOf(element, '.change h2, .change .pill, .change .muted')).toEqual([
      'Documents move',
      'task 7',
      answer.change.message,
    ])
    expect(element.querySelector('[aria-current]')!.className).toBe('is-current')
    expect(element.querySelectorAll('[aria-current]')).toHaveLength(1)
    expect(element.querySelector('.change .bar')!.getAttribute('aria-label')).toBe(
      '25 % of the documents',
    )
    expect(textsOf(element, 'thead th')).toEqual(['shard', 'a', 'b', 'can be asked'])
    const rows = [...element.querySelectorAll('tbody tr')]
    expect(rows.map(({ className }) => className)).toEqual(['', 'is-lost'])
    expect(rows.map(({ lastElementChild }) => lastElementChild!.textContent)).toEqual([
      '1 of 2',
      '0 of 1',
    ])
    const owners = [...element.querySelectorAll('.owner')]
    expect(owners.map((owner) => [owner.className, owner.getAttribute('title')])).toEqual([
      ['owner ', 'a holds s1'],
      ['owner is-away', 'b holds s1'],
      ['owner is-away', 'b holds s2'],
    ])
    const unequal = await shown({ ...answer, replicasEqual: false, change: null })
    expect(unequal.element.querySelector('.summary ~ .pill')!.className).toBe('pill is-failed')
    expect(unequal.element.querySelector('.change')).toBeNull()
    const idle = await shown({
      ...answer,
      replicasEqual: null,
      change: { taskUid: 7, message: null },
    })
    expect(idle.element.querySelector('.summary ~ .pill')).toBeNull()
    expect(idle.element.querySelector('.change .bar, .change .muted')).toBeNull()
    const alone = await shown({ ...answer, leader: null, change: null })
    expect(alone.element.querySelector('table')).toBeNull()
  })

  it('renders equal data once, and again after a refusal', async () => {
    const { view, element } = await shown(answer)
    const card = element.querySelector('.card')
    view.tick!()
    await settled()
    expect(element.querySelector('.card')).toBe(card)
    stubServer({ [STATUS]: refused(500) })
    view.tick!()
    await settled()
    expect(textsOf(element, 'h2')).toEqual(['The server refused'])
    stubServer({ [STATUS]: answer })
    view.tick!()
    await settled()
    expect(element.querySelector('.card')).not.toBeNull()
  })

  it('keeps the instances when its request is aborted', () =>
    expectKept(networkView(siteOf()), { [STATUS]: answer }))
})

describe('the dialog that adds documents', () => {
  type Sent = { method: string; path: string; headers: { [name: string]: string }; file: File }

  /** Answers uploads with a status and a body after half of the file was sent. */
  const stubUploads = (status: number, answer: unknown) => {
    const sent: Sent[] = []
    class Request {
      readonly upload: { onprogress?: (event: { loaded: number }) => void } = {}
      readonly #sent = { headers: {} } as Sent
      readonly status = status
      readonly responseText = JSON.stringify(answer)
      onload = (): void => undefined
      onerror = (): void => undefined
      onabort = (): void => undefined
      open(method: string, path: string): void {
        Object.assign(this.#sent, { method, path })
      }
      setRequestHeader(name: string, value: string): void {
        this.#sent.headers[name] = value
      }
      abort(): void {
        this.onabort()
      }
      send(file: File): void {
        sent.push({ ...this.#sent, file })
        this.upload.onprogress!({ loaded: file.size / 2 })
        if (status === 0) setImmediate(() => this.onerror())
        else if (status > 0) setImmediate(() => this.onload())
      }
    }
    vi.stubGlobal('XMLHttpRequest', Request)
    return sent
  }
  const made = (name: string, index = 'films') => {
    const site = siteOf()
    const { dialog, ...rest } = (() => {
      const made = new UploadDialog(site)
      return { dialog: made.dialog, open: () => made.open(index) }
    })()
    document.body.append(dialog)
    rest.open()
    const file = new File(['{"id":1}'], name)
    const chosen = dialog.querySelector<HTMLInputElement>('[type=file]')!
    Object.defineProperty(chosen, 'files', { value: [file] })
    act(chosen, 'change')
    const [, , delimiter, primaryKey] = [...dialog.querySelectorAll('input')]
    const alert = dialog.querySelector<HTMLElement>('[role=alert]')!
    const submit = async (): Promise<void> => {
      act(dialog.querySelector('form')!, 'submit')
      await settled()
    }
    const refusal = (): string | null => (alert.hidden ? null : alert.textContent)
    const sent = (): string | null => dialog.querySelector('.upload-sent')!.textContent
    return {
      ...{ site, dialog, chosen, delimiter: delimiter!, primaryKey: primaryKey! },
      ...{ mode: dialog.querySelector('select')!, submit, refusal, sent, open: rest.open },
    }
  }

  it('sends the file, follows the task, and links to the search', async () => {
    const requests = stubUploads(202, { taskUid: 4 })
    stubServer({ 'GET /tasks/4': taskAnswer({ details: { indexedDocuments: 1200 } }) })
    const { site, dialog, refusal, sent, submit } = made('films.ndjson.gz')
    expect([...dialog.querySelectorAll('option')].slice(0, 3).map(({ value }) => value)).toEqual([
      'films',
      'books',
      'notes',
    ])
    act(dialog.querySelector('form')!, 'submit')
    expect(sent()).toBe('4 B of 8 B sent')
    expect(buttonOf(dialog, 'Upload').disabled).toBe(true)
    await submit()
    expect(requests[0]).toMatchObject({
      method: 'POST',
      path: './indexes/films/documents',
      headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    })
    expect(sent()).toBe('1,200 documents indexed. Search films')
    expect(refusal()).toBeNull()
    expect(site.retry).toHaveBeenCalled()
    expect(buttonOf(dialog, 'Upload').disabled).toBe(false)
    const link = dialog.querySelector<HTMLAnchorElement>('.upload-sent a')!
    expect(link.getAttribute('href')).toBe('#/search?index=films')
    link.click()
    expect(dialog.open).toBe(false)
  })

  it('sends an update, a primary key, and the delimiter of a CSV file', async () => {
    const requests = stubUploads(202, { taskUid: 4 })
    stubServer({ 'GET /tasks/4': taskAnswer() })
    const { delimiter, primaryKey, mode, sent, submit } = made('films.csv')
    expect(delimiter.closest('label')!.hidden).toBe(false)
    delimiter.value = ';'
    primaryKey.value = ' id '
    mode.value = 'update'
    await submit()
    const path = './indexes/films/documents?primaryKey=id&csvDelimiter=%3B'
    expect(requests[0]).toMatchObject({
      method: 'PUT',
      path,
      headers: { 'content-type': 'text/csv' },
    })
    expect(requests[0]!.headers).not.toHaveProperty('content-encoding')
    expect(sent()).toBe('0 documents indexed. Search films')
    expect(made('films.json').delimiter.closest('label')!.hidden).toBe(true)
  })

  it('shows why a file was refused: by its name, by the server, by the task', async () => {
    const wrong = made('films.xml')
    await wrong.submit()
    expect(wrong.refusal()).toMatch(/^The name of the file must end in /)
    expect(wrong.sent()).toBe('')
    for (const [status, answer, task, words] of [
      [400, { message: 'too large', code: 'c' }, {}, 'too large'],
      [0, {}, {}, 'The upload was interrupted. Is the server running?'],
      [202, { taskUid: 4 }, { status: 'failed', error: { message: 'no key' } }, 'no key'],
      [202, { taskUid: 4 }, { status: 'canceled' }, 'The task was canceled.'],
    ] as const) {
      stubUploads(status, answer)
      stubServer({ 'GET /tasks/4': taskAnswer(task) })
      const { open, refusal, submit } = made('films.json')
      await submit()
      expect(refusal()).toBe(words)
      open()
      expect(refusal()).toBeNull()
    }
  })

  it('cancels the request when it is closed', async () => {
    stubUploads(-1, {})
    const { dialog, refusal, submit } = made('films.json')
    await submit()
    expect(buttonOf(dialog, 'Upload').disabled).toBe(true)
    buttonOf(dialog, 'Close').click()
    await settled()
    expect(dialog.open).toBe(false)
    expect([buttonOf(dialog, 'Upload').disabled, refusal()]).toEqual([false, null])
  })

  it('suggests an index, and moves the focus to the file then', () => {
    const { dialog, chosen } = made('films.json')
    expect(dialog.querySelector('input')!.value).toBe('films')
    expect(document.activeElement).toBe(chosen)
    document.body.replaceChildren()
    expect(document.activeElement).not.toBe(made('films.json', '').chosen)
  })
})

it('a workspace is made with the members that were entered', async () => {
  vi.resetModules()
  const properties = {
    source: { type: 'string', enum: ['openAi', 'mistral'] },
    apiKey: { type: ['string', 'null'] },
    prompts: { type: 'object', properties: {} },
  }
  const patch = { requestBody: { content: { 'application/json': { schema: { properties } } } } }
  const settings = 'PATCH /chats/my%20shop/settings'
  const asked = stubServer({
    'GET /openapi.json': { paths: { '/chats/{workspace}/settings': { patch } } },
    'PATCH /experimental-features': {},
    [settings]: {},
  })
  const fresh = await import('./workspace-form.ts')
  const made = vi.fn<() => void>()
  const form = await (fresh.workspaceForm as typeof workspaceForm)(made)
  const [, name, members] = form.contents as readonly HTMLElement[]
  name!.querySelector('input')!.value = 'my shop'
  const fields = [...members!.querySelectorAll<HTMLInputElement>('input, select')]
  expect(fields.map((one) => one.getAttribute('aria-label'))).toEqual([
    'workspace source',
    'workspace apiKey',
  ])
  fields[0]!.value = 'mistral'
  expect(await form.send(new AbortController().signal, null as never)).toBeNull()
  expect(asked.slice(1)).toEqual([
    ['PATCH /experimental-features', { chatCompletions: true }],
    [settings, { source: 'mistral' }],
  ])
  expect(made).toHaveBeenCalledTimes(1)
})
