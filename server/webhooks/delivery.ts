// Notifies webhooks of finished tasks: one body of newline-delimited JSON per batch, compressed
// once, sent once to each webhook, in the order of the batches. Nothing waits for it; a webhook
// that is slow or down delays neither the queue nor other webhooks, and loses the bodies that
// exceed its limit.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { Send, Webhook } from '../../engine/index.ts'
import type { TaskUid, Uuid } from '../../format/ids.ts'
import { FailureLog, problemOf } from './failures.ts'
import {
  DELIVERY_TIMEOUT_MS,
  STOP_TIMEOUT_MS,
  TASKS_AT_A_TIME,
  WAITING_BYTES_MAX,
} from './limits.ts'

export type DeliveryOptions = {
  readonly send: Send
  /** The current webhooks. */
  readonly webhooks: () => readonly Webhook[]
  /** Returns a task as shown to clients, or null if it was deleted. */
  readonly view: (uid: TaskUid) => Promise<unknown>
  readonly report: (message: string) => void
  /** Called for each failed delivery, including those without a line in the log. */
  readonly failed?: (uuid: Uuid) => void
  readonly waitingBytesMax?: number
  /** Milliseconds since any fixed moment; default: the clock of the process. */
  readonly now?: () => number
}

type Line = { readonly waiting: Uint8Array[]; bytes: number; running: Promise<void> | null }

export class Delivery {
  readonly #options: DeliveryOptions
  readonly #lines = new Map<Uuid, Line>()
  readonly #controller = new AbortController()
  readonly #failures: FailureLog
  #isStopping = false
  /** Bodies are built one after another, so batches stay in order and memory holds only one. */
  #making: Promise<void> = Promise.resolve()

  constructor(options: DeliveryOptions) {
    this.#options = options
    const { report, now = () => performance.now() } = options
    this.#failures = new FailureLog({ report, now })
  }

  /** Announces the finished tasks of a batch. */
  announce(tasks: Iterable<TaskUid>): void {
    if (this.#isStopping || this.#options.webhooks().length === 0) return
    const uids = [...tasks]
    this.#making = this.#making.then(() => this.#announce(uids)).catch(this.#lost)
  }

  /** Gives deliveries in progress a moment, then cancels them. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const timer = setTimeout(() => this.#controller.abort(), STOP_TIMEOUT_MS)
    await this.idle()
    clearTimeout(timer)
  }

  /** Resolves when nothing is left to send. */
  async idle(): Promise<void> {
    await this.#making
    for (const { running } of this.#lines.values()) await running
  }

  readonly #lost = (error: unknown): void => {
    this.#options.report(`The tasks of a batch were not sent to webhooks: ${String(error)}`)
  }

  async #announce(uids: readonly TaskUid[]): Promise<void> {
    const body = await this.#body(uids)
    const webhooks = this.#options.webhooks()
    for (const webhook of webhooks) this.#queue(webhook, body)
    const known = new Set(webhooks.map(({ uuid }) => uuid))
    this.#failures.dropOthers(known)
    for (const [uuid, { running }] of this.#lines) {
      if (!known.has(uuid) && running === null) this.#lines.delete(uuid)
    }
  }

  /** Compressed while it is built: there may be lines of a million tasks. */
  async #body(uids: readonly TaskUid[]): Promise<Uint8Array> {
    const packed: Uint8Array[] = []
    await pipeline(Readable.from(this.#linesOf(uids)), createGzip(), async (source) => {
      for await (const chunk of source as AsyncIterable<Uint8Array>) packed.push(chunk)
    })
    return new Uint8Array(Buffer.concat(packed))
  }

  async *#linesOf(uids: readonly TaskUid[]): AsyncGenerator<Uint8Array> {
    let lines = ''
    for (const [i, uid] of uids.entries()) {
      const view = await this.#options.view(uid)
      if (view !== null) lines += `${JSON.stringify(view)}\n`
      if (i % TASKS_AT_A_TIME !== TASKS_AT_A_TIME - 1) continue
      await nextTurn()
      yield Buffer.from(lines)
      lines = ''
    }
    yield Buffer.from(lines)
  }

  #queue(webhook: Webhook, body: Uint8Array): void {
    const { uuid } = webhook
    const line = this.#lines.get(uuid) ?? { waiting: [], bytes: 0, running: null }
    this.#lines.set(uuid, line)
    line.waiting.push(body)
    line.bytes += body.length
    const { waitingBytesMax = WAITING_BYTES_MAX } = this.#options
    while (line.bytes > waitingBytesMax && line.waiting.length > 1) {
      line.bytes -= line.waiting.shift()!.length
      this.#failed(webhook, 'it is too slow, so the tasks of a batch were dropped')
    }
    line.running ??= this.#work(webhook, line).finally(() => {
      line.running = null
    })
  }

  async #work(webhook: Webhook, line: Line): Promise<void> {
    for (let body = line.waiting.shift(); body !== undefined; body = line.waiting.shift()) {
      line.bytes -= body.length
      const problem = await this.#deliver(webhook.uuid, body)
      if (problem !== null) this.#failed(webhook, problem)
    }
  }

  #failed(webhook: Webhook, problem: string): void {
    this.#failures.add(webhook, problem)
    this.#options.failed?.(webhook.uuid)
  }

  /** Returns the problem, or null after success or if the webhook no longer exists. */
  async #deliver(uuid: Uuid, body: Uint8Array): Promise<string | null> {
    const { send, webhooks } = this.#options
    // The webhook may have changed or been deleted since the body was built.
    const webhook = webhooks().find((one) => one.uuid === uuid)
    const { signal } = this.#controller
    if (webhook === undefined || signal.aborted) return null
    const { url } = webhook
    const headers = headersOf(webhook)
    const times = { timeoutMs: DELIVERY_TIMEOUT_MS, totalMs: DELIVERY_TIMEOUT_MS }
    try {
      const { status } = await send({ method: 'POST', url, headers, body, signal, ...times })
      return status >= 200 && status < 300 ? null : `it answered with status ${status}`
    } catch (error) {
      // Unreachable, not allowed, invalid address or header, canceled.
      return problemOf(error)
    }
  }
}

function headersOf({ headers }: Webhook): { readonly [name: string]: string } {
  const all: { [name: string]: string } = {}
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding')) {
    all['accept-encoding'] = 'gzip'
  }
  for (const [name, value] of Object.entries(headers)) {
    // Webhooks cannot override the headers that frame the body.
    if (/^(?:content-length|content-encoding|content-type|transfer-encoding)$/i.test(name)) continue
    all[name] = value
  }
  all['content-type'] = 'application/x-ndjson'
  all['content-encoding'] = 'gzip'
  all['transfer-encoding'] = 'chunked'
  return all
}
