// Replaces what a process gets from its machine: clocks, timers, random numbers. Modules that hold
// these functions by name see the replacement, because the exports of Node's modules are live.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import zlib from 'node:zlib'
import type { Random } from '../../../engine/store/storage/index.ts'
import type { Clock } from './clock.ts'

type Timer = ReturnType<Clock['after']>

/** Installs the clock and the random numbers. Returns the function that restores the machine. */
export function install(clock: Clock, random: Random): () => void {
  const undo = [
    ...replaced(globalThis, globalTimers(clock)),
    ...replaced(performance, { now: () => clock.now }),
    ...replaced(Math, { random: () => random.below(2 ** 30) / 2 ** 30 }),
    ...replaced(AbortSignal, { timeout: (ms: number) => timeoutSignal(clock, ms) }),
    ...replaced(timers, promised(clock)),
    ...replaced(crypto, randomness(random)),
    ...replaced(packingHandle(), { write: watchedWrite(clock) }),
    ...replaced(Object.getPrototypeOf(crypto.webcrypto.subtle), watchedSubtle(clock)),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const restore of undo) restore()
    syncBuiltinESMExports()
  }
}

function replaced(target: object, members: object): (() => void)[] {
  return Object.entries(members).map(([name, value]) => {
    const before = Object.getOwnPropertyDescriptor(target, name)
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
    return () => {
      if (before === undefined) Reflect.deleteProperty(target, name)
      else Object.defineProperty(target, name, before)
    }
  })
}

class Handle {
  readonly #clock: Clock
  readonly #set: () => Timer
  #timer: Timer

  constructor(clock: Clock, set: () => Timer) {
    this.#clock = clock
    this.#set = set
    this.#timer = set()
  }

  clear(): void {
    this.#timer.isSet = false
  }

  refresh(): this {
    this.clear()
    this.#timer = this.#clock.as(this.#timer.owner, this.#set)
    return this
  }

  ref = (): this => this
  unref = (): this => this
  hasRef = (): boolean => true
  close = (): void => this.clear()
}

class ImmediateHandle {
  isSet = true
  ref = (): this => this
  unref = (): this => this
}

type Action = (...given: unknown[]) => void

function globalTimers(clock: Clock): object {
  const real = { clearTimeout, clearImmediate }
  const clear = (handle: Handle | NodeJS.Timeout | undefined): void => {
    // A timer from before the installation is one of the machine.
    if (handle instanceof Handle) handle.clear()
    else real.clearTimeout(handle)
  }
  const RealDate = Date
  class FakeDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [clock.wallMs] : given) as []))
    }
    static override now = (): number => Math.floor(clock.wallMs)
  }
  return {
    Date: FakeDate,
    setTimeout: (action: Action, ms = 0, ...given: unknown[]) =>
      new Handle(clock, () => clock.after(ms, () => action(...given))),
    setInterval: (action: Action, ms = 0, ...given: unknown[]) => {
      const every = Math.max(1, ms)
      return new Handle(clock, () =>
        clock.after(every, () => action(...given), clock.current, every),
      )
    },
    setImmediate: (action: Action, ...given: unknown[]) => {
      const immediate = new ImmediateHandle()
      clock.immediately(() => {
        if (immediate.isSet) action(...given)
      })
      return immediate
    },
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: (handle: ImmediateHandle | NodeJS.Immediate | undefined) => {
      if (handle instanceof ImmediateHandle) handle.isSet = false
      else real.clearImmediate(handle)
    },
  }
}

type Abortable = { readonly signal?: AbortSignal }

const promised = (clock: Clock): object => ({
  setTimeout: (ms = 1, value?: unknown, { signal }: Abortable = {}) =>
    new Promise((resolve, reject) => {
      const refuse = (): void => {
        const words = 'The operation was aborted'
        reject(Object.assign(new Error(words), { name: 'AbortError', code: 'ABORT_ERR' }))
      }
      if (signal?.aborted === true) return refuse()
      const timer = clock.after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve(value)
      })
      const stop = (): void => {
        timer.isSet = false
        refuse()
      }
      signal?.addEventListener('abort', stop, { once: true })
    }),
  setImmediate: (value?: unknown) =>
    new Promise((resolve) => clock.immediately(() => resolve(value))),
})

function timeoutSignal(clock: Clock, ms: number): AbortSignal {
  const abort = new AbortController()
  const words = 'The operation was aborted due to timeout'
  clock.after(ms, () => abort.abort(new DOMException(words, 'TimeoutError')))
  return abort.signal
}

function randomness(random: Random): object {
  const fill = <T extends ArrayBufferView>(target: T): T => {
    const { buffer, byteOffset, byteLength } = target
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(256)
    return target
  }
  const randomBytes = (count: number): Buffer => fill(Buffer.alloc(count))
  return {
    randomBytes,
    randomFillSync: fill,
    randomInt: (from: number, to: number) => from + random.below(to - from),
    randomUUID: () => {
      const hex = randomBytes(16).toString('hex')
      const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`]
      return [...parts, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-')
    },
  }
}

/** Signatures are computed on other threads as well. */
const watchedSubtle = (clock: Clock): object =>
  Object.fromEntries(
    (['digest', 'importKey', 'sign'] as const).map((name) => {
      const work = crypto.webcrypto.subtle[name] as (...given: unknown[]) => Promise<unknown>
      return [
        name,
        function (this: unknown, ...given: unknown[]) {
          const done = clock.outside()
          return new Promise((resolve, reject) => {
            work.apply(this, given).then(
              (value) => done(() => resolve(value)),
              (error: unknown) => done(() => reject(error)),
            )
          })
        },
      ]
    }),
  )

type PackingHandle = { cb: () => void; write: (...given: unknown[]) => void }

/** The prototype of all handles of zlib: packing and unpacking run on another thread. */
function packingHandle(): PackingHandle {
  const stream = zlib.createGzip() as unknown as { readonly _handle: PackingHandle }
  return Object.getPrototypeOf(stream._handle) as PackingHandle
}

/** The clock waits for packing, so what comes of it does not depend on its duration. */
const watchedWrite = (clock: Clock): PackingHandle['write'] => {
  const { write } = packingHandle()
  const running = new WeakSet<object>()
  return function (this: PackingHandle, ...given) {
    if (!running.has(this)) {
      running.add(this)
      const done = clock.outside()
      const { cb } = this
      this.cb = () => {
        running.delete(this)
        done(() => cb.call(this))
      }
    }
    write.apply(this, given)
  }
}
