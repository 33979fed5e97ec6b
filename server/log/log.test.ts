// Lines of the log: their form and levels, and escaping of text from clients.

import { describe, expect, test } from 'vitest'
import { durationText, type LogMode } from './event.ts'
import { Log } from './index.ts'
import type { LogLevel } from './levels.ts'

const TIME = 1_728_394_518_564.152

const made = (level: LogLevel, mode: LogMode = 'human', colours = false) => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const log = new Log({ level, mode, write, now: () => TIME, colours })
  return { log, lines }
}

test('a line for people', () => {
  const { log, lines } = made('INFO')
  log.for('svc::http').info('listening', { host: 'localhost', port: 7700, none: undefined })
  log.error('it failed', { cause: 'a "reason"', code: null })
  expect(lines).toEqual([
    '2024-10-08T13:35:18.564152Z  INFO svc::http: listening host=localhost port=7700\n',
    '2024-10-08T13:35:18.564152Z ERROR svc: it failed cause="a \\"reason\\"" code=null\n',
  ])
})

const SPAN = {
  name: 'HTTP request',
  fields: { method: 'GET', host: 'localhost:7700', query_parameters: '', error: undefined },
}

test('a line for a finished span', () => {
  const { log, lines } = made('INFO')
  log.closed(SPAN, 1.1712, 0.127)
  expect(lines).toEqual([
    '2024-10-08T13:35:18.564152Z  INFO HTTP request{method=GET host="localhost:7700" ' +
      'query_parameters=}: svc: close time.busy=1.17ms time.idle=127µs\n',
  ])
  const json = made('INFO', 'json')
  json.log.for('svc::http').closed(SPAN, 2500, 0)
  const { fields: _, ...span } = { ...SPAN, method: 'GET', host: 'localhost:7700' }
  expect(JSON.parse(json.lines[0]!)).toEqual({
    timestamp: '2024-10-08T13:35:18.564152Z',
    level: 'INFO',
    fields: { message: 'close', duration_ms: 2500, 'time.busy': '2.50s', 'time.idle': '0.00µs' },
    target: 'svc::http',
    span: { ...span, query_parameters: '' },
    spans: [{ ...span, query_parameters: '' }],
  })
})

test('uses colours only for terminals', () => {
  const { log, lines } = made('INFO', 'human', true)
  log.error('no')
  expect(lines[0]).toContain('\u001b[31mERROR\u001b[0m')
  const json = made('INFO', 'json', true)
  json.log.error('no')
  expect(json.lines[0]).not.toContain('\u001b')
})

test.each([
  [0.0004, '0.40µs'],
  [0.12345, '123µs'],
  [1.2345, '1.23ms'],
  [12.345, '12.3ms'],
  [123.45, '123ms'],
  [61_234, '61.2s'],
])('shows %f ms as %s', (ms, text) => expect(durationText(ms)).toBe(text))

test('changes the level of each part', () => {
  const { log, lines } = made('INFO')
  const [http, engine] = [log.for('svc::http'), log.for('svc::engine')]
  const heard = (targets: string): string[] => {
    log.setTargets(targets)
    lines.length = 0
    for (const [name, one] of Object.entries({ svc: log, http, engine })) {
      one.error(name)
      one.info(name)
      one.trace(name)
    }
    return lines.map((line) => line.slice('2024-10-08T13:35:18.564152Z '.length, -1).trim())
  }
  expect(heard('OFF')).toEqual([])
  expect(heard('1')).toHaveLength(3)
  expect(heard('error,svc::http=TRACE')).toEqual([
    'ERROR svc: svc',
    'ERROR svc::http: http',
    'INFO svc::http: http',
    'TRACE svc::http: http',
    'ERROR svc::engine: engine',
  ])
  expect(heard('svc::engine')).toHaveLength(3)
  expect(heard('svc=info, svc::http=off')).toHaveLength(4)
  expect(heard(' ')).toEqual([])
})

test('a line for programs', () => {
  const { log, lines } = made('INFO', 'json')
  log.warn('so', { a: 1, b: 'x\ny' })
  expect(lines).toHaveLength(1)
  expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1)
  expect(JSON.parse(lines[0]!)).toEqual({
    timestamp: '2024-10-08T13:35:18.564152Z',
    level: 'WARN',
    fields: { message: 'so', a: 1, b: 'x\ny' },
    target: 'svc',
  })
})

describe('levels', () => {
  test.each([
    ['OFF', 0],
    ['ERROR', 1],
    ['WARN', 2],
    ['INFO', 3],
    ['DEBUG', 4],
    ['TRACE', 5],
  ] as const)('%s shows %i', (level, count) => {
    const { log, lines } = made(level)
    log.error('e')
    log.warn('w')
    log.info('i')
    log.debug('d')
    log.trace('t')
    expect(lines).toHaveLength(count)
    expect(log.shows('DEBUG')).toBe(count >= 4)
  })
})

test('an event is one line, with any content', () => {
  const { log, lines } = made('INFO')
  log.info('a\nb\u001b[31m', { path: '/x\r\n2024 ERROR' })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^[ -~]*\n$/)
})
