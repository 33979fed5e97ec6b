// The parts of a simulation: its clock, the lines between instances, HTTP without sockets, the
// history of documents, and the object store.
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { randomOf } from '../../../engine/store/storage/index.ts'
import { Clock, type Owner, ownerOf } from './clock.ts'
import { History } from './history.ts'
import { type Process, type Served, Simulated } from './instance.ts'
import { type LineFault, type LineState, Lines, type Target } from './lines.ts'
import { SimulatedStore } from './store.ts'
import { Trace } from './trace.ts'
import { Listening, type WireAnswer, type WireRequest } from './wire.ts'

const CLIENT = 'client'
const LIMITS = { connectMs: 300, totalMs: 1000, signal: null }

/** Moves the clock until the work has ended; a rejection is returned. */
async function ended<T>(clock: Clock, work: Promise<T>): Promise<T | LineFault> {
  let outcome: { readonly is: T | LineFault } | null = null
  work.then(
    (is) => {
      outcome = { is }
    },
    (is) => {
      outcome = { is }
    },
  )
  await clock.settle()
  while (outcome === null && (await clock.step()) !== null);
  return outcome!.is
}

describe('the clock', () => {
  const clockOf = () => {
    const clock = new Clock(ownerOf(CLIENT))
    const seen: string[] = []
    const note = (ms: number, word: string, owner = clock.current) =>
      clock.after(ms, () => seen.push(`${clock.now} ${word}`), owner)
    const run = async (): Promise<void> => {
      while ((await clock.step()) !== null);
    }
    return { clock, seen, note, run }
  }

  test('runs timers by time, then by the order in which they were set', async () => {
    const { seen, note, run } = clockOf()
    for (const [ms, word] of [
      [30, 'd'],
      [10, 'a'],
      [20, 'b'],
      [20, 'c'],
    ] as const)
      note(ms, word)
    await run()
    expect(seen).toEqual(['10 a', '20 b', '20 c', '30 d'])
  })

  test('repeats an interval until it is cleared', async () => {
    const { clock, seen, run } = clockOf()
    const timer = clock.after(
      5,
      () => {
        seen.push(`${clock.now}`)
        if (clock.now === 15) timer.isSet = false
      },
      clock.current,
      5,
    )
    await run()
    expect(seen).toEqual(['5', '10', '15'])
  })

  test('keeps the timers of an owner that is stopped, and drops those of one that has ended', async () => {
    const { clock, seen, note, run } = clockOf()
    const [stopped, killed] = [ownerOf('stopped'), ownerOf('killed')]
    stopped.held = []
    killed.isAlive = false
    note(10, 'stopped', stopped)
    note(10, 'killed', killed)
    clock.after(50, () => clock.resume(stopped))
    await run()
    expect(seen).toEqual(['50 stopped'])
  })

  test('waits for work on other threads, which ends in the order of its beginning', async () => {
    const { clock, seen } = clockOf()
    const [first, second] = [clock.outside(), clock.outside()]
    second(() => seen.push('second'))
    setTimeout(() => first(() => seen.push('first')), 5)
    await clock.settle()
    expect(seen).toEqual(['first', 'second'])
  })

  test('waits for slow work on other threads, but not for a loop', async () => {
    const { clock, seen } = clockOf()
    const done = clock.outside()
    let turns = 0
    const work = (): void => {
      if (turns++ < 250_000) setImmediate(work)
      else done(() => clock.immediately(() => seen.push('done')))
    }
    work()
    await clock.settle()
    expect(seen).toEqual(['done'])
    const again = (): void => clock.immediately(again)
    again()
    await expect(clock.settle()).rejects.toThrow('the simulation is caught in a loop')
  })
})

describe('a line', () => {
  function lineOf(weather = {}) {
    const clock = new Clock(ownerOf(CLIENT))
    const lines = new Lines(clock, randomOf(1), new Trace())
    lines.weather = { ...lines.weather, ...weather }
    let arrived = 0
    const target: Target = {
      name: 'a',
      owner: ownerOf('a'),
      sends: true,
      refuses: true,
      accept: (_, answered) => {
        arrived++
        answered({ status: 200, headers: {}, body: Buffer.from('yes') })
        return () => undefined
      },
    }
    const ask = async (method = 'GET', from = CLIENT) => {
      const request = { method, path: '/', host: 'a', headers: {}, body: null }
      const answer = await ended(clock, lines.call(from, target, request, LIMITS))
      while ((await clock.step()) !== null);
      return 'status' in answer ? answer.status : answer.code
    }
    return { lines, ask, arrived: () => arrived }
  }

  test.each<readonly [LineState, number | string, number]>([
    ['open', 200, 1],
    ['refused', 'ECONNREFUSED', 0],
    ['silent', 'connect', 0],
    ['halfOpen', 'ETIMEDOUT', 1],
  ])('that is %s: %s', async (state, outcome, requests) => {
    const { lines, ask, arrived } = lineOf()
    lines.set(CLIENT, 'a', state)
    expect([await ask(), arrived()]).toEqual([outcome, requests])
    lines.heal()
    expect(await ask()).toBe(200)
  })

  test('loses the answer if only the way back is cut', async () => {
    const { lines, ask, arrived } = lineOf()
    lines.set('a', CLIENT, 'silent')
    expect([await ask(), arrived()]).toEqual(['ETIMEDOUT', 1])
  })

  test('repeats what may be repeated, and answers 429 to other instances only', async () => {
    const repeated = lineOf({ repeated: 1000 })
    await repeated.ask('GET', 'b')
    expect(repeated.arrived()).toBe(2)
    await repeated.ask('POST', 'b')
    expect(repeated.arrived()).toBe(3)
    const busy = lineOf({ busy: 1000 })
    expect([await busy.ask('GET', 'b'), await busy.ask(), busy.arrived()]).toEqual([429, 200, 1])
  })
})

describe('HTTP without sockets', () => {
  const request: WireRequest = {
    method: 'PUT',
    path: '/x',
    host: 'a',
    headers: {},
    body: Buffer.from('abc'),
  }
  const answerOf = (server: Listening): Promise<WireAnswer | null> =>
    new Promise((resolve) => server.accept(request, resolve))

  test('passes a body there and chunks back', async () => {
    const server = createServer(async (sent, answer) => {
      for await (const chunk of sent) answer.write(`${sent.method} ${sent.url} ${chunk}`)
      answer.end('.')
    })
    const answer = await answerOf(new Listening(server))
    expect([answer?.status, answer?.body.toString()]).toEqual([200, 'PUT /x abc.'])
  })

  test('has no answer where the connection ends in the middle of one', async () => {
    const server = createServer((_, answer) => {
      answer.writeHead(200, { 'content-length': 10 })
      answer.write('half')
      setImmediate(() => answer.destroy())
    })
    expect(await answerOf(new Listening(server))).toBe(null)
  })
})

describe('the history', () => {
  const historyOf = () => {
    const history = new History()
    const index = 'a'
    history.sent({ index, kind: 'write', ids: [1], version: 5 })
    history.sent({ index, kind: 'delete', ids: [1], version: 6 })
    history.sent({ index, kind: 'write', ids: [1], version: 7 })
    return (version: number | null, reader = 'r') => history.read(reader, index, 1, version)
  }

  test('accepts later states, for each reader alone', () => {
    const read = historyOf()
    expect([null, 5, 5, null, 7].map((version) => read(version))).toEqual(Array(5).fill(null))
    expect(read(5, 'another')).toBe(null)
  })

  test('names an older state, a deletion that is undone, and one that was never written', () => {
    const read = historyOf()
    read(7)
    expect(read(5)).toMatch('r reads version 5 of a/1 after 7')
    expect(read(null)).toMatch('version null')
    expect(read(9, 'another')).toMatch('version 9')
  })

  test('expects of a reader that knows a write that it sees it', () => {
    const history = new History()
    for (const version of [1, 2]) history.sent({ index: 'a', kind: 'write', ids: [1], version })
    history.saw('r', 'a', 1, 2)
    expect(history.read('r', 'a', 1, 1)).toMatch('version 1')
    expect(history.read('r', 'a', 1, 2)).toBe(null)
    history.forget('r')
    expect(history.read('r', 'a', 1, 1)).toBe(null)
  })
})

describe('a process', () => {
  const request = { method: 'GET', path: '/', host: 'b', headers: {}, body: null }
  const target: Target = {
    name: 'b',
    owner: ownerOf('b'),
    sends: true,
    refuses: true,
    accept: (_, answered) => {
      answered({ status: 200, headers: {}, body: Buffer.from('yes') })
      return () => undefined
    },
  }

  /** An instance that serves nothing; its processes are kept. */
  function instanceOf() {
    const clients = ownerOf(CLIENT)
    const clock = new Clock(clients)
    const trace = new Trace()
    const processes: (Process & { readonly owner: Owner })[] = []
    const instance = new Simulated('a', {
      clock,
      trace,
      lines: new Lines(clock, randomOf(1), trace),
      random: randomOf(2),
      tamper: () => ({}),
      targetOf: () => target,
      problem: (text) => expect.fail(text),
      serve: (process) => {
        processes.push({ ...process, owner: clock.current })
        return Promise.resolve({} as Served)
      },
    })
    const start = async () => {
      await ended(clock, instance.start())
      return processes.at(-1)!
    }
    return { clients, clock, instance, start }
  }

  test('sends nothing once it has ended, and the next one of its instance does', async () => {
    const { clock, instance, start } = instanceOf()
    const first = await start()
    instance.kill()
    const second = await start()
    let answers = 0
    for (const { line } of [first, second]) void line(target, request, LIMITS).then(() => answers++)
    while ((await clock.step()) !== null);
    expect(answers).toBe(1)
  })

  test('that ends does not go on with the failure of its request', async () => {
    const { clock, instance, start } = instanceOf()
    const { line } = await start()
    const away = { ...target, owner: null, refuses: false }
    let failures = 0
    void line(away, request, LIMITS).catch(() => failures++)
    instance.kill()
    while ((await clock.step()) !== null);
    expect(failures).toBe(0)
  })

  test('that is stopped is not stopped again', async () => {
    const { clients, clock, instance, start } = instanceOf()
    const { owner } = await start()
    const seen: number[] = []
    clock.after(5, () => seen.push(clock.now), owner)
    void instance.pause(100)
    clock.after(50, () => void instance.pause(200), clients)
    while ((await clock.step()) !== null);
    expect(seen).toEqual([100])
  })
})

describe('the object store', () => {
  function storeOf(trouble = {}) {
    const clock = new Clock(ownerOf(CLIENT))
    const lines = new Lines(clock, randomOf(2), new Trace())
    const store = new SimulatedStore(clock, randomOf(1))
    store.trouble = { ...store.trouble, ...trouble }
    const send = store.transport((...sent) => lines.call('a', ...sent))
    const get = async (): Promise<unknown> => {
      const sent = {
        method: 'GET',
        url: 'http://store:9000/bucket/x',
        headers: {},
        body: null,
        signal: null,
      }
      const read = async (): Promise<unknown> => {
        const { status, body } = await send(sent as never)
        const chunks: Uint8Array[] = []
        for await (const chunk of body) chunks.push(chunk)
        return [status, Buffer.concat(chunks).toString()]
      }
      return ended(clock, read())
    }
    return get
  }

  test('checks signatures', async () => {
    expect(await storeOf()()).toEqual([403, expect.stringContaining('<Code>')])
  })

  test('is busy, fails after it has worked, or cuts an object', async () => {
    expect(await storeOf({ busy: 1000 })()).toEqual([503, expect.stringContaining('SlowDown')])
    expect(await storeOf({ failed: 1000 })()).toEqual([500, expect.stringContaining('InternalErr')])
    expect(await storeOf({ cut: 1000 })()).toMatchObject({ mayRetry: true })
  })
})
