// The clients of the session about take-overs: each writes again and again, and goes on to the next
// instance when one refuses or does not answer soon. Everything sent and answered is noted.
import type { Random } from '../../../engine/store/storage/index.ts'
import { type Answer, pause } from '../parts/client.ts'
import type { StandbyInstance } from './instance.ts'

export type Write = {
  /** A key is changed without a task. */
  readonly kind: 'documents' | 'key'
  readonly index: string
  /** The first of its documents; they have successive numbers. */
  readonly first: number
  readonly count: number
  readonly key: string
  readonly instance: string
  readonly pid: number
  /** Milliseconds of the steady clock of this process. */
  readonly sentAt: number
  answeredAt: number | null
  /** null if no answer came. */
  status: number | null
  /** The term that the answer names, or null. */
  term: number | null
}

export const WRITTEN_INDEXES = ['a', 'b'] as const
/** Writes without a task among the others. */
const KEY_SHARE = 30
const DOCUMENTS_MAX = 12
/** After this time a client tries another instance; the answer counts all the same. */
const PATIENCE_MS = 400
const PAUSE_MS_MAX = 60
const ACCEPTED = [202, 201]
/** Answers of an instance that must not write, or cannot now. */
const REFUSED = [403, 503]

export const isAcknowledged = ({ status }: Write): boolean => ACCEPTED.includes(status ?? 0)

export class FailoverClients {
  readonly #instances: readonly StandbyInstance[]
  readonly #random: Random
  /** All writes, in the order in which they were sent. */
  readonly writes: Write[] = []
  /** Answers that no instance should give. */
  readonly oddities: string[] = []
  readonly #pending = new Set<Promise<unknown>>()
  readonly #running: Promise<void>[] = []
  #next = 1
  #isPaused = false
  #isEnding = false

  constructor(instances: readonly StandbyInstance[], random: Random) {
    this.#instances = instances
    this.#random = random
  }

  start(count: number): void {
    for (let i = 0; i < count; i++) this.#running.push(this.#writeRepeatedly(i))
  }

  /** Resolves when all requests have been answered or broken. */
  async pause(): Promise<void> {
    this.#isPaused = true
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  resume(): void {
    this.#isPaused = false
  }

  async end(): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#running)
  }

  /** Sends documents to one instance after the other until one acknowledges them. */
  async writeOnce(msMax: number): Promise<Write> {
    const end = performance.now() + msMax
    for (let i = 0; performance.now() < end; i++) {
      const write = await this.#send(this.#instances[i % this.#instances.length]!, 'documents')
      if (write !== null && isAcknowledged(write)) return write
      await pause(20)
    }
    throw new Error(`no instance acknowledges a write within ${msMax} ms`)
  }

  /** Returns null if the instance does not serve. */
  async #send(
    { name, client, program }: StandbyInstance,
    kind: Write['kind'],
  ): Promise<Write | null> {
    if (client === null || program === null) return null
    const write = this.#new(name, program.pid, kind)
    const sent =
      write.kind === 'key'
        ? client.ask('POST', '/keys', { body: keyOf(write) })
        : client.ask('POST', `/indexes/${write.index}/documents`, { body: documentsOf(write) })
    const done = sent.then(
      (answer) => this.#note(write, answer),
      () => {
        // The connection broke: the write may have been executed.
        write.answeredAt = performance.now()
      },
    )
    this.#pending.add(done)
    await done.finally(() => this.#pending.delete(done))
    return write
  }

  async #writeRepeatedly(at: number): Promise<void> {
    const random = this.#random
    const { length } = this.#instances
    for (let i = at; !this.#isEnding; ) {
      if (this.#isPaused) {
        await pause(10)
        continue
      }
      const kind = random.below(KEY_SHARE) === 0 ? 'key' : 'documents'
      const sent = this.#send(this.#instances[i % length]!, kind)
      const write = await Promise.race([sent, pause(PATIENCE_MS).then(() => null)])
      if (write === null || !isAcknowledged(write)) i++
      await pause(random.below(PAUSE_MS_MAX))
    }
  }

  #new(instance: string, pid: number, kind: Write['kind']): Write {
    const random = this.#random
    const count = kind === 'key' ? 0 : 1 + random.below(DOCUMENTS_MAX)
    const first = this.#next
    this.#next += count
    const write: Write = {
      kind,
      index: WRITTEN_INDEXES[random.below(WRITTEN_INDEXES.length)]!,
      first,
      count,
      key: uuidOf(random),
      instance,
      pid,
      sentAt: performance.now(),
      answeredAt: null,
      status: null,
      term: null,
    }
    this.writes.push(write)
    return write
  }

  #note(write: Write, { status, headers, text }: Answer): void {
    write.answeredAt = performance.now()
    write.status = status
    const { 'svc-writer-term': term } = headers
    write.term = term === undefined ? null : Number(term)
    if (isAcknowledged(write)) {
      if (write.term === null) this.oddities.push(`${write.instance}: ${status} without a term`)
    } else if (!REFUSED.includes(status)) {
      this.oddities.push(`${write.instance}: ${status} ${text}`)
    }
  }
}

/** Returns a UUID of version 4. */
function uuidOf(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

const keyOf = ({ key }: Write): object => ({
  uid: key,
  name: key,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
})

const documentsOf = ({ first, count }: Write): readonly object[] =>
  Array.from({ length: count }, (_, i) => ({ id: first + i, text: `write${first} ${i}` }))

/** Numbers of the documents of a write. */
export const idsOf = ({ first, count }: Write): readonly number[] =>
  Array.from({ length: count }, (_, i) => first + i)
