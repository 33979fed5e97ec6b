// The commands of the quick start in docs/network.md, as a reader would run them: three processes.
// Each finds the documents written to the leader, also after one of the processes has ended.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'svc-quick-start-'))
const pids = join(folder, 'pids')

afterAll(async () => {
  const running = existsSync(pids) ? readdirSync(pids) : []
  for (const pid of running) end(Number(pid))
  for (const pid of running) await ended(Number(pid))
  rmSync(folder, { recursive: true })
})

/** Kills a process; does nothing if it has ended. */
function end(pid: number): void {
  if (isRunning(pid)) process.kill(pid, 'SIGTERM')
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`)

async function ended(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Returns the first commands of the page. */
function commands(): string {
  const page = readFileSync(new URL('../../docs/network.md', import.meta.url), 'utf8')
  const found = /```sh[^\n]*\n([\s\S]*?)```/.exec(page)
  expect(found).not.toBeNull()
  return found![1]!
}

async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

/** Installs the `svc-server` of `dist`. It writes its process id for the test. */
function installServer(): void {
  mkdirSync(pids)
  mkdirSync(join(folder, 'bin'))
  const script = join(folder, 'bin', 'svc-server')
  const main = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))
  const lines = [
    '#!/bin/sh',
    `echo "$@" > "${pids}/$$"`,
    `exec "${process.execPath}" "${main}" "$@" > /dev/null 2>&1`,
  ]
  writeFileSync(script, `${lines.join('\n')}\n`)
  chmodSync(script, 0o755)
}

test('builds a network of three that finds the written documents', async () => {
  installServer()
  const ports = new Map<string, string>()
  for (const port of ['7701', '7702', '7703']) ports.set(port, await freePort())
  const script = commands().replace(/770[123]/g, (port) => ports.get(port)!)
  const { status, stdout } = spawnSync('bash', ['-e', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 100_000,
  })
  expect(status, stdout).toBe(0)
  const answer = stdout.slice(stdout.lastIndexOf('{"hits"'))
  expect(JSON.parse(answer)).toMatchObject({ hits: [{ id: 2, title: 'Alien' }], remoteErrors: {} })

  const second = readdirSync(pids).find((pid) =>
    readFileSync(join(pids, pid), 'utf8').includes(`:${ports.get('7702')}`),
  )
  end(Number(second))
  await ended(Number(second))
  for (const port of ['7701', '7703']) {
    const found = await fetch(`http://127.0.0.1:${ports.get(port)}/indexes/movies/search`)
    const { hits } = (await found.json()) as { readonly hits: readonly { readonly id: number }[] }
    expect(hits.map(({ id }) => id).sort()).toEqual([1, 2, 3])
  }
}, 120_000)
