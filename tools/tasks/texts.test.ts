// Tasks as people read them.
import { expect, it } from 'vitest'
import { taskListText, taskText } from './index.ts'

const task = (change: object) => ({
  uid: 1,
  status: 'succeeded',
  type: 'indexCreation',
  indexUid: 'films',
  enqueuedAt: '2026-01-02T03:04:05.678901Z',
  duration: 'PT0.0124S',
  error: null,
  ...change,
})

it('a list has a line each, and says where it goes on', () => {
  const results = [
    task({}),
    task({
      uid: 1000,
      status: 'failed',
      indexUid: null,
      duration: 'PT61S',
      error: { code: 'e'.repeat(41) },
    }),
    task({ uid: 2, indexUid: 'i'.repeat(31), duration: null, enqueuedAt: '2026-01-02T03:04:05Z' }),
  ]
  expect(taskListText({ results, total: 1200, next: 0 })).toMatchInlineSnapshot(`
    "  task  status     type           index                           enqueued              took     error
         1  succeeded  indexCreation  films                           2026-01-02T03:04:05Z  0.012 s
      1000  failed     indexCreation  –                               2026-01-02T03:04:05Z  61 s     eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee…
         2  succeeded  indexCreation  iiiiiiiiiiiiiiiiiiiiiiiiiiiii…  2026-01-02T03:04:05Z

    3 of 1,200 tasks; the next page: --from 0
    "
  `)
  const last = taskListText({ results: results.slice(0, 1), total: 1, next: null })
  expect(last.endsWith('\n\n1 of 1 task\n')).toBe(true)
  const odd = taskListText({ results: [task({ error: 'text' })], total: 1, next: null })
  expect(odd).not.toContain('text')
})

it('one task has its members, with those inside below', () => {
  const details = { a: 'x', b: { c: [1] }, d: null }
  expect(taskText(task({ details, long: 'y'.repeat(10_001) }))).toMatch(/y{9999}…\n$/)
  expect(taskText(task({ details, error: { code: 'no' } }))).toMatchInlineSnapshot(`
    "  uid         1
      status      succeeded
      type        indexCreation
      indexUid    films
      enqueuedAt  2026-01-02T03:04:05.678901Z
      duration    PT0.0124S
      error       code: no
      details     a: x
                  b: {"c":[1]}
                  d: null
    "
  `)
})
