// The command line of svc-tools: exit codes, text and JSON, help, and one clear line for each
// failure.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RELEASE } from '../server/config/index.ts'
import { runForTest } from './test-run.ts'
import { type MadeDatabase, makeDatabase } from './test-support.ts'

let made: MadeDatabase
beforeAll(async () => {
  made = await makeDatabase()
  writeFileSync(join(made.path, 'VERSION'), RELEASE.version)
})
afterAll(() => made.remove())

const run = (...words: readonly string[]) => runForTest(words)

const text = (): string => join(made.path, 'segments/000002.text')

describe('a command', () => {
  it('ends with 0 and its result', async () => {
    const commands: readonly (readonly [readonly string[], string])[] = [
      [['check', '--db', made.path], 'The database is sound.'],
      [['check', '--no-lock', '--db', made.path], 'without the lock'],
      [['db', 'check', made.path], 'The database is sound.'],
      [['db', 'size', made.path], 'postings'],
      [['index', 'stats', 'films', made.path], '"overview"'],
      [['index', 'explain', 'films', 'quiet', made.path], 'derivations'],
      [['tasks', 'list', made.path], '9 of 9 tasks'],
      [['tasks', 'show', '0', made.path], 'settingsUpdate'],
      [['manifest', 'state', made.path], 'films (index 1)'],
      [['segment', 'layout', made.path, '-s', '3'], 'GEOP'],
      [['fst', 'dump', made.path, '--index', 'books'], 'one'],
      [['fst', 'grep', made.path, '--index', 'books', '^on'], 'one'],
      [['log', 'print', join(made.path, 'tasks/tasks-000001.log'), '--index', 'books'], 'of books'],
      [['segment', 'layout', text()], 'POST'],
      [['segment', 'layout', '--db-path', made.path, '-s', '3'], 'GEOP'],
      [['segment', 'properties', text()], 'occurrences'],
      [['fst', 'dump', text(), '--prefix', 'star', '--limit', '2'], 'star'],
      [['fst', 'grep', text(), '~starlng'], 'starling'],
      [['fst', 'grep', '--db', made.path, '--segment', '2', '^stars$'], 'stars'],
      [['fst', 'dot', text(), '--limit', '3'], 'digraph'],
      [['manifest', 'print', '--db', made.path], 'index-created'],
      [['manifest', 'state', '--db', made.path], 'films (index 1)'],
      [['log', 'print', join(made.path, 'tasks/tasks-000001.log')], 'settingsUpdate'],
      [['explain', 'films', 'quiet harbor', '--db', made.path], 'derivations'],
      [['index', 'explain', 'films', 'quiet', '--db', made.path], 'derivations'],
      [['index', 'stats', '--db', made.path], 'books · 2 documents'],
      [['index', 'stats', 'films', '--db', made.path], '"overview"'],
      [['index', 'check', 'films', '--db', made.path], 'The database is sound.'],
      [['db', 'check', '--db', made.path], 'The database is sound.'],
      [['db', 'size', '--db', made.path], 'postings'],
      [['db', 'upgrade', '--db', made.path], 'nothing to do'],
      [['tasks', 'list', '--db', made.path], '9 of 9 tasks'],
      [['tasks', 'list', '--status', 'ENQUEUED', '--db', made.path], '2 of 2 tasks'],
      [['tasks', 'show', '0', '--db', made.path], 'settingsUpdate'],
    ]
    for (const [words, expected] of commands) {
      const { code, out, err } = await run(...words)
      expect([code, err], words.join(' ')).toEqual([0, ''])
      expect(out, words.join(' ')).toContain(expected)
      const json = await run(...words, '--json')
      expect(JSON.parse(json.out), words.join(' ')).toBeTruthy()
    }
  })

  it('ends with 1 if it finds problems', async () => {
    const file = `${text()}-damaged`
    const bytes = readFileSync(text())
    bytes[20_000]! ^= 1
    writeFileSync(file, bytes)
    const layout = await run('segment', 'layout', file)
    expect([layout.code, layout.err]).toEqual([1, ''])
    expect(layout.out).toContain('bad_checksum')
    const properties = await run('segment', 'properties', file)
    expect([properties.code, properties.out]).toEqual([2, ''])
    rmSync(file)
    const body = join(made.path, 'tasks/bodies/000002.body')
    const whole = readFileSync(body)
    writeFileSync(body, whole.subarray(1))
    const check = await run('check', '--db', made.path, '--json')
    expect(check.code).toBe(1)
    expect(JSON.parse(check.out)).toMatchObject({ isSound: false, problemCount: 1 })
    writeFileSync(body, whole)
  })

  it('ends with 2 and one line if it fails', async () => {
    const cases: readonly (readonly [readonly string[], string])[] = [
      [[], 'say what to do: svc-tools --help'],
      [
        ['segment'],
        'say what to do with the segment: layout, properties; svc-tools segment --help',
      ],
      [['chek'], "unknown command 'chek'; did you mean 'check'? svc-tools --help shows"],
      [['zzz'], "unknown command 'zzz': svc-tools --help shows"],
      [['network', 'stauts'], "did you mean 'status'? svc-tools network --help"],
      [['tasks', 'list', '--stauts', 'failed'], "'--stauts'; did you mean '--status'? svc-tools t"],
      [['db', 'check', '--db_path=x'], "'--db_path'; did you mean '--db-path'?"],
      [['check', '--no-loock'], "'--no-loock'; did you mean '--no-lock'?"],
      [['check', '--jsoon'], "did you mean '--json'?"],
      [['tasks', 'list', '-z'], "unexpected argument '-z': svc-tools tasks list --help"],
      [['check', '--verbose'], "unexpected argument '--verbose': "],
      [['check', 'extra'], 'there is no folder `extra`'],
      [['check', '--verbose'], 'svc-tools check --help'],
      [['db', 'size', '--verbose'], 'svc-tools db size --help'],
      [['check', 'a', '--db', 'b'], 'name the database once'],
      [['db', 'size', made.path, '--svg', 'no/where.svg'], 'there is no folder `no` for'],
      [['db', 'size', made.path, '--svg', made.path], 'is a folder: name a file'],
      [['index', 'export', 'films', made.path, '-o', 'no/x.csv'], 'there is no folder `no` for'],
      [
        ['index', 'export', 'films', made.path, '--settings', 'no/x'],
        'there is no folder `no` for',
      ],
      [['segment', 'layout', made.path, '--index', 'films'], 'choose one with --segment NUMBER'],
      [['segment', 'layout', '--index', 'gone', '--db', made.path], 'there is no index `gone`'],
      [['check', '--db'], 'Not enough arguments following: db'],
      [['check', '--db', '/nothing/here'], 'there is no folder `/nothing/here`: check the path'],
      [['check', text()], 'is a file: a database is the folder'],
      [['check', dirname(made.path)], 'holds no database: check the path'],
      [['segment', 'layout'], 'name a segment'],
      [['segment', 'layout', text(), '--segment', '2'], 'is a file'],
      [['segment', 'layout', '--segment', 'two'], 'name a segment'],
      [['fst', 'dump', text(), '--limit', '-1'], '--limit must be a whole number from 0'],
      [['fst', 'grep', text()], 'name a segment and a pattern'],
      [['fst', 'grep', text(), 'a', 'b'], "unexpected argument 'b': "],
      [['fst', 'grep', text(), '['], 'Invalid regular expression'],
      [['log', 'print'], 'FILE is missing: svc-tools log print --help'],
      [['log', 'print', text()], 'not a log'],
      [['explain', 'films'], 'QUERY is missing: svc-tools explain --help'],
      [['explain', 'nothing', 'a', '--db', made.path], 'there is no index `nothing`'],
      [['db'], 'with the database: check, size, upgrade, promote, repair; svc-tools db --help'],
      [['index'], 'say what to do with the index'],
      [['tasks'], 'say what to do with the tasks'],
      [['index', 'stats', 'nothing', '--db', made.path], 'there is no index `nothing`'],
      [['index', 'check', 'nothing', '--db', made.path], 'there is no index `nothing`'],
      [['index', 'export', 'nothing', '--db', made.path], 'there is no index `nothing`'],
      [['index', 'export', 'films', '--db', made.path, '--filter', 'x ='], '--filter: '],
      [['index', 'export', 'films', '--db', made.path, '-f', 'xml'], 'Invalid values'],
      [['tasks', 'list', '--db', made.path, '--status', 'gone'], 'there is no `gone`'],
      [['tasks', 'list', '--db', made.path, '--uid', 'x'], '`x` is not a number'],
      [['tasks', 'show', 'x', '--db', made.path], 'UID is the number of a task'],
    ]
    for (const [words, expected] of cases) {
      const { code, out, err } = await run(...words)
      expect([code, out], words.join(' ')).toEqual([2, ''])
      expect(err, words.join(' ')).toContain(expected)
      expect(err, words.join(' ')).toMatch(/^svc-tools: [^\n]+\n$/)
    }
  })
})

describe('a relative path', () => {
  it('names the same database in every command', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-relative-'))
    cpSync(made.path, join(folder, 'data.ms'), { recursive: true })
    const path = relative(process.cwd(), join(folder, 'data.ms'))
    const commands = [
      ['db', 'check', path],
      ['db', 'size', path, '--svg', relative(process.cwd(), join(folder, 'size.svg'))],
      ['db', 'upgrade', path],
      ['db', 'promote', path],
      ['db', 'repair', path, '--yes'],
      ['index', 'stats', 'films', path],
      ['index', 'check', 'films', path],
      ['index', 'export', 'films', path, '-o', relative(process.cwd(), join(folder, 'films'))],
      ['tasks', 'list', path],
      ['manifest', 'state', path],
      ['manifest', 'print', path],
      ['log', 'print', join(path, 'tasks/tasks-000001.log')],
      ['segment', 'layout', join(path, 'segments/000002.text')],
    ]
    for (const words of commands) {
      const { code, err } = await run(...words)
      expect([code, err], words.join(' ')).toEqual([0, ''])
    }
    rmSync(folder, { recursive: true })
  })
})

describe('the default database', () => {
  it('is that of SVC_DB_PATH or of config.toml', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-named-'))
    const file = join(folder, 'config.toml')
    writeFileSync(file, `db_path = ${JSON.stringify(made.path)}\n`)
    const stats = () => run('index', 'stats', 'books')
    process.env['SVC_CONFIG_FILE_PATH'] = file
    expect((await stats()).out).toContain('books · 2 documents')
    process.env['SVC_DB_PATH'] = '/nothing/here'
    expect((await stats()).err).toContain(
      'no database was named, and there is no folder `/nothing/here`: name the database with --db',
    )
    delete process.env['SVC_DB_PATH']
    writeFileSync(file, 'db_pat = "x"')
    expect((await stats()).err).toMatch(/did you mean `db_path`.*--db PATH/)
    delete process.env['SVC_CONFIG_FILE_PATH']
    rmSync(folder, { recursive: true })
  })
})

describe('help', () => {
  it('lists the commands, with examples', async () => {
    const { code, out } = await run('--help')
    expect(code).toBe(0)
    for (const word of ['check', 'segment', 'fst', 'manifest', 'log', 'Examples:', 'Exit codes']) {
      expect(out).toContain(word)
    }
    expect(out.split('\n').every((line) => line.length <= 100)).toBe(true)
    expect((await run('check', '--help')).out).toContain('with --no-lock it may change')
    expect((await run('fst', 'grep', '-h')).out).toContain('~~word')
    expect((await run('--version')).out).toBe(`${RELEASE.version}\n`)
  })
})

describe('the program of `dist`', () => {
  it('writes to pipes, even if they close early, and ends with the exit code', () => {
    const program = fileURLToPath(new URL('../dist/tools/main.js', import.meta.url))
    const command = (words: string) =>
      spawnSync('bash', ['-c', `set -o pipefail; node "$0" ${words}`, program], {
        encoding: 'utf8',
      })
    const early = command(`fst dump ${text()} --limit 0 --json | head -c 10`)
    expect([early.stderr, early.stdout.length]).toEqual(['', 10])
    expect(command('check --db /nothing').status).toBe(2)
    const piped = command(`segment layout ${text()} | cat`)
    expect([piped.status, piped.stderr]).toEqual([0, ''])
  })
})
