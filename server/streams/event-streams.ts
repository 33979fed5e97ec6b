// All streams of tasks and batches. An event is written as JSON once, and encoded once for each
// group of listeners with the same rights; without listeners the engine reports nothing.
import type { Engine, FeedEvent, FeedFollower } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import type { Caller, Reply } from '../http/messages/index.ts'
import {
  CHECK_MS,
  GROUP_BYTES,
  GROUP_MS_MIN,
  KEEP_ALIVE_MS,
  LISTENERS_MAX,
  LISTENERS_SHARE_MAX,
  WRITES_PER_SECOND_MAX,
} from './limits.ts'
import { Listener } from './listener.ts'

type StreamKind = FeedEvent['kind']

/** A comment, which clients skip. */
const KEEP_ALIVE = ':\n\n'

/** Listeners that see the same events. */
type Audience = {
  readonly kind: StreamKind
  readonly visible: Caller['visible']
  readonly listeners: Set<Listener>
  /** Events that have not been sent, and their length in UTF-16 units. */
  events: string[]
  length: number
}

type Options = {
  readonly tasks: Pick<Engine['tasks'], 'follow'>
  /** Returns the public form of a task or batch, as its own route shows it. */
  readonly show: (event: FeedEvent) => unknown
  /** Whether the feature is on. */
  readonly isOn: () => boolean
  /** Number of connections that the server may have. */
  readonly connectionsMax: number
}

export class EventStreams {
  readonly #options: Options
  readonly #listenersMax: number
  #audiences: Audience[] = []
  #count = 0
  /** When events, or keep-alives, were last sent. */
  #sentAt = 0
  #sending: NodeJS.Timeout | null = null
  #checking: NodeJS.Timeout | null = null

  constructor(options: Options) {
    this.#options = options
    const share = Math.floor(options.connectionsMax * LISTENERS_SHARE_MAX)
    this.#listenersMax = Math.min(LISTENERS_MAX, share)
  }

  /** Returns a stream of what happens from now on. @throws ApiError too_many_streams */
  open(kind: StreamKind, { visible, isValid }: Caller): Reply {
    if (this.#count >= this.#listenersMax) {
      const words = `${this.#count} streams are open, which is the limit.`
      throw new ApiError('too_many_streams', `${words} Close one, or try again later.`)
    }
    if (this.#count++ === 0) this.#begin()
    const audience = this.#audienceOf(kind, visible)
    let isOpen = true
    const listener = new Listener(isValid, () => {
      if (isOpen) this.#closed(audience, listener)
      isOpen = false
    })
    audience.listeners.add(listener)
    return {
      status: 200,
      contentType: 'text/event-stream; charset=utf-8',
      // Proxies must pass events on as they come, and neither keep nor compress them.
      headers: ['Cache-Control', 'no-cache, no-transform', 'X-Accel-Buffering', 'no'],
      pieces: listener,
      disconnect: listener.disconnect,
      filler: KEEP_ALIVE,
    }
  }

  /** Ends all streams after their waiting events. */
  end(): void {
    this.#send()
    for (const { listeners } of this.#audiences) for (const listener of listeners) listener.end()
  }

  #audienceOf(kind: StreamKind, visible: Caller['visible']): Audience {
    const found = this.#audiences.find((one) => one.kind === kind && one.visible === visible)
    if (found !== undefined) return found
    const audience = { kind, visible, listeners: new Set<Listener>(), events: [], length: 0 }
    this.#audiences.push(audience)
    return audience
  }

  #closed(audience: Audience, listener: Listener): void {
    audience.listeners.delete(listener)
    if (audience.listeners.size === 0) {
      this.#audiences = this.#audiences.filter((one) => one !== audience)
    }
    if (--this.#count === 0) this.#stop()
  }

  #begin(): void {
    this.#options.tasks.follow(this.#follower)
    this.#sentAt = performance.now()
    this.#checking = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  #stop(): void {
    this.#options.tasks.follow(null)
    for (const timer of [this.#checking, this.#sending]) if (timer !== null) clearTimeout(timer)
    this.#checking = null
    this.#sending = null
  }

  readonly #follower: FeedFollower = {
    event: (event) => this.#event(event),
    lost: () => this.end(),
  }

  #event(event: FeedEvent): void {
    let text: string | null = null
    for (const audience of this.#audiences) {
      if (audience.kind !== event.kind || !event.isVisible(audience.visible)) continue
      text ??= `data: ${JSON.stringify(this.#options.show(event))}\n\n`
      audience.events.push(text)
      audience.length += text.length
      if (audience.length >= GROUP_BYTES) sendTo(audience)
    }
    if (text === null || this.#sending !== null) return
    const pauseMs = Math.max(GROUP_MS_MIN, (this.#count * 1000) / WRITES_PER_SECOND_MAX)
    const waitMs = this.#sentAt + pauseMs - performance.now()
    this.#sending = setTimeout(() => this.#send(), Math.max(0, waitMs))
  }

  #send(): void {
    if (this.#sending !== null) clearTimeout(this.#sending)
    this.#sending = null
    this.#sentAt = performance.now()
    for (const audience of this.#audiences) sendTo(audience)
  }

  #check(): void {
    if (!this.#options.isOn()) this.end()
    const now = performance.now()
    if (now - this.#sentAt > KEEP_ALIVE_MS - CHECK_MS) {
      for (const audience of this.#audiences) audience.events.push(KEEP_ALIVE)
      this.#send()
    }
    for (const { listeners } of this.#audiences) for (const one of listeners) one.check(now)
  }
}

function sendTo(audience: Audience): void {
  if (audience.events.length === 0) return
  const group = Buffer.from(audience.events.join(''))
  audience.events = []
  audience.length = 0
  for (const listener of audience.listeners) listener.send(group)
}
