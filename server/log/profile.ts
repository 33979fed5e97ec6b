// Formats spans and events as entries of a profile: JSON objects without separators, each with one
// member that names its kind. Times count from the beginning of the profile.
import type { LogEvent } from './event.ts'

/** A piece of work with its time and its nested parts in order. Milliseconds since 1970. */
export type ProfiledSpan = {
  readonly name: string
  /** The thread that did the work: `main`, or a thread of the engine. */
  readonly thread: string
  readonly beganAt: number
  readonly endedAt: number
  readonly parts: readonly ProfiledSpan[]
}

type Time = { readonly secs: number; readonly nanos: number }
type Memory = { readonly resident: number; readonly heap: number }

export class Profile {
  readonly #beganAt: number
  readonly #withMemory: boolean
  /** By target and name. */
  readonly #callsites = new Map<string, number>()
  readonly #threads = new Map<string, number>()
  #nextSpan = 1

  constructor(beganAt: number, withMemory: boolean) {
    this.#beganAt = beganAt
    this.#withMemory = withMemory
  }

  event({ at, target, message }: LogEvent): string {
    const head: string[] = []
    const call_id = this.#callsite(target, message, head)
    const thread_id = this.#thread('main', head)
    const [time, memory] = [this.#time(at), this.#memory()]
    const entry = { Event: { call_id, thread_id, parent_id: null, time, memory } }
    return head.join('') + JSON.stringify(entry)
  }

  span(target: string, span: ProfiledSpan): string {
    const entries: string[] = []
    this.#span(target, span, null, entries)
    return entries.join('')
  }

  #span(target: string, span: ProfiledSpan, parent_id: number | null, entries: string[]): void {
    const { name, thread, beganAt, endedAt, parts } = span
    const call_id = this.#callsite(target, name, entries)
    const thread_id = this.#thread(thread, entries)
    const id = this.#nextSpan++
    const memory = this.#memory()
    const add = (entry: object): void => void entries.push(JSON.stringify(entry))
    add({ NewSpan: { id, call_id, parent_id, thread_id } })
    add({ SpanEnter: { id, time: this.#time(beganAt), memory } })
    for (const part of parts) this.#span(target, part, id, entries)
    const time = this.#time(endedAt)
    add({ SpanExit: { id, time, memory } })
    add({ SpanClose: { id, time } })
  }

  #callsite(target: string, name: string, entries: string[]): number {
    const key = `${target} ${name}`
    const known = this.#callsites.get(key)
    if (known !== undefined) return known
    const call_id = this.#callsites.size + 1
    this.#callsites.set(key, call_id)
    const place = { module_path: target, file: null, line: null, target }
    entries.push(JSON.stringify({ NewCallsite: { call_id, name, ...place } }))
    return call_id
  }

  #thread(name: string, entries: string[]): number {
    const known = this.#threads.get(name)
    if (known !== undefined) return known
    const thread_id = this.#threads.size + 1
    this.#threads.set(name, thread_id)
    entries.push(JSON.stringify({ NewThread: { thread_id, name } }))
    return thread_id
  }

  #time(at: number): Time {
    const nanos = Math.max(0, Math.round((at - this.#beganAt) * 1e6))
    return { secs: Math.floor(nanos / 1e9), nanos: nanos % 1e9 }
  }

  #memory(): Memory | null {
    if (!this.#withMemory) return null
    const { rss: resident, heapUsed: heap } = process.memoryUsage()
    return { resident, heap }
  }
}
