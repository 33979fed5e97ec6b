// Tasks, batches and plots as elements, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { taskChanges } from '../parts/changes.ts'
import type { Batch, Task } from '../parts/task-model.ts'
import { act, markup, settled, stubPage, stubServer } from '../test-dom.ts'
import { batchCard } from './batch-card.ts'
import { plot } from './plot.ts'
import { taskRow } from './task-detail.ts'
import { TaskProgress } from './task-progress.ts'
import { taskAnswer, textsOf } from './test-site.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  stubPage()
  vi.useFakeTimers({
    toFake: ['Date', 'setTimeout', 'clearTimeout'],
    now: Date.parse('2026-01-02T00:10:00Z'),
  })
})
afterEach(() => {
  // Pauses end before the page is gone.
  vi.runAllTimers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const TASK: Task = {
  uid: 7,
  batchUid: 3,
  indexUid: 'films',
  status: 'succeeded',
  type: 'documentAdditionOrUpdate',
  canceledBy: null,
  details: { receivedDocuments: 2 },
  error: null,
  duration: 'PT1.5S',
  enqueuedAt: '2026-01-02T00:00:00Z',
  startedAt: '2026-01-02T00:00:02Z',
  finishedAt: '2026-01-02T00:00:03.5Z',
}
/** Without the times, which depend on the zone of the machine. */
const timeless = (text: string): string => text.replace(/(<time [^>]*>).*/g, '$1')

describe('a task', () => {
  it('is a line that unfolds', () => {
    const toggles: boolean[] = []
    const row = taskRow(TASK, false, (isOpen) => toggles.push(isOpen))
    expect(timeless(markup(row))).toMatchInlineSnapshot(`
      "<li>
        <details>
          <summary data-focus="task 7">
            <span class="task-uid">#7
            <span class="pill is-succeeded">succeeded
            <span class="task-type">document addition or update
            <span class="task-index">films
            <span class="task-time">1.5 s
            <span class="task-time">10 min ago
          <div class="task-detail">
            <dl class="members">
              <div>
                <dt>enqueued
                <dd>
                  <time datetime="2026-01-02T00:00:00Z" title="2026-01-02T00:00:00Z">
              <div>
                <dt>started
                <dd>
                  <time datetime="2026-01-02T00:00:02Z" title="2026-01-02T00:00:02Z">
              <div>
                <dt>finished
                <dd>
                  <time datetime="2026-01-02T00:00:03.5Z" title="2026-01-02T00:00:03.5Z">
              <div>
                <dt>waited
                <dd>2.0 s
              <div>
                <dt>took
                <dd>1.5 s
              <div>
                <dt>batch
                <dd>
                  <a href="#/tasks?batch=3">batch #3
              <div>
                <dt>link
                <dd>
                  <a href="#/tasks?task=7">link to task #7
            <pre tabindex="0">{
        "receivedDocuments": 2
      }
      "
    `)
    const details = row.querySelector('details')!
    act(details, 'toggle')
    details.open = true
    expect(toggles).toEqual([false, true])
  })

  it('shows its error, or what canceled it', () => {
    const error = { message: 'bad\nmore', code: 'invalid', link: 'https://a.example' }
    const failed = { ...TASK, status: 'failed' as const, error, indexUid: null, duration: null }
    const text = timeless(markup(taskRow(failed, true, () => undefined)))
    expect(text).toContain('<span class="task-error">bad\n')
    expect(text).toContain('<code>invalid')
    expect(text).toContain('all indexes')
    expect(text).toContain('<span class="task-time">–')
    expect(text).toContain('<details open>')
    const other = taskRow({ ...TASK, batchUid: null, canceledBy: 9 }, true, () => undefined)
    expect(other.textContent).toContain('canceled bytask #9')
    expect(other.textContent).not.toContain('batch #')
  })

  it('that waits may be canceled', async () => {
    const waiting = { ...TASK, status: 'enqueued' as const, startedAt: null, finishedAt: null }
    const row = taskRow(waiting, true, () => undefined)
    expect(row.textContent).not.toContain('waited')
    const asked = stubServer({ 'POST /tasks/cancel?uids=7': { taskUid: 8 } })
    const button = row.querySelector('button')!
    button.click()
    expect(button.disabled).toBe(true)
    await settled()
    expect(asked).toEqual([['POST /tasks/cancel?uids=7', null]])
    expect(row.textContent).toContain('Requested as task #8')
    stubServer({})
    const refused = taskRow(waiting, true, () => undefined)
    refused.querySelector('button')!.click()
    await settled()
    expect(refused.textContent).toContain('no POST /tasks/cancel?uids=7')
    expect(refused.querySelector('button')!.disabled).toBe(false)
    document.documentElement.dataset['readOnly'] = ''
    expect(taskRow(waiting, true, () => undefined).querySelector('button')).toBeNull()
  })

  it('is followed until it has ended', async () => {
    const progress = new TaskProgress()
    stubServer({ 'GET /tasks/7': TASK })
    const { signal } = new AbortController()
    expect(await progress.follow(7, signal)).toEqual(TASK)
    expect(markup(progress.element)).toMatchInlineSnapshot(`
      "<div class="task-progress" role="status">
        <span class="pill is-succeeded">succeeded
        " "
        <a href="#/tasks?task=7">task #7
      "
    `)
    progress.clear()
    expect(progress.element.textContent).toBe('')
    await expect(progress.follow(8, signal)).rejects.toMatchObject({ code: 'not_found' })
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 403 })))
    expect(await progress.follow(7, signal)).toBeNull()
    expect(progress.element.textContent).toBe(
      'Accepted as task #7. The key in use may not read tasks.',
    )
    // Neither the end nor a failure leaves a listener behind.
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that runs shows the progress of its batch', async () => {
    const progress = new TaskProgress()
    let reads = 0
    const running = { ...TASK, status: 'processing' as const }
    vi.stubGlobal('fetch', (path: string) => {
      const isBatch = path.startsWith('./batches?batchUids=3&statuses=processing&limit=1')
      if (!isBatch) reads++
      const batches = { results: [{ progress: { percentage: 41.6 } }] }
      const task = reads === 1 ? running : TASK
      return Promise.resolve(new Response(JSON.stringify(isBatch ? batches : task)))
    })
    const followed = progress.follow(7, new AbortController().signal)
    while (progress.element.textContent === '') await turn()
    expect(markup(progress.element)).toMatchInlineSnapshot(`
      "<div class="task-progress" role="status">
        <span class="pill is-processing">processing
        " "
        <a href="#/tasks?task=7">task #7
        <span class="bar" role="img" aria-label="42 percent">
          <span class="bar-inside" style="width: 41.60%;">
      "
    `)
    await vi.advanceTimersByTimeAsync(300)
    expect(await followed).toEqual(TASK)
  })
})

describe('a task that is followed', () => {
  const running = taskAnswer({ status: 'processing', batchUid: null })
  /** Follows a task that runs at the first reading. `isLive`: changes come by themselves. */
  function followed(isLive: boolean) {
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

describe('a batch', () => {
  const batch: Batch = {
    uid: 3,
    progress: null,
    stats: { totalNbTasks: 2, progressTrace: { 'indexing > words': '1.2s' } },
    duration: 'PT61S',
    startedAt: '2026-01-02T00:00:00Z',
    finishedAt: '2026-01-02T00:01:01Z',
    batchStrategy: 'stopped at its limit',
  }
  it('that has ended shows the duration of its steps', () => {
    expect(markup(batchCard(batch))).toMatchInlineSnapshot(`
      "<article class="card batch">
        <header>
          <h2>Batch #3
          <span class="pill is-succeeded">took 1 min 1 s
          <span class="muted">2 tasks · 10 min ago
        <p class="muted">stopped at its limit
        <ol class="steps">
          <li>
            "indexing > words"
            <span class="count">1.2s
      "
    `)
  })
  it('that runs shows its progress', () => {
    const steps = [{ currentStep: 'indexing', finished: 1, total: 4 }]
    const running = { ...batch, finishedAt: null, progress: { steps, percentage: 25.4 } }
    expect(markup(batchCard(running))).toMatchInlineSnapshot(`
      "<article class="card batch">
        <header>
          <h2>Batch #3
          <span class="pill is-processing">25 %
          <span class="muted">2 tasks · 10 min ago
        <span class="bar" role="img" aria-label="25 percent">
          <span class="bar-inside" style="width: 25.40%;">
        <ol class="steps">
          <li>
            "indexing"
            <span class="count">1 / 4
      "
    `)
    expect(batchCard({ ...running, progress: null }).textContent).toContain('0 %')
  })
})

it('a plot is a line through its points, with the highest at the top', () => {
  const points = [
    { at: 0, value: 0 },
    { at: 0.5, value: 4 },
    { at: 1, value: 1 },
  ]
  expect(markup(plot(points, 'label', 'text'))).toMatchInlineSnapshot(`
    "<figure class="plotted">
      <figcaption>
        <span class="muted">label
        " "
        "text"
      <svg viewBox="0 0 240 40" preserveAspectRatio="none" class="plot" aria-hidden="true">
        <polyline points="0.0,39.0 120.0,1.0 240.0,29.5">
    "
  `)
  const lineOf = (some: typeof points): string | null =>
    plot(some, '', '').querySelector('polyline')!.getAttribute('points')
  expect(lineOf([{ at: 0.5, value: 3 }])).toBe('120.0,1.0 240,1.0')
  expect(lineOf([])).toBe('')
  expect(
    lineOf([
      { at: 0, value: 0 },
      { at: 1, value: 0 },
    ]),
  ).toBe('0.0,39.0 240.0,39.0')
})
