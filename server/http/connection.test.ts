// The state of a connection: turns of pipelined requests, and when errors may be written.
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  canWriteError,
  connectionOf,
  endTurn,
  hasRequest,
  isWaiting,
  signalOf,
  takeTurn,
} from './connection.ts'
import { PROBE_MS, PROBES_MAX } from './messages/limits.ts'

class FakeSocket extends EventEmitter {
  destroyed = false
  close(): void {
    this.destroyed = true
    this.emit('close')
  }
}
const newSocket = (): Socket & FakeSocket => new FakeSocket() as unknown as Socket & FakeSocket

type Parts = {
  httpVersionMajor?: number
  httpVersionMinor?: number
  complete?: boolean
  headersSent?: boolean
}

const responseOf = ({
  httpVersionMajor = 1,
  httpVersionMinor = 1,
  complete = true,
  headersSent = false,
}: Parts = {}) =>
  Object.assign(new EventEmitter(), {
    req: { httpVersionMajor, httpVersionMinor, complete },
    headersSent,
    closed: false,
  }) as unknown as ServerResponse

/** Takes turns for responses on a socket; `begun` has the numbers of those that have begun. */
function scene(parts: readonly Parts[]) {
  const socket = newSocket()
  const connection = connectionOf(socket)
  const begun: number[] = []
  const responses = parts.map(responseOf)
  for (const [i, response] of responses.entries()) {
    takeTurn(connection, response, () => begun.push(i))
  }
  const end = (i: number): void => endTurn(socket, connection, responses[i]!)
  return { socket, connection, begun, responses, end }
}

test('a pipelined request begins when the answer before it has left', () => {
  const { socket, connection, begun, responses, end } = scene([{}, {}, {}])
  expect([begun, connection.open, connection.current]).toEqual([[0], 3, responses[0]])
  end(0)
  expect([begun, connection.open]).toEqual([[0], 2])
  responses[0]!.emit('close')
  expect([begun, connection.current]).toEqual([[0, 1], responses[1]])
  Object.assign(responses[1]!, { closed: true })
  end(1)
  expect([begun, connection.current, connection.ahead]).toEqual([[0, 1, 2], responses[2], []])
  end(2)
  expect([connection.open, connection.current, hasRequest(socket)]).toEqual([0, null, false])
})

test('streams of HTTP/2 begin at once, and end in any order', () => {
  const { connection, begun, end } = scene([{ httpVersionMajor: 2 }, { httpVersionMajor: 2 }])
  expect([begun, connection.open, connection.current]).toEqual([[0, 1], 2, null])
  end(1)
  end(0)
  expect(connection.open).toBe(0)
})

test.each([true, false])('no request begins on a socket that has closed: early %s', (isEarly) => {
  const { socket, connection, begun, responses, end } = scene([{}, {}, {}])
  if (isEarly) socket.close()
  end(0)
  if (!isEarly) {
    socket.close()
    responses[0]!.emit('close')
  }
  expect([begun, connection.open, connection.ahead, connection.current]).toEqual([[0], 0, [], null])
})

test('a client that waits for an answer is not silent', () => {
  const socket = newSocket()
  expect([isWaiting(socket), hasRequest(socket), canWriteError(socket)]).toEqual([
    false,
    false,
    true,
  ])
  const connection = connectionOf(socket)
  expect(connectionOf(socket)).toBe(connection)
  expect([isWaiting(socket), canWriteError(socket)]).toEqual([false, true])
  takeTurn(connection, responseOf(), () => undefined)
  expect([isWaiting(socket), hasRequest(socket)]).toEqual([true, true])
  connection.reading = 1
  expect([isWaiting(socket), hasRequest(socket)]).toEqual([false, true])
  connection.open = 2
  expect(isWaiting(socket)).toBe(true)
})

test.each([
  [{ complete: true }, false],
  [{ complete: false }, true],
  [{ complete: false, headersSent: true }, false],
  [{ complete: false, httpVersionMajor: 2 }, false],
])('an error may be written for the request %o: %s', (parts, isAllowed) => {
  expect(canWriteError(scene([parts]).socket)).toBe(isAllowed)
})

test('the signal fires when the connection closes, also if it has closed before', () => {
  const socket = newSocket()
  const connection = connectionOf(socket)
  const signal = signalOf(socket, connection)
  expect([signal.aborted, signalOf(socket, connection) === signal]).toEqual([false, true])
  socket.close()
  expect(signal.aborted).toBe(true)
  const closed = newSocket()
  closed.close()
  expect(signalOf(closed, connectionOf(closed)).aborted).toBe(true)
})

describe('a client that has closed its half', () => {
  afterEach(() => void vi.useRealTimers())

  function probed(parts: Parts) {
    vi.useFakeTimers()
    const { socket, connection, responses } = scene([parts])
    let probes = 0
    Object.assign(responses[0]!, { writeProcessing: () => void probes++ })
    socket.emit('end')
    return { socket, connection, probes: () => probes }
  }

  test.each([
    [{}, PROBES_MAX],
    [{ httpVersionMinor: 0 }, 0],
    [{ headersSent: true }, 0],
  ])('is probed for a while if the request %o has no answer: %i times', (parts, times) => {
    const { probes } = probed(parts)
    vi.advanceTimersByTime(PROBE_MS - 1)
    expect(probes()).toBe(0)
    vi.advanceTimersByTime(1)
    expect(probes()).toBe(Math.min(1, times))
    vi.advanceTimersByTime(2 * PROBES_MAX * PROBE_MS)
    expect([probes(), vi.getTimerCount()]).toEqual([times, 0])
  })

  test.each(['answered', 'closed'])('is probed no more when it is %s', (how) => {
    const { socket, connection, probes } = probed({})
    vi.advanceTimersByTime(PROBE_MS)
    if (how === 'answered') {
      connection.open = 0
      connection.current = null
    } else socket.close()
    vi.advanceTimersByTime(PROBE_MS)
    expect(vi.getTimerCount()).toBe(0)
    expect(probes()).toBeLessThanOrEqual(2)
  })

  test('without a request is not probed', () => {
    vi.useFakeTimers()
    const socket = newSocket()
    connectionOf(socket)
    socket.emit('end')
    expect(vi.getTimerCount()).toBe(0)
  })
})
