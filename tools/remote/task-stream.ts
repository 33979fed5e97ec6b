// The stream of tasks of a server, read in the background: server-sent events whose data is a task.
import { TransportFault } from '../../engine/backup.ts'
import { MiB } from '../../format/bytes/index.ts'
import { isValid } from '../../format/schema/index.ts'
import { streamingCaller } from '../../server/outbound/index.ts'
import { addressOf, type Instance } from './ask.ts'
import { type RemoteTask, TASK } from './remote-task.ts'

/** The server sends something every 15 s. */
const SILENCE_MS = 60_000
/** Characters of one event: a task with settings that hold hundreds of thousands of synonyms. */
const EVENT_LENGTH_MAX = 64 * MiB

type Waiting = {
  readonly accepts: (task: RemoteTask) => boolean
  readonly resolve: (task: RemoteTask | null) => void
}

export class TaskStream {
  readonly #control = new AbortController()
  readonly #latest = new Map<number, RemoteTask>()
  #waiting: Waiting | null = null
  #isOpen = false

  readonly #wanted: ReadonlySet<number>

  private constructor(wanted: ReadonlySet<number>) {
    this.#wanted = wanted
  }

  /**
   * Opens the stream for the wanted tasks. One that the server refuses, or does not have, has ended
   * already.
   */
  static async open({ url, apiKey }: Instance, wanted: ReadonlySet<number>): Promise<TaskStream> {
    const stream = new TaskStream(wanted)
    const { signal } = stream.#control
    try {
      const answer = await streamingCaller(
        'any',
        SILENCE_MS,
        false,
      )({
        method: 'GET',
        url: addressOf(url, '/tasks/stream'),
        headers: {
          accept: 'text/event-stream',
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: null,
        signal,
      })
      stream.#isOpen = answer.status === 200
      if (stream.#isOpen) void stream.#read(answer.body)
      else stream.close()
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error
    }
    return stream
  }

  /** Returns the task as it was last sent, or null. */
  latest(uid: number): RemoteTask | null {
    return this.#latest.get(uid) ?? null
  }

  /** Resolves to the next task that `accepts` accepts, or to null when the stream has ended. */
  until(accepts: Waiting['accepts']): Promise<RemoteTask | null> {
    if (!this.#isOpen) return Promise.resolve(null)
    for (const task of this.#latest.values()) if (accepts(task)) return Promise.resolve(task)
    return new Promise((resolve) => {
      this.#waiting = { accepts, resolve }
    })
  }

  close(): void {
    this.#control.abort()
    this.#end()
  }

  /** Never rejects: a stream that fails has ended. */
  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const bytes of body) {
        const blocks = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
        text = blocks.pop()!
        for (const block of blocks) this.#take(block)
        if (text.length > EVENT_LENGTH_MAX) return
      }
    } catch (error) {
      if (!this.#control.signal.aborted && !(error instanceof TransportFault)) throw error
    } finally {
      this.close()
    }
  }

  #take(block: string): void {
    const task = block.startsWith('data: ') ? jsonOf(block.slice('data: '.length)) : null
    if (!isValid(TASK, task) || !this.#wanted.has(task.uid)) return
    this.#latest.set(task.uid, task)
    if (this.#waiting?.accepts(task) !== true) return
    this.#waiting.resolve(task)
    this.#waiting = null
  }

  #end(): void {
    this.#isOpen = false
    this.#waiting?.resolve(null)
    this.#waiting = null
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
