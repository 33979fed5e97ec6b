// The description is valid OpenAPI, has every route, and agrees with the contract.
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, expect, test } from 'vitest'
import { allRoutes } from '../routes/index.ts'
import { fakeEngine } from '../testing/fake-engine.ts'
import { fakeOptions } from '../testing/fake-options.ts'
import { ROUTE_ROWS, type RouteRow } from '../testing/routes-matrix.table.ts'
import { startServer } from '../testing/test-server.ts'
import { ANSWERS } from './answers.table.ts'
import { type Description, describeApi } from './index.ts'

type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: {
    readonly content: { readonly [type: string]: { readonly schema: Schema } }
  }
  readonly responses: { readonly [status: string]: unknown }
  readonly operationId: string
}
type Schema = {
  readonly type?: unknown
  readonly properties?: { readonly [name: string]: unknown }
  readonly additionalProperties?: unknown
}

let description: Description

const operationOf = (method: string, path: string): Operation =>
  description.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] as Operation

const ROUTES = allRoutes({ ...fakeOptions(), engine: fakeEngine() })

beforeAll(async () => {
  description = await describeApi()
})

test('is valid OpenAPI', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(description)))
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

test('resolves every reference', () => {
  const text = JSON.stringify(description)
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(100)
  for (const name of new Set(names)) expect(description.components.schemas).toHaveProperty(name)
})

test('describes every route once, and nothing else', () => {
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const registered = ROUTES.map(
    ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
  )
  expect(described.sort()).toEqual(registered.sort())
  const ids = Object.values(description.paths).flatMap((methods) =>
    Object.values(methods).map((operation) => operation['operationId']),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

/** Returns the contract's row for a route. */
function rowOf(method: string, path: string): RouteRow | undefined {
  const shape = path.replace(/:\w+/g, ':')
  const row = Object.entries(ROUTE_ROWS).find(([route]) => {
    const [verb, routePath = ''] = route.split(' ')
    const parts = routePath.split('/').map((part) => (/^.$/.test(part) ? ':' : part))
    return verb === method && parts.join('/') === shape
  })
  return row?.[1]
}

test.each(ROUTES.map(({ method, path }) => [method, path] as const))(
  '%s %s agrees with the contract',
  (method, path) => {
    const row = rowOf(method, path)
    const operation = operationOf(method, path)
    if (row === undefined) return expect(operation).toBeDefined()
    const isExample = row.status >= 400
    if (!isExample) expect(Object.keys(operation.responses)).toContain(String(row.status))
    const names = (operation.parameters ?? []).map(({ name }) => name)
    for (const name of Object.keys(row.query ?? {})) expect(names).toContain(name)
    expect(operation.requestBody !== undefined).toBe(row.body !== undefined)
    const schema = operation.requestBody?.content['application/json']?.schema
    for (const name of Object.keys(row.members ?? {})) {
      expect(Object.keys(schema?.properties ?? {})).toContain(name)
    }
    if (row.unknown === 'bad_request') expect(schema?.additionalProperties).toBe(false)
    if (row.action !== null) expect(Object.keys(operation.responses)).toContain('401')
  },
)

test('has answers only for existing routes', () => {
  const registered = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`))
  expect(Object.keys(ANSWERS).filter((route) => !registered.has(route))).toEqual([])
})

test('is served only in development mode', async () => {
  for (const [env, status] of [
    ['development', 200],
    ['production', 404],
  ] as const) {
    const server = await startServer({ ENV: env, MASTER_KEY: 'a-master-key-for-tests-only' })
    const answer = await fetch(`${server.url}/openapi.json`)
    expect(answer.status).toBe(status)
    if (status === 200) expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(description)))
    const same = await fetch(`${server.url}/openapi`)
    expect(same.status).toBe(status)
    if (status === 200) expect(await same.json()).toHaveProperty('openapi', description.openapi)
    await server.stop()
  }
})
