// Runs the Python programs of docs/guides/frameworks.md where their packages are installed, with a
// key of the rights that the page gives it, and checks the syntax of its PHP where PHP is installed.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/testing/test-server.ts'
import { blocksOf } from './blocks.ts'

const PAGE = fileURLToPath(new URL('../../docs/guides/frameworks.md', import.meta.url))
const MASTER_KEY = 'the-master-key-of-the-frameworks'
const run = promisify(execFile)
const blocks = blocksOf(readFileSync(PAGE, 'utf8'))
const textsOf = (language: string): string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text)
const works = (program: string, ...words: string[]): boolean =>
  spawnSync(program, words, { stdio: 'ignore' }).status === 0

const folder = mkdtempSync(join(tmpdir(), 'svc-frameworks-'))
let server: TestServer
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  server = await startServer({ MASTER_KEY })
  const rights = blocks.find(({ directive }) => directive.kind === 'send')!
  const { key } = (await ask('/keys', { method: 'POST', body: rights.text })) as { key: string }
  env = { ...process.env, SEARCH_KEY: key, DJANGO_SETTINGS_MODULE: 'settings' }
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const python = async (name: string, program: string): Promise<string> => {
  writeFileSync(join(folder, name), here(program))
  return (await run('python3', [name], { cwd: folder, env })).stdout
}
const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
  const headers = { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' }
  return (await fetch(server.url + path, { ...init, headers })).json()
}
const here = (program: string): string => program.replaceAll('http://localhost:7700', server.url)

test('the page has a program of Python, two files of Django and a model of Laravel', () => {
  expect(textsOf('python')).toHaveLength(3)
  expect(textsOf('php')).toHaveLength(1)
})

test.skipIf(!works('python3', '-c', 'import meilisearch'))('the program of Python', async () => {
  expect(await python('program.py', textsOf('python')[0]!)).toBe(`${textsOf('text')[0]}\n`)
})

const SETTINGS = `import os
INSTALLED_APPS = ["books"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db"}}
`
const USE = `import django
django.setup()
from books.models import Book, search
`
const SAVE = `${USE}from django.db import connection
with connection.schema_editor() as editor:
    editor.create_model(Book)
Book.objects.create(title="Harbour Lights", year=1994)
Book.objects.create(title="Hard Rain", year=1998)
`

const hasDjango = works('python3', '-c', 'import meilisearch, django')
test.skipIf(!hasDjango)('the files of Django', async () => {
  const [, settings, models] = textsOf('python')
  mkdirSync(join(folder, 'books'))
  writeFileSync(join(folder, 'books/__init__.py'), '')
  writeFileSync(join(folder, 'books/models.py'), models!)
  writeFileSync(join(folder, 'settings.py'), SETTINGS + here(settings!))
  await python('save.py', SAVE)
  await server.idle()
  const titles = `${USE}print([book.title for book in search("ha", limit=10)])`
  expect(await python('search.py', titles)).toBe("['Harbour Lights', 'Hard Rain']\n")
  await python('delete.py', `${USE}Book.objects.get(year=1994).delete()`)
  await server.idle()
  expect(await ask('/indexes/books-django/stats')).toMatchObject({ numberOfDocuments: 1 })
})

test.skipIf(!works('php', '--version'))('the model of Laravel can be parsed', async () => {
  writeFileSync(join(folder, 'Book.php'), textsOf('php')[0]!)
  await run('php', ['-l', join(folder, 'Book.php')])
})
