// Messages to systemd, received by a program of the same name as `systemd-notify` that writes down
// its arguments.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { serviceManager } from './service-manager.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-notify-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

function installProgram(script: string): void {
  const path = join(folder, 'systemd-notify')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
}

const ENVIRONMENT = { NOTIFY_SOCKET: '/run/notify' }
const said: string[] = []
const report = (message: string, cause: string) => void said.push(`${message} ${cause}`)

test('reports states in order, with the process id', async () => {
  const calls = join(folder, 'calls')
  installProgram(`[ "$1" = --ready ] && sleep 0.2\nfor word; do echo "$word"; done >> '${calls}'`)
  const manager = serviceManager(ENVIRONMENT, report)
  manager.notify('ready', 'listening on port 7700')
  manager.notify('reloading', 'reading TLS files')
  manager.notify('stopping', 'finishing requests')
  const expected = [
    '--ready',
    `MAINPID=${process.pid}`,
    'STATUS=listening on port 7700',
    'RELOADING=1',
    'STATUS=reading TLS files',
    'STOPPING=1',
    'STATUS=finishing requests',
  ]
  await vi.waitFor(() => {
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual(expected)
  }, 30_000)
  expect(said).toEqual([])
})

test('logs a manager that cannot be reached; calls no program without a manager', async () => {
  installProgram('exit 3')
  serviceManager({}, report).notify('ready', 'x')
  serviceManager({ NOTIFY_SOCKET: '' }, report).notify('ready', 'x')
  serviceManager(ENVIRONMENT, report).notify('ready', 'x')
  await vi.waitFor(() => expect(said).toHaveLength(1), 30_000)
  expect(said[0]).toContain('is systemd-notify installed? Error: Command failed')
})
