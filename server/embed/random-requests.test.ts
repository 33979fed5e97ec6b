// Random requests to every route, against a real engine in this process: bodies and query strings
// from the schemas that the routes publish, with values of any type. Every refusal has a code of
// the API; an internal error is a defect. `REQUESTS=20000 SEED=7` run longer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { allRoutes } from '../routes/index.ts'
import { fakeEngine } from '../testing/fake-engine.ts'
import { fakeOptions } from '../testing/fake-options.ts'
import { SvcSearchError } from './errors.ts'
import { open } from './open.ts'

const REQUESTS = Number(process.env['REQUESTS'] ?? 150)

type Keywords = { readonly [keyword: string]: unknown }
type Sent = { readonly method: string; readonly path: string; readonly body?: unknown }

const folder = mkdtempSync(join(tmpdir(), 'svc-random-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Routes that work outside of the database: other servers, files, the state of the process. */
const LEFT_OUT = /^\/(export|snapshots|dumps|network|logs|tasks\/compact)/

const PATH_VALUES: { readonly [parameter: string]: readonly string[] } = {
  indexUid: ['films', 'films', 'films', 'gone', 'no name', '%C3%A9'],
  documentId: ['1', '2', 'x', 'a%20b'],
  taskUid: ['0', '1', '99', '-1', 'x'],
  batchUid: ['0', '99', 'x'],
}

const anyValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    'a',
    '*',
    'title',
    'year',
    'year > 1990',
    'asc',
    'words',
  ),
  fc.constantFrom<unknown>(0, 1, -1, 0.5, 2 ** 53, 1e300),
  fc.constantFrom<unknown>([], ['title'], ['year:asc'], [['year = 1']], {}, { year: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
)

function bodyOf(schema: Keywords, depth = 4): fc.Arbitrary<unknown> {
  const { type, enum: words, items, properties, anyOf, additionalProperties: others } = schema
  const inner = (one: unknown): fc.Arbitrary<unknown> => bodyOf(one as Keywords, depth - 1)
  const mostly = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: anyValue })
  if (depth === 0) return anyValue
  if (Array.isArray(anyOf)) return mostly(fc.oneof(...anyOf.map(inner)))
  if (Array.isArray(words)) return mostly(fc.constantFrom(...words))
  if (type === 'array') return mostly(fc.array(inner(items ?? {}), { maxLength: 3 }))
  if (type !== 'object') return anyValue
  const members = Object.entries((properties ?? {}) as Keywords)
  if (members.length === 0 && typeof others === 'object') {
    return mostly(fc.dictionary(fc.constantFrom('a', 'title', 'year'), inner(others)))
  }
  const named = fc.subarray(members, { maxLength: Math.min(4, members.length) })
  return mostly(
    named.chain((some) =>
      fc.record(Object.fromEntries(some.map(([name, one]) => [name, inner(one)]))),
    ),
  )
}

const rawValue = fc.constantFrom(
  '',
  '0',
  '1',
  '-1',
  '1e3',
  'true',
  '*',
  'a,b',
  '[1]',
  'null',
  'year',
)

const requests: fc.Arbitrary<Sent> = fc.oneof(
  ...allRoutes({ ...fakeOptions(), engine: fakeEngine() })
    .filter(({ path }) => !LEFT_OUT.test(path))
    .map(({ method, path, body, query }) => {
      const parts = path
        .split('/')
        .map((part) =>
          part.startsWith(':')
            ? fc.constantFrom(...(PATH_VALUES[part.slice(1)] ?? ['films', 'a', '1']))
            : fc.constant(part),
        )
      const names = query?.parameters().map(({ name }) => name) ?? []
      const pair = fc.tuple(fc.constantFrom('x', ...names), rawValue)
      const schema = typeof body === 'object' ? (body.schema() as Keywords) : null
      const document = fc.dictionary(fc.constantFrom('id', 'title', '_geo', '_vectors'), anyValue)
      const content =
        body === 'documents'
          ? fc.oneof(fc.array(document, { maxLength: 3 }), anyValue)
          : schema === null
            ? fc.constant(undefined)
            : bodyOf(schema)
      const queries = fc.array(pair, { maxLength: names.length === 0 ? 0 : 3 })
      return fc.record({ path: fc.tuple(...parts), queries, content }).map((one) => ({
        method,
        path: `${one.path.join('/')}?${one.queries.map((two) => two.join('=')).join('&')}`,
        body: one.content,
      }))
    }),
)

test('random requests have answers or codes of the API, never an internal error', async () => {
  const engine = await open({ path: join(folder, 'db'), onWarning: () => undefined }, null)
  const documents = [1, 2, 3].map((id) => ({ id, title: `film ${id}`, year: 1990 + id }))
  await engine.waitForTask(await engine.addDocuments('films', documents))
  await engine.waitForTask(
    await engine.updateSettings('films', {
      filterableAttributes: ['year'],
      sortableAttributes: ['year'],
    }),
  )
  const codes = new Map<string, number>()
  const defects: string[] = []
  for (const { method, path, body } of fc.sample(requests, {
    numRuns: REQUESTS,
    seed: Number(process.env['SEED'] ?? 1),
  })) {
    const code = await engine.request(method, path, body).then(
      () => 'fine',
      (error: unknown) => {
        if (!(error instanceof SvcSearchError)) return String(error)
        if (error.code !== 'internal') return error.code
        const { cause } = error
        return `internal: ${cause instanceof Error ? cause.stack : String(cause)}`
      },
    )
    codes.set(code, (codes.get(code) ?? 0) + 1)
    if (!/^[a-z0-9_]+$/.test(code))
      defects.push(`${method} ${path} ${JSON.stringify(body)}: ${code}`)
  }
  const last = await engine.waitForTask(await engine.addDocuments('films', documents))
  expect(last.error?.code).not.toBe('internal')
  const { results } = await engine.tasks({ statuses: ['failed'], limit: 10 * REQUESTS })
  defects.push(
    ...results
      .filter(({ error }) => error?.code === 'internal')
      // The recorded code of `_vectors` that are not an object.
      .filter(({ error }) => !error?.message.includes('expected a map'))
      .map((task) => JSON.stringify(task)),
  )
  await engine.close()
  expect(defects).toEqual([])
  expect(codes.get('fine')).toBeGreaterThan(REQUESTS / 20)
  expect(codes.size).toBeGreaterThan(5)
  if (REQUESTS > 1000) console.log(codes)
}, 600_000)
