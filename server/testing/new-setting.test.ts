// The cost of a new setting: a module, a line in the registry and a row of schemas. The engine and
// the server, which name the setting nowhere else, read, change, store, reset, show, dump and
// describe it.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  applyPatch,
  decodeSettings,
  defaultSettings,
  encodeSettings,
  newerSettings,
  type SettingsPatch,
} from '../../engine/settings/index.ts'
import { layersAffected } from '../../engine/store/layers/index.ts'
import { CorruptionError } from '../../format/errors.ts'
import { readConfig } from '../config/index.ts'
import { importAtLaunch } from '../launch/imports.ts'
import { Log } from '../log/index.ts'
import { describeApi } from '../openapi/index.ts'
import { startServer, type TestServer } from './test-server.ts'

vi.mock(import('../../engine/settings/registry.ts'), async (original) => {
  const { SETTINGS } = await original()
  const { greeting } = await import('../../engine/settings/test-toy-setting.ts')
  return { SETTINGS: Object.assign({}, SETTINGS, { greeting }) }
})
vi.mock(import('../parse/settings.table.ts'), async (original) => {
  const { SETTING_SCHEMAS } = await original()
  const { partial } = await import('../parse/schema/object-schemas.ts')
  const { nullable, text, texts } = await import('../parse/schema/schemas.ts')
  const greeting = nullable(
    partial<{ words?: readonly string[] | null; secret?: string | null }>({
      words: nullable(texts),
      secret: nullable(text),
    }),
  )
  return { SETTING_SCHEMAS: Object.assign({}, SETTING_SCHEMAS, { greeting }) }
})

const SECRET = 'a secret of many letters'
/** The form of a secret in answers: some letters, then a mask of fixed length. */
const MASKED = 'a sXXXXX...'
const ROUTE = '/indexes/a/settings/greeting'

const root = mkdtempSync(join(tmpdir(), 'svc-setting-'))
const folders = { DB_PATH: join(root, 'db'), DUMP_DIR: join(root, 'dumps') }
let server: TestServer
beforeAll(async () => {
  server = await startServer(folders)
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true })
})

type Finished = { readonly status: string; readonly details: unknown; readonly error: unknown }

/** Sends a request, waits for its task, and returns the finished task. */
async function done(method: string, path: string, body?: unknown): Promise<Finished> {
  const answer = await server.ask(method, path, body)
  expect(answer.status).toBe(202)
  await server.idle()
  const { taskUid } = answer.body as { readonly taskUid: number }
  return (await server.ask('GET', `/tasks/${taskUid}`)).body as Finished
}
const greetingNow = async (): Promise<unknown> => (await server.ask('GET', ROUTE)).body

test('changes member by member, and is read with its secret masked', async () => {
  const task = await done('PATCH', ROUTE, { words: ['hi', 'aloha', 'hi'], secret: SECRET })
  expect(task).toMatchObject({
    status: 'succeeded',
    details: { greeting: { words: ['hi', 'aloha', 'hi'], secret: MASKED } },
  })
  await done('PATCH', '/indexes/a/settings', { greeting: { words: ['ciao'] } })
  expect(await greetingNow()).toEqual({ words: ['ciao'], secret: MASKED })
  const all = (await server.ask('GET', '/indexes/a/settings')).body
  expect(all).toMatchObject({ greeting: { words: ['ciao'], secret: MASKED } })
})

test('a batch shows its latest change', async () => {
  const { body } = await server.ask('GET', '/batches?limit=1')
  expect(body).toMatchObject({ results: [{ details: { greeting: { words: ['ciao'] } } }] })
})

test('refuses a value that does not fit its schema with its code', async () => {
  const one = await server.ask('PATCH', ROUTE, { words: 5 })
  expect(one).toMatchObject({ status: 400, body: { code: 'invalid_settings_greeting' } })
  const all = await server.ask('PATCH', '/indexes/a/settings', { greeting: { x: 1 } })
  expect(all).toMatchObject({ status: 400, body: { code: 'invalid_settings_greeting' } })
  const put = await server.ask('PUT', ROUTE, {})
  expect(put.status).toBe(405)
})

test('survives a restart', async () => {
  await server.stop()
  server = await startServer(folders)
  expect(await greetingNow()).toEqual({ words: ['ciao'], secret: MASKED })
})

test('a dump holds it, its secret in clear', async () => {
  expect((await done('POST', '/dumps')).status).toBe('succeeded')
  await server.stop()
  const [dump] = readdirSync(folders.DUMP_DIR)
  const imported = { DB_PATH: join(root, 'imported'), IMPORT_DUMP: join(folders.DUMP_DIR, dump!) }
  const variables = Object.entries(imported).map(([name, value]) => [`SVC_${name}`, value])
  const config = await readConfig(new Map(), Object.fromEntries(variables))
  const write = (): void => undefined
  const log = new Log({ level: 'OFF', mode: 'human', write, now: () => 0 })
  await importAtLaunch({ config, log, indexWorker: null, isWatched: false, write })
  server = await startServer({ DB_PATH: imported.DB_PATH })
  // A masked secret would be masked again, with other letters.
  expect(await greetingNow()).toEqual({ words: ['ciao'], secret: MASKED })
})

test('resets to its default', async () => {
  await done('DELETE', ROUTE)
  expect(await greetingNow()).toEqual({ words: ['hello'], secret: null })
  await done('PATCH', ROUTE, { words: ['hi'] })
  await done('DELETE', '/indexes/a/settings')
  expect(await greetingNow()).toEqual({ words: ['hello'], secret: null })
})

test('the API description has its routes, its schema and its member of all settings', async () => {
  const { paths, components } = await describeApi()
  const routes = paths['/indexes/{indexUid}/settings/greeting']!
  expect(Object.keys(routes).sort()).toEqual(['delete', 'get', 'patch'])
  expect(JSON.stringify(routes['patch'])).toContain('"secret":{"type":["string","null"]}')
  expect(components.schemas['Settings']).toMatchObject({ properties: { greeting: {} } })
})

test('stored text is checked, and older texts lack the setting', () => {
  const text = encodeSettings(defaultSettings())
  expect(text).toMatch(/"greeting":\{"words":\["hello"\],"secret":null\}\}$/)
  expect(decodeSettings('{}')).toEqual(defaultSettings())
  expect(() => decodeSettings('{"greeting":{"words":[1],"secret":null}}')).toThrow(CorruptionError)
  expect(newerSettings({ salutation: { words: ['x'] } })).toEqual({ greeting: { words: ['x'] } })
})

test('a change rebuilds only the affected layer, for the affected fields', () => {
  const patch = { greeting: { words: ['title'] } } as SettingsPatch
  const { settings } = applyPatch(defaultSettings(), patch)
  expect(layersAffected(defaultSettings(), settings, ['id', 'title'])).toEqual(['text'])
  expect(layersAffected(defaultSettings(), settings, ['id'])).toEqual([])
})
