// Writing lines to stderr: grouped, in order, and without waiting for a reader.
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { STDERR_BYTES_MAX } from './limits.ts'
import { StderrLines } from './stderr.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-stderr-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('writes lines in order, urgent ones before the program continues', async () => {
  const path = join(folder, 'lines')
  const file = openSync(path, 'w')
  const lines = new StderrLines(file)
  for (let i = 0; i < 1000; i++) lines.write(`${i}\n`, false)
  expect(readFileSync(path, 'utf8')).toBe('')
  while (!readFileSync(path, 'utf8').endsWith('999\n')) await new Promise(setImmediate)
  lines.write('calm\n', false)
  lines.write('urgent\n', true)
  expect(readFileSync(path, 'utf8')).toMatch(/999\ncalm\nurgent\n$/)
  lines.write('last\n', false)
  lines.flush()
  lines.flush()
  expect(readFileSync(path, 'utf8')).toMatch(/urgent\nlast\n$/)
  closeSync(file)
  const numbers = readFileSync(path, 'utf8').split('\n').slice(0, 1000)
  expect(numbers).toEqual(Array.from({ length: 1000 }, (_, i) => String(i)))
})

test('lets the program wait for the last lines before it ends', async () => {
  const path = join(folder, 'way')
  const file = openSync(path, 'w')
  const lines = new StderrLines(file)
  await lines.drained()
  for (let i = 0; i < 100; i++) lines.write('x\n', false)
  await new Promise(setImmediate)
  lines.write('y\n', false)
  await lines.drained()
  expect(readFileSync(path, 'utf8')).toBe(`${'x\n'.repeat(100)}y\n`)
  closeSync(file)
})

test('loses lines instead of time with a reader that stops, and reports it', async () => {
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  // A FIFO that is opened for both directions does not wait for a reader.
  const file = openSync(fifo, 'r+')
  const lines = new StderrLines(file)
  const long = `${'x'.repeat(9999)}\n`
  const count = (2 * STDERR_BYTES_MAX) / long.length
  for (let i = 0; i < count; i++) {
    lines.write(long, false)
    if (i % 50 === 0) await new Promise(setImmediate)
  }
  const reader = spawn('cat', [fifo])
  let heard = ''
  reader.stdout.on('data', (chunk) => (heard += chunk))
  for (let i = 0; !heard.includes('were lost') && i < 100_000; i++) {
    lines.write('more\n', false)
    await new Promise(setImmediate)
  }
  reader.kill()
  closeSync(file)
  expect(heard).toMatch(/\n\d+ lines of the log were lost: the reader was too slow\n/)
})

test('a line is written while no more than the limit waits, else lost', () => {
  const path = join(folder, 'most')
  const file = openSync(path, 'w')
  const lines = new StderrLines(file)
  lines.write(`${'x'.repeat(STDERR_BYTES_MAX - 1)}\n`, false)
  lines.write('the last\n', false)
  lines.write('lost\n', false)
  lines.flush()
  lines.write('after\n', true)
  closeSync(file)
  expect(readFileSync(path, 'utf8').slice(STDERR_BYTES_MAX)).toBe(
    'the last\n1 lines of the log were lost: the reader was too slow\nafter\n',
  )
})

test('a closed descriptor is not an error', async () => {
  const lines = new StderrLines(987_654)
  lines.write('x\n', false)
  await new Promise((resolve) => setTimeout(resolve, 5))
  lines.write('y\n', true)
  lines.flush()
})
