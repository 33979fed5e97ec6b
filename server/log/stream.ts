// A listener to the log over HTTP, which gets events as lines, or spans as entries of a profile.
// The server never waits for the listener: above a limit lines are dropped, and a line reports it.
import { type LogEvent, type LogMode, lineOf } from './event.ts'
import { type EventLevel, LEVELS } from './levels.ts'
import { PROFILE_FLUSH_BYTES, PROFILE_FLUSH_MS, STREAM_BYTES_MAX } from './limits.ts'
import { Profile, type ProfiledSpan } from './profile.ts'
import { LogTargets } from './targets.ts'

export type LogStreamOptions = {
  /** As in `LogTargets`. */
  readonly targets: string
  readonly mode: LogMode | 'profile'
  /** True if entries of a profile contain the memory in use. */
  readonly profileMemory: boolean
  /** Milliseconds since 1970, with a fraction. */
  readonly now: () => number
  /** Called when the listener has ended. May be called more than once. */
  readonly onClosed: () => void
}

export class LogStream implements AsyncIterable<string> {
  readonly #options: LogStreamOptions
  readonly #targets = new LogTargets()
  readonly #profile: Profile | null
  #waiting: string[] = []
  #waitingBytes = 0
  #lost = 0
  #isEnded = false
  #wake: () => void = () => undefined
  #timer: NodeJS.Timeout | null = null

  constructor(options: LogStreamOptions) {
    this.#options = options
    this.#targets.set(options.targets)
    const { mode, profileMemory, now } = options
    this.#profile = mode === 'profile' ? new Profile(now(), profileMemory) : null
  }

  shows(target: string, level: EventLevel): boolean {
    return LEVELS.indexOf(level) <= this.#targets.shown(target, 0)
  }

  /** True if the listener wants spans. */
  get isProfile(): boolean {
    return this.#profile !== null
  }

  event(event: LogEvent): void {
    const { mode } = this.#options
    if (this.#profile !== null) this.#add(this.#profile.event(event))
    else this.#add(lineOf(event, mode === 'json' ? 'json' : 'human', false))
  }

  /** Adds a finished span with its parts. */
  span(target: string, span: ProfiledSpan): void {
    if (this.#profile !== null && this.shows(target, 'INFO')) {
      this.#add(this.#profile.span(target, span))
    }
  }

  /** Sends the waiting lines to the listener and ends the stream. */
  end(): void {
    this.#isEnded = true
    this.#wakeUp()
  }

  /** Yields the waiting text as soon as there is some, until the end. Supports one reader. */
  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: async () => {
        for (;;) {
          const value = this.#take()
          if (value !== '') return { value, done: false }
          if (this.#isEnded) return this.#close()
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
      },
      return: () => {
        this.#isEnded = true
        return Promise.resolve(this.#close())
      },
    }
  }

  #close(): IteratorReturnResult<undefined> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#waiting = []
    this.#options.onClosed()
    this.#wake()
    return { value: undefined, done: true }
  }

  #add(text: string): void {
    if (this.#isEnded || text === '') return
    if (this.#waitingBytes + text.length > STREAM_BYTES_MAX) {
      this.#lost++
      return
    }
    this.#waiting.push(text)
    this.#waitingBytes += text.length
    if (this.#profile === null || this.#waitingBytes >= PROFILE_FLUSH_BYTES) this.#wakeUp()
    else this.#timer ??= setTimeout(() => this.#wakeUp(), PROFILE_FLUSH_MS).unref()
  }

  #wakeUp(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#wake()
  }

  #take(): string {
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#waitingBytes = 0
    const lost = this.#lost
    this.#lost = 0
    return lost === 0 ? text : text + this.#notice(lost)
  }

  #notice(lost: number): string {
    const { now, mode } = this.#options
    const event: LogEvent = {
      at: now(),
      level: 'WARN',
      target: 'svc::log',
      message: 'lines were dropped: the reader was too slow',
      fields: { lines: lost },
      span: null,
      durationMs: null,
    }
    if (this.#profile !== null) return this.#profile.event(event)
    return lineOf(event, mode === 'json' ? 'json' : 'human', false)
  }
}
