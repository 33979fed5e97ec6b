// The HTTP requests of the demo, over `fetch`.
import { setTimeout as sleep } from 'node:timers/promises'

export type SearchRequest = {
  readonly q?: string
  readonly filter?: string
  readonly sort?: readonly string[]
  readonly facets?: readonly string[]
  readonly distinct?: string
  readonly limit?: number
  readonly attributesToRetrieve?: readonly string[]
}

export type Hit = Readonly<Record<string, unknown>>

export type SearchAnswer = {
  readonly hits: readonly Hit[]
  readonly estimatedTotalHits?: number
  readonly totalHits?: number
  readonly processingTimeMs: number
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export type TaskState = {
  readonly uid: number
  readonly status: 'enqueued' | 'processing' | 'succeeded' | 'failed' | 'canceled'
  readonly error?: { readonly message: string } | null
}

/** Shown to the user without a stack. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
  constructor(
    message: string,
    /** There was no answer, or only part of one. */
    readonly isConnection = false,
  ) {
    super(message)
  }
}

const TASK_POLL_MS = 50
const REQUEST_LIMIT_MS = 120_000

export class Client {
  readonly #base: string

  /** `base`: the server's address without a slash at the end. */
  constructor(base: string) {
    this.#base = base
  }

  /** Returns false while there is no answer. */
  async isHealthy(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.#base}/health`, { signal: AbortSignal.timeout(2_000) })
      const { status } = (await answer.json()) as { status?: string }
      return answer.ok && status === 'available'
    } catch (error) {
      // Refused or cut connections while it starts; `fetch` reports both as a TypeError.
      if (error instanceof TypeError || isTimeout(error)) return false
      throw error
    }
  }

  /** Creates the index if it does not exist. Returns the number of the task. */
  async changeSettings(uid: string, settings: object): Promise<number> {
    return taskOf(await this.#send('PATCH', `/indexes/${uid}/settings`, JSON.stringify(settings)))
  }

  /** `lines`: documents as NDJSON. Returns the number of the task. */
  async addDocuments(uid: string, primaryKey: string, lines: string): Promise<number> {
    const path = `/indexes/${uid}/documents?primaryKey=${encodeURIComponent(primaryKey)}`
    return taskOf(await this.#send('POST', path, lines, 'application/x-ndjson'))
  }

  async search(uid: string, request: SearchRequest): Promise<SearchAnswer> {
    const answer = await this.#send('POST', `/indexes/${uid}/search`, JSON.stringify(request))
    return answer as SearchAnswer
  }

  /** Returns bytes on disk, as the server counts them. */
  async databaseBytes(): Promise<number> {
    const { databaseSize } = (await this.#send('GET', '/stats')) as { databaseSize: number }
    return databaseSize
  }

  async task(uid: number): Promise<TaskState> {
    return (await this.#send('GET', `/tasks/${uid}`)) as TaskState
  }

  /** Returns when documents and settings of `task` are active; throws if the task failed. */
  async finished(task: number, waiting: () => void = () => undefined): Promise<void> {
    for (;;) {
      const { status, error } = await this.task(task)
      if (status === 'succeeded') return
      if (status === 'failed' || status === 'canceled') {
        throw new DemoError(`Task ${task} ${status}: ${error?.message ?? 'no reason was given'}`)
      }
      waiting()
      await sleep(TASK_POLL_MS)
    }
  }

  async #send(method: string, path: string, body?: string, type?: string): Promise<unknown> {
    const { answer, text } = await this.#exchange(path, {
      method,
      ...(body === undefined
        ? {}
        : { body, headers: { 'Content-Type': type ?? 'application/json' } }),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    })
    if (!answer.ok) {
      throw new DemoError(
        `${method} ${path} was answered with ${answer.status}: ${messageOf(text)}`,
      )
    }
    return JSON.parse(text)
  }

  async #exchange(path: string, init: RequestInit): Promise<{ answer: Response; text: string }> {
    try {
      const answer = await fetch(this.#base + path, init)
      return { answer, text: await answer.text() }
    } catch (error) {
      if (!(error instanceof TypeError) && !isTimeout(error)) throw error
      const cause = (error.cause ?? error) as { message?: string }
      throw new DemoError(`${init.method} ${path} was not answered: ${cause.message}`, true)
    }
  }
}

const isTimeout = (error: unknown): error is DOMException =>
  error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError')

function taskOf(answer: unknown): number {
  const { taskUid } = answer as { taskUid?: unknown }
  if (typeof taskUid !== 'number') throw new DemoError('The server did not name a task.')
  return taskUid
}

/** Returns the `message` of an error body, or the beginning of any other text. */
function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return text.slice(0, 200)
}
