// The page as views see it, its clock, a task, and the texts of its elements, for tests.
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { IndexRow, Site, Task } from '../parts/index.ts'
import { markup, settled, stubPage, stubServer } from '../test-dom.ts'
import { question } from '../test-question.ts'

/** The time of each test that uses `openPages`. */
export const NOW = '2026-01-02T00:10:00Z'

/** Opens an empty page for each test of a file, at a fixed time. */
export function openPages(): void {
  beforeEach(() => {
    stubPage()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) })
  })
  afterEach(async () => {
    // Answers arrive before the page is gone.
    await settled()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
}

export const buttonOf = (element: HTMLElement, text: string): HTMLButtonElement =>
  [...element.querySelectorAll('button')].find((button) => button.textContent === text)!

export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
export const fieldsOf = (element: Element): readonly Field[] => [
  ...element.querySelectorAll<Field>('input, textarea, select'),
]

export const textsOf = (element: HTMLElement, selector: string): readonly (string | null)[] =>
  [...element.querySelectorAll(selector)].map(({ textContent }) => textContent)

/** Makes the page one that offers no changes. */
export function readOnly(): void {
  document.documentElement.dataset['readOnly'] = ''
}

/** An error answer for `stubServer`. */
export const refused =
  (status: number, code = 'code'): (() => Response) =>
  () =>
    new Response(JSON.stringify({ message: 'no', code }), { status })

export const indexRow = (uid: string, change: Partial<IndexRow> = {}): IndexRow => ({
  uid,
  primaryKey: null,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  documents: 2,
  isIndexing: false,
  bytes: 2048,
  fields: {},
  ...change,
})

export const siteOf = (change: Partial<Pick<Site, 'question' | 'tasks' | 'indexes'>> = {}) => ({
  question: question({ index: 'films' }),
  tasks: { task: null, batch: null },
  indexes: [
    indexRow('films'),
    indexRow('books', { documents: 1200 }),
    indexRow('notes', { documents: null }),
  ],
  primaryKey: null,
  ask: vi.fn<Site['ask']>(),
  retry: vi.fn<Site['retry']>(),
  moved: vi.fn<Site['moved']>(),
  addDocuments: vi.fn<Site['addDocuments']>(),
  keyForm: (error: string | null) => {
    const form = document.createElement('form')
    form.textContent = `form for a key: ${error}`
    return form
  },
  ...change,
})

export const taskAnswer = (change: object = {}): Task => ({
  uid: 7,
  batchUid: 3,
  indexUid: 'films',
  status: 'succeeded',
  type: 'settingsUpdate',
  canceledBy: null,
  details: {},
  error: null,
  duration: 'PT1S',
  enqueuedAt: '2026-01-02T00:00:00Z',
  startedAt: '2026-01-02T00:00:02Z',
  finishedAt: '2026-01-02T00:00:03Z',
  ...change,
})

/** Expects that a view keeps its elements when its request is aborted, and shows a later refusal. */
export async function expectKept(
  view: { readonly element: HTMLElement; readonly refresh: () => void },
  answers: { readonly [request: string]: unknown },
): Promise<void> {
  stubServer(answers)
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
}
