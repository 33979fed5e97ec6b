// The program from outside: what it prints, with which code it ends, how it stops. Built into a
// folder of its own first.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-main-'))

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['mmap-io', 'fs-ext', 'zstd-napi', 'roaring'],
    banner: {
      js:
        "import { createRequire as svcCreateRequire } from 'node:module';" +
        'const require = svcCreateRequire(import.meta.url);',
    },
    logLevel: 'error',
    outdir: folder,
    entryPoints: {
      'server/main': 'server/main.ts',
      'workers/search': 'engine/search-worker.ts',
      'workers/index': 'engine/index-worker.ts',
    },
  })
})

afterAll(() => rmSync(folder, { recursive: true }))

type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

class Program {
  readonly #child: ChildProcess
  readonly ended: Promise<Ended>
  stderr = ''

  constructor(words: readonly string[], environment: { readonly [variable: string]: string } = {}) {
    this.#child = spawn(process.execPath, [join(folder, 'server/main.js'), ...words], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...environment },
    })
    let stdout = ''
    this.#child.stdout?.on('data', (chunk) => (stdout += chunk))
    this.#child.stderr?.on('data', (chunk) => (this.stderr += chunk))
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code) => resolve({ code, stdout, stderr: this.stderr }))
    })
  }

  /** Where it listens, as soon as it does. */
  async url(): Promise<string> {
    let code: number | null = null
    this.ended.then((ended) => (code = ended.code))
    for (;;) {
      const found = / listening host=(\S+) port=(\d+)/.exec(this.stderr)
      if (found !== null) return `http://${found[1]}:${found[2]}`
      if (code !== null) throw new Error(`it ended with ${code}: ${this.stderr}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}

const ended = (words: string, environment = {}): Promise<Ended> =>
  new Program(words === '' ? [] : words.split(' '), environment).ended

describe('what it prints and how it ends', () => {
  test('help and release are for stdout', async () => {
    const help = await ended('--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('--http-addr')
    expect((await ended('--version')).stdout).toMatch(/^svc-server \d+\.\d+\.\d+\n$/)
  })

  test('a wrong line is 2, said once', async () => {
    const wrong = await ended('--http-addr nowhere')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(/^error: invalid value 'nowhere'/)
    expect((await ended('', { SVC_NO_ANALYTICS: 'yes' })).code).toBe(2)
  })

  test('anything else that keeps it from starting is 1', async () => {
    const unlocked = await ended('--env production')
    expect(unlocked.code).toBe(1)
    expect(unlocked.stderr).toMatch(/^Error: You must provide a master key/)
    const missing = await ended('--config-file-path nowhere.toml')
    expect(missing.code).toBe(1)
    expect(missing.stderr).toMatch(/^Error: unable to open or read the "nowhere.toml"/)
    writeFileSync(join(folder, 'file'), 'no folder')
    const noFolder = await ended('--db-path file')
    expect(noFolder.code).toBe(1)
    expect(noFolder.stderr).toContain('\nError: ')
  })

  test('a port in use is told', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const { code, stderr } = await ended(`--db-path taken --http-addr 127.0.0.1:${port}`)
    other.close()
    expect(code).toBe(1)
    expect(stderr).toContain('EADDRINUSE')
  })
})

describe('a running server', () => {
  test.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)('keeps what it accepted, and stops on %s with %i', async (signal, code) => {
    const words = ['--db-path', `db-${signal}`, '--http-addr', '127.0.0.1:0']
    const program = new Program(words)
    const url = await program.url()
    expect(program.stderr).toContain(`Database path:\t\t"db-${signal}"`)
    const accepted = await fetch(`${url}/indexes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"uid":"kept"}',
    })
    expect(accepted.status).toBe(202)
    program.kill(signal)
    expect((await program.ended).code).toBe(code)
    const again = new Program(words)
    const task = (await (await fetch(`${await again.url()}/tasks/0`)).json()) as object
    expect(task).toMatchObject({ uid: 0, indexUid: 'kept', type: 'indexCreation' })
    again.kill('SIGTERM')
    expect((await again.ended).code).toBe(0)
  })
})
