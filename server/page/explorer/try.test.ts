// The form of an operation and the page of the API, with a server that the test plays, without a
// browser.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { act, settled, stubPage, stubServer } from '../test-dom.ts'
import { type Operation, operationsOf } from './api-description.ts'
import { startApiPage } from './api-page.ts'
import { TryForm } from './api-try.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

const SCHEMA = { type: 'object' }
const OPERATION: Operation = {
  id: 'add',
  method: 'POST',
  path: '/indexes/{uid}/documents',
  summary: 'Adds documents',
  tag: 'documents',
  parameters: [
    { name: 'uid', in: 'path', schema: { type: 'string' } },
    { name: 'primaryKey', in: 'query', schema: { type: 'string' } },
  ] as never,
  body: { 'application/json': { schema: SCHEMA }, 'text/csv': { schema: SCHEMA } },
  answers: {},
  action: 'documents.add',
}

/** A form, and the requests that it sends; `answer` makes the response. */
function made(operation: Operation, answer: (init: RequestInit) => Response | Promise<Response>) {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    sent.push([init.method, path, init.body ?? null])
    return answer(init)
  })
  const { element } = new TryForm(operation)
  document.body.append(element)
  const submit = async (): Promise<void> => {
    expect(act(element, 'submit').defaultPrevented).toBe(true)
    await settled()
  }
  const answerText = (): string => element.lastElementChild!.textContent
  return { element, sent, submit, answerText, fields: [...element.querySelectorAll('input')] }
}
const json = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'application/json' } })

it('sends what was filled in, and shows the answer', async () => {
  const { element, sent, submit, answerText, fields } = made(OPERATION, () =>
    json('{"a":[1]}', 202),
  )
  await submit()
  expect([sent, answerText(), document.activeElement]).toEqual([[], 'Fill in uid.', fields[0]])
  expect(fields.map((one) => one.getAttribute('placeholder'))).toEqual(['required', ''])
  fields[0]!.value = 'a'
  fields[1]!.value = 'id'
  await submit()
  const example = '[\n  { "id": 1, "title": "A quiet harbour" }\n]'
  expect(sent).toEqual([['POST', './indexes/a/documents?primaryKey=id', example]])
  expect(answerText()).toMatch(
    /^202 \d+ ms application\/json\{\n {2}"a": \[\n {4}1\n {2}\]\n\}curl/,
  )
  expect(element.querySelector('span')!.getAttribute('class')).toBe('pill is-succeeded')
  const type = element.querySelector('select')!
  type.value = 'text/csv'
  act(type, 'change')
  await submit()
  expect(sent[1]).toEqual([
    'POST',
    './indexes/a/documents?primaryKey=id',
    'id,title\n1,A quiet harbour\n',
  ])
})

it('warns of deletions, and sends no body without one', async () => {
  const bare = { ...OPERATION, method: 'DELETE', path: '/x', parameters: [], body: null }
  const { element, sent, submit, answerText } = made(bare, () => json('{"a":', 400))
  expect(element.textContent).toContain('This request deletes data of this server.')
  expect(element.querySelector('textarea')).toBeNull()
  await submit()
  expect(sent).toEqual([['DELETE', './x', null]])
  expect(element.querySelector('span')!.getAttribute('class')).toBe('pill is-failed')
  // JSON that was cut off is shown as it is.
  expect(answerText()).toContain('{"a":curl')
  const one = made({ ...OPERATION, body: { 'text/csv': { schema: SCHEMA } } }, () => json(''))
  expect(one.element.querySelector('select')).toBeNull()
  expect(one.element.textContent).not.toContain('deletes')
})

it('shows the beginning of a long answer, and plain text as it is', async () => {
  const bare = { ...OPERATION, parameters: [], body: null }
  const long = made(bare, () => new Response('x'.repeat(100_001)))
  await long.submit()
  const text = long.element.querySelector('pre')!
  expect(text.textContent).toBe(`${'x'.repeat(100_000)}\n… (the rest is not shown)`)
  const short = made(
    bare,
    () => new Response('{"a":1}', { headers: { 'content-type': 'text/plain' } }),
  )
  await short.submit()
  expect(short.element.querySelector('pre')!.textContent).toBe('{"a":1}')
})

it('is stopped by a second click, and shows that the server does not answer', async () => {
  const bare = { ...OPERATION, parameters: [], body: null }
  const hanging = made(
    bare,
    ({ signal }) =>
      new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason))),
  )
  const button = hanging.element.querySelector('button')!
  await hanging.submit()
  expect(button.textContent).toBe('Stop')
  await hanging.submit()
  expect([button.textContent, hanging.sent.length, hanging.answerText()]).toEqual(['Send', 1, ''])
  const down = made(bare, () => Promise.reject(new TypeError('down')))
  await down.submit()
  expect(down.answerText()).toBe('The server does not answer. Is it still running?')
})

it('the page lists operations by subject, and finds them', async () => {
  const operation = (id: string, tag: string, summary: string) => ({
    operationId: id,
    tags: [tag],
    summary,
    responses: {},
  })
  const description = {
    info: { version: '1.2.3' },
    tags: [{ name: 'tasks' }, { name: 'keys' }],
    paths: {
      '/tasks': { get: operation('a', 'tasks', 'Lists tasks') },
      '/keys': {
        get: operation('b', 'keys', 'Lists keys'),
        post: { ...operation('c', 'keys', 'Creates a key'), 'x-action': 'keys.create' },
      },
    },
    components: { schemas: { Task: { type: 'object', properties: { uid: { type: 'integer' } } } } },
  }
  expect(
    operationsOf(description as never).map(({ id, method, body, action, parameters }) => [
      id,
      method,
      body,
      action,
      parameters,
    ]),
  ).toEqual([
    ['a', 'GET', null, null, []],
    ['b', 'GET', null, null, []],
    ['c', 'POST', null, 'keys.create', []],
  ])
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('location', { href: 'http://host/', hash: '' })
  stubServer({ 'GET /openapi.json': description })
  startApiPage(document)
  await settled()
  const { body } = document
  const main = body.children[1]!
  expect(main.querySelector('h1')!.textContent).toBe('The API of Svc Search 1.2.3')
  expect(main.querySelector('aside')!.textContent).toBe('tasks 1keys 2schemas')
  const filter = main.querySelector<HTMLInputElement>('input[type=search]')!
  const visible = () =>
    [...main.querySelectorAll('details:not([hidden], #schema-Task)')].map(({ id }) => id)
  expect(visible()).toEqual(['a', 'b', 'c'])
  filter.value = 'lists key'
  act(filter, 'input')
  expect([visible(), main.textContent.includes('1 operation')]).toEqual([['b'], true])
  expect([...main.querySelectorAll('section')].map(({ hidden }) => hidden)).toEqual([
    true,
    false,
    false,
  ])
  stubServer({})
  startApiPage(document)
  await settled()
  expect(body.children[1]!.textContent).toBe('no GET /openapi.json')
})
