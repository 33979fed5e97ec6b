// The whole demo against a fake server, as a child process: order, output, exit codes.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { readArguments } from './arguments.ts'
import { type DemoOptions, runDemo } from './run.ts'
import { openTerminal } from './terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-demo-run-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NEVER = new Promise<void>(() => undefined)
const books = join(folder, 'books.ndjson')
writeFileSync(
  books,
  Array.from({ length: 30 }, (_, i) =>
    JSON.stringify({ id: i, title: `harbour ${i}`, kind: `k${i % 2}` }),
  ).join('\n'),
)

async function demo(name: string, over: Partial<DemoOptions> = {}, stopped = NEVER) {
  const db = join(folder, name)
  const options: DemoOptions = {
    serverEntry: fileURLToPath(new URL('./fake-server.mjs', import.meta.url)),
    packagesOf: import.meta.url,
    environment: { ...process.env, SVC_MASTER_KEY: 'not for the demo' },
    port: 0,
    db,
    data: books,
    exit: true,
    ...over,
  }
  let output = ''
  const write = (text: string) => {
    output += text
  }
  const code = await runDemo(options, openTerminal({ write }, {}), stopped)
  const stored = (file: string): string => readFileSync(join(db, file), 'utf8')
  return { code, output, stored, db }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return false
    throw error
  }
}

describe('the demo', () => {
  it('indexes, searches, prints results, and stops its server in order', async () => {
    const { code, output, stored } = await demo('plain')
    expect(code).toBe(0)
    expect(output).toMatch(/The server runs at http:\/\/127\.0\.0\.1:\d+/)
    expect(output).toMatch(/30 documents, .* MB, searchable after .* 0\.1 MB on disk/)
    expect(output).toMatch(/a word +harbour +\d.* 30 {2}harbour 0, harbour 1, harbour 2/)
    expect(output).toMatch(/kind +k0 +15 █{30}\n.* k1 +15 █{30}/)
    expect(output).not.toContain('\x1b')
    expect(stored('requests')).toMatch(
      /^PATCH \/indexes\/books\/settings .*\nPOST \/indexes\/books\/documents\?primaryKey=id\n/,
    )
    expect(stored('environment')).not.toMatch(/^SVC_/m)
    expect(stored('stopped')).toBe('in order')
    expect(isRunning(Number(stored('pid')))).toBe(false)
  })

  it('shows its own documents', async () => {
    const { code, output } = await demo('own', { data: null })
    expect(code).toBe(0)
    expect(output).toMatch(/\d\d?,\d{3} documents/)
    expect(output).toMatch(/filter, facets +stream · where source = node/)
  }, 60_000)

  it('stays up until it receives a signal', async () => {
    let stop: () => void = () => undefined
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    const running = demo('up', { exit: false }, stopped)
    const pidFile = join(folder, 'up', 'pid')
    // The file exists before its text does, and 0 would name the process group of this test.
    const readPid = (): number => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0)
    for (let i = 0; i < 400 && readPid() === 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    const pid = readPid()
    expect(pid).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(isRunning(pid)).toBe(true)
    stop()
    expect((await running).code).toBe(0)
    expect(isRunning(pid)).toBe(false)
  })

  it('reports errors, and leaves no process running', async () => {
    const cases = [
      ['fault-start', /The server ended \(exit code 3\)\.\nThe database is locked\./],
      ['fault-task', /Task 1 failed: No id\./],
      ['fault-search', /POST \/indexes\/books\/search was answered with 400: Not like that\./],
      ['fault-crash', /The server ended \(exit code 9\)|fetch failed/],
    ] as const
    for (const [name, message] of cases) {
      const { code, output, db } = await demo(name)
      expect(code).toBe(1)
      expect(output).toMatch(message)
      const pid = join(db, 'pid')
      if (existsSync(pid)) expect(isRunning(Number(readFileSync(pid, 'utf8')))).toBe(false)
    }
  })

  it('starts no server without documents', async () => {
    const { code, output, db } = await demo('nothing', { data: join(folder, 'none.ndjson') })
    expect(code).toBe(1)
    expect(output).toMatch(/none\.ndjson: ENOENT/)
    expect(existsSync(db)).toBe(false)
  })

  it('fails when its own searches find nothing', async () => {
    const { code, output } = await demo('fault-empty', { data: null })
    expect(code).toBe(1)
    expect(output).toMatch(/searches found nothing/)
  }, 60_000)
})

describe('arguments', () => {
  it('have defaults', () => {
    expect(readArguments([])).toEqual({ help: false, exit: false, port: 0, db: null, data: null })
    expect(readArguments(['--port=80', '--db', 'd', '--data', 'f', '--exit', '-h'])).toEqual({
      help: true,
      exit: true,
      port: 80,
      db: 'd',
      data: 'f',
    })
  })

  it('are refused with a sentence', () => {
    expect(() => readArguments(['--port', 'x'])).toThrow(/--port is a number from 0 to 65535/)
    expect(() => readArguments(['--what'])).toThrow(/Unknown option '--what'/)
    expect(() => readArguments(['file'])).toThrow(/positional/)
  })
})
