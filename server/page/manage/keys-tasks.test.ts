// The views of keys and of tasks, without a browser.
import { describe, expect, it, vi } from 'vitest'
import { act, settled, stubServer } from '../test-dom.ts'
import { question } from '../test-question.ts'
import type { Key } from './key-forms.ts'
import { KeysView } from './keys-view.ts'
import { TasksView } from './tasks-view.ts'
import {
  buttonOf,
  expectKept,
  NOW,
  openPages,
  readOnly,
  refused,
  siteOf,
  taskAnswer,
  textsOf,
} from './test-site.ts'

openPages()

describe('the view of keys', () => {
  const KEY: Key = {
    uid: 'u-1',
    key: 'SECRET',
    name: 'shop',
    description: 'for the shop',
    actions: ['search', 'tasks.get'],
    indexes: ['films'],
    expiresAt: null,
    createdAt: '2026-01-01T00:10:00Z',
  }
  const KEYS = 'GET /keys?limit=1000'
  const shown = async (keys: readonly Key[], View = KeysView): Promise<HTMLElement> => {
    stubServer({ [KEYS]: { results: keys } })
    const view = new View(siteOf())
    view.refresh()
    await settled()
    return view.element
  }

  it('shows each key without its secret', async () => {
    const element = await shown([KEY])
    expect(element.querySelector('.summary')!.textContent).toBe('1 key')
    expect(textsOf(element, 'dd, h2, p.muted')).toEqual([
      'shop',
      'for the shop',
      'searchtasks.get',
      'films',
      'without end',
      '1 day ago',
      'u-1',
    ])
    expect(element.textContent).not.toContain('SECRET')
  })

  it('marks keys that have expired', async () => {
    const expiresAt = ['2026-01-02T00:09:59Z', '2026-01-02T00:10:01Z', null]
    const element = await shown(expiresAt.map((date) => ({ ...KEY, expiresAt: date })))
    const isMarked = [...element.querySelectorAll('.card')].map((card) => card.innerHTML)
    expect(isMarked.map((text) => text.includes('expired'))).toEqual([true, false, false])
  })

  it('opens the forms that create and revoke a key', async () => {
    // The description of the API is read once by each page.
    vi.resetModules()
    const fresh = await import('./keys-view.ts')
    const element = await shown([{ ...KEY, name: null, description: null }], fresh.KeysView)
    document.body.append(element)
    expect(textsOf(element, 'h2')).toEqual(['Key without a name'])
    expect(element.querySelector('p.muted')).toBeNull()
    const revoke = buttonOf(element, 'Revoke')
    expect(revoke.getAttribute('aria-label')).toBe('Revoke u-1')
    revoke.click()
    expect(element.querySelector('dialog h2')!.textContent).toBe('Revoke this key')
    const schema = { properties: { actions: { items: { enum: ['*', 'search'] } } } }
    const post = { requestBody: { content: { 'application/json': { schema } } } }
    const asked = stubServer({ 'GET /openapi.json': { paths: { '/keys': { post } } } })
    buttonOf(element, 'Create a key').click()
    await settled()
    expect(asked).toHaveLength(1)
    expect(textsOf(element, 'dialog .scopes li')).toEqual(['* (everything)', 'search'])
  })

  it('offers no change where the page may only read', async () => {
    readOnly()
    const element = await shown([KEY])
    expect(['Revoke', 'Create a key'].map((text) => buttonOf(element, text).hidden)).toEqual([
      true,
      true,
    ])
  })

  it('shows a refusal, and that a server without a master key has no keys', async () => {
    for (const [code, words] of [
      ['missing_master_key', 'This server is open'],
      ['internal', 'The server refused'],
    ] as const) {
      stubServer({ [KEYS]: refused(500, code) })
      const view = new KeysView(siteOf())
      view.refresh()
      await settled()
      expect(textsOf(view.element, 'h2')).toEqual([words])
    }
  })

  it('keeps the keys when its request is aborted', () =>
    expectKept(new KeysView(siteOf()), { [KEYS]: { results: [KEY] } }))
})

describe('the view of tasks', () => {
  const RUNNING = 'GET /batches?statuses=processing&limit=5'
  const list = (results: readonly unknown[], change: object = {}) => ({
    results,
    total: results.length,
    next: null,
    ...change,
  })
  const TASKS = 'GET /tasks?limit=30'
  const made = (change: object = {}) => {
    const site = siteOf(change)
    const view = new TasksView(site)
    document.body.append(view.element)
    const [scope, status] = [...view.element.querySelectorAll('select')]
    return { site, view, element: view.element, scope: scope!, status: status! }
  }

  it('lists tasks and the running batch, and more of them when asked', async () => {
    const batch = { uid: 3, progress: null, stats: { totalNbTasks: 1 }, startedAt: NOW }
    const more = 'GET /tasks?limit=60'
    const asked = stubServer({
      [TASKS]: list([taskAnswer()], { total: 31, next: 6 }),
      [more]: list([taskAnswer(), taskAnswer({ uid: 6 })]),
      [RUNNING]: list([{ ...batch, duration: null, finishedAt: null, batchStrategy: null }]),
    })
    const { view, element } = made()
    view.tick()
    await settled()
    expect(asked.map(([request]) => request)).toEqual([TASKS, RUNNING])
    expect(element.querySelector('.summary')!.textContent).toBe('31 tasks')
    expect(textsOf(element, '.batch h2')).toEqual(['Batch #3'])
    expect(textsOf(element, '.task-uid')).toEqual(['#7'])
    expect(element.querySelector('.note')).toBeNull()
    const button = buttonOf(element, 'Show more')
    expect(button.hidden).toBe(false)
    button.click()
    await settled()
    expect(asked[2]![0]).toBe(more)
    expect(textsOf(element, '.task-uid')).toEqual(['#7', '#6'])
    expect(button.hidden).toBe(true)
  })

  it('renders equal data again after half a minute alone, and keeps tasks unfolded', async () => {
    stubServer({ [TASKS]: list([taskAnswer()]), [RUNNING]: list([]) })
    const { view, element } = made()
    const read = async (): Promise<HTMLDetailsElement> => {
      view.refresh()
      await settled()
      return element.querySelector('details')!
    }
    const first = await read()
    expect(first.open).toBe(false)
    first.open = true
    act(first, 'toggle')
    expect(await read()).toBe(first)
    vi.setSystemTime(Date.parse(NOW) + 30_000)
    const second = await read()
    expect(second).not.toBe(first)
    expect(second.open).toBe(true)
    second.open = false
    act(second, 'toggle')
    vi.setSystemTime(Date.parse(NOW) + 60_000)
    expect((await read()).open).toBe(false)
  })

  it.each([
    [{ task: null, batch: null }, '', 'No tasks yet.'],
    [{ task: null, batch: null }, 'failed', 'No tasks with this status.'],
    [{ task: 4, batch: null }, '', 'There is no task #4. It may have been deleted.'],
    [{ task: null, batch: 5 }, '', 'There are no tasks of batch #5.'],
  ])('without tasks for %j and the status %j says: %s', async (tasks, chosen, words) => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(list([])))))
    const { view, element, status } = made({ tasks })
    const isNamed = tasks.task !== null || tasks.batch !== null
    status.value = chosen
    view.refresh()
    await settled()
    expect(element.querySelector('.note')!.textContent).toBe(words)
    const choice = element.querySelector<HTMLElement>('span.tools-end')!
    const all = element.querySelector('a')!
    expect([choice.hidden, all.hidden]).toEqual([isNamed, !isNamed])
    expect(all.getAttribute('href')).toBe('#/tasks?index=films')
  })

  it('shows the batch that the address names, and unfolds the task that it names', async () => {
    const batches = stubServer({
      'GET /tasks?limit=30&batchUids=5': list([]),
      'GET /batches?uids=5': list([]),
    })
    made({ tasks: { task: null, batch: 5 } }).view.refresh()
    await settled()
    expect(batches.map(([request]) => request)[1]).toBe('GET /batches?uids=5')
    vi.stubGlobal('fetch', (path: string) => {
      const results = path.startsWith('./tasks') ? [taskAnswer(), taskAnswer({ uid: 6 })] : []
      return Promise.resolve(new Response(JSON.stringify(list(results))))
    })
    const { view, element } = made({ tasks: { task: 7, batch: null } })
    view.refresh()
    await settled()
    expect([...element.querySelectorAll('details')].map(({ open }) => open)).toEqual([true, false])
  })

  it('follows the index of the page if an index was chosen', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(list([])))))
    const { site, view, scope } = made()
    const refresh = async (index: string): Promise<readonly string[]> => {
      Object.assign(site, { question: question({ index }) })
      view.refresh()
      await settled()
      return [scope.value, ...[...scope.options].map(({ textContent }) => textContent!)]
    }
    expect(await refresh('films')).toEqual(['', 'All indexes', 'Index films'])
    expect(await refresh('books')).toEqual(['', 'All indexes', 'Index books'])
    scope.value = 'books'
    expect(await refresh('books')).toEqual(['books', 'All indexes', 'Index books'])
    expect(await refresh('films')).toEqual(['films', 'All indexes', 'Index films'])
    expect(await refresh('')).toEqual(['', 'All indexes'])
  })

  it('shows a refusal instead of the list, and drops an answer for another address', async () => {
    stubServer({ [TASKS]: list([taskAnswer()]), [RUNNING]: list([]) })
    const { site, view, element } = made()
    view.refresh()
    Object.assign(site, { tasks: { task: null, batch: null } })
    await settled()
    expect(textsOf(element, '.task-uid')).toEqual([])
    view.refresh()
    await settled()
    expect(textsOf(element, '.task-uid')).toEqual(['#7'])
    stubServer({ [TASKS]: refused(500), [RUNNING]: list([]) })
    view.refresh()
    await settled()
    expect(textsOf(element, '.task-uid')).toEqual([])
    expect(textsOf(element, '.notice h2')).toEqual(['The server refused'])
    expect(element.querySelector('.summary')!.textContent).toBe('')
  })

  it('keeps its list when its request is aborted', () =>
    expectKept(made().view, { [TASKS]: list([taskAnswer()]), [RUNNING]: list([]) }))
})
