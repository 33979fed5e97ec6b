// Threads from their owner's side: messages in both directions, errors as plain data, and one
// report of a thread's end. Small programs replace the real ones.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { EngineFault, fromWire, StorageError, toWire } from '../model/index.ts'
import { later } from '../time/later.ts'
import { Thread, type ThreadOptions } from './thread.ts'

const PROGRAM = `
import { parentPort, workerData } from 'node:worker_threads'
const wire = (code) => ({ family: 'fault', code, message: 'as the thread said', path: '' })
parentPort.on('message', (message) => {
  switch (message.do) {
    case 'echo': parentPort.postMessage({ said: message.text, given: workerData.given }); break
    case 'measure': parentPort.postMessage({ bytes: message.bytes.length, first: message.bytes[0] }); break
    case 'fail': parentPort.postMessage({ error: wire('index_not_found') }); break
    case 'throw': throw new RangeError('out of the thread')
    case 'reject': Promise.reject(new TypeError('nobody waits')); break
    case 'exit': process.exit(message.code); break
    case 'spin': for (;;) {}
    case 'grow': { const kept = []; for (;;) kept.push(new Array(100000).fill(kept.length)) }
  }
})
`

type Message = { readonly do: string; readonly [member: string]: unknown }
type Reply = { readonly [member: string]: unknown }

const folder = mkdtempSync(join(tmpdir(), 'svc-threads-'))
const file = pathToFileURL(join(folder, 'program.mjs'))
beforeAll(() => writeFileSync(file, PROGRAM))
const open: Thread<Message, Reply>[] = []
afterEach(async () => {
  for (const thread of open.splice(0)) await thread.stop()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A thread with its replies and its number of crashes. */
class Watched {
  readonly thread: Thread<Message, Reply>
  readonly replies: Reply[] = []
  readonly crashes: Error[] = []
  #wake: () => void = () => undefined

  constructor(options: Partial<ThreadOptions<Message, Reply>> = {}) {
    this.thread = new Thread<Message, Reply>({
      file,
      name: 'test',
      data: { given: 'at the start' },
      heapMegabytes: null,
      onMessage: (reply) => {
        this.replies.push(reply)
        this.#wake()
      },
      onCrash: (error) => {
        this.crashes.push(error)
        this.#wake()
      },
      ...options,
    })
    open.push(this.thread)
  }

  /** Resolves when this many replies and crashes have arrived. */
  async until(count: number): Promise<void> {
    while (this.replies.length + this.crashes.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** Long enough for a wrong second report of the same end to arrive. */
const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))

describe('a thread', () => {
  it('answers in order and receives its start data', async () => {
    const { thread, replies, until } = watched()
    thread.post({ do: 'echo', text: 'one' })
    thread.post({ do: 'echo', text: 'two' })
    await until(2)
    expect(replies).toEqual([
      { said: 'one', given: 'at the start' },
      { said: 'two', given: 'at the start' },
    ])
  })

  it('transfers memory instead of copying it', async () => {
    const { thread, replies, until } = watched()
    const bytes = new Uint8Array(100).fill(7)
    thread.post({ do: 'measure', bytes }, [bytes.buffer])
    expect(bytes.length).toBe(0)
    await until(1)
    expect(replies).toEqual([{ bytes: 100, first: 7 }])
  })

  it('ends immediately when it is stopped, without a crash report', async () => {
    const { thread, crashes, until } = watched()
    thread.post({ do: 'echo', text: 'awake' })
    await until(1)
    thread.post({ do: 'spin' })
    await thread.stop()
    await moment()
    expect(crashes).toEqual([])
    thread.post({ do: 'echo', text: 'nobody hears' })
  })
})

describe('a thread that dies', () => {
  it.each([
    ['throws', { do: 'throw' }, 'out of the thread'],
    ['has a rejection nobody waits for', { do: 'reject' }, 'nobody waits'],
    ['exits', { do: 'exit', code: 3 }, 'the thread test ended with code 3'],
    ['exits as if all was well', { do: 'exit', code: 0 }, 'the thread test ended with code 0'],
  ])('is told once: it %s', async (_, message, text) => {
    const { thread, crashes, replies, until } = watched()
    thread.post(message)
    await until(1)
    await moment()
    expect(crashes.map((error) => error.message)).toEqual([text])
    thread.post({ do: 'echo', text: 'nobody hears' })
    expect(replies).toEqual([])
  })

  it('is reported if its heap is full', async () => {
    const { thread, crashes, until } = watched({ heapMegabytes: 16 })
    thread.post({ do: 'grow' })
    await until(1)
    await moment()
    expect(crashes.map((error) => (error as NodeJS.ErrnoException).code)).toEqual([
      'ERR_WORKER_OUT_OF_MEMORY',
    ])
  })

  it('is reported if its file does not exist', async () => {
    const { crashes, until } = watched({ file: new URL('nothing.mjs', file) })
    await until(1)
    expect(crashes).toHaveLength(1)
  })

  it('can still be stopped', async () => {
    const { thread, until } = watched()
    thread.post({ do: 'throw' })
    await until(1)
    await thread.stop()
    await thread.stop()
  })
})

describe('errors that cross threads', () => {
  it('keep their class', async () => {
    const { thread, replies, until } = watched()
    thread.post({ do: 'fail' })
    await until(1)
    const error = fromWire(replies[0]!['error'] as Parameters<typeof fromWire>[0])
    expect(error).toBeInstanceOf(EngineFault)
    expect(error).toMatchObject({ code: 'index_not_found', message: 'as the thread said' })
  })

  it.each([
    new EngineFault('invalid_document_id', 'The id is wrong.'),
    new EngineFault('remote_bad_response', 'It is damaged.', {
      kind: 'answer',
      at: 3,
      lacksScores: false,
    }),
    new StorageError('no_space', 'segments/000001.docs', 'No space is left.'),
  ])('%s survives being cloned', (error) => {
    const back = fromWire(structuredClone(toWire(error)))
    expect(back).toBeInstanceOf(error.constructor)
    expect({ ...back, message: back.message }).toEqual({ ...error, message: error.message })
  })

  it('an internal error keeps its stack', () => {
    const error = new TypeError('undefined is not a function')
    expect(fromWire(toWire(error)).message).toContain('threads.test.ts')
    expect(fromWire(toWire('a text')).message).toBe('a text')
  })
})

describe('later', () => {
  it('does the work once for many calls, and again for later calls', () => {
    vi.useFakeTimers()
    try {
      let done = 0
      const work = later(100, () => done++)
      work()
      vi.advanceTimersByTime(60)
      work()
      vi.advanceTimersByTime(39)
      expect(done).toBe(0)
      vi.advanceTimersByTime(1)
      expect(done).toBe(1)
      vi.advanceTimersByTime(1000)
      expect(done).toBe(1)
      work()
      vi.advanceTimersByTime(100)
      expect(done).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })
})

function watched(options: Partial<ThreadOptions<Message, Reply>> = {}) {
  const all = new Watched(options)
  const { thread, replies, crashes } = all
  return { thread, replies, crashes, until: (count: number) => all.until(count) }
}
