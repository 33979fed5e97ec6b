// The measurements of a soak run, and the check for growth.
import { MiB } from '../../format/bytes/index.ts'
import { bytesText } from '../../tools/terminal/index.ts'
import type { ThreadMemory } from './heap.ts'
import { percentile } from './summary.ts'

export type Sample = {
  /** Hour of the simulated day, from 0 to 24. */
  readonly hour: number
  readonly memoryBytes: number
  /** By name; empty while the server is down. */
  readonly threads: readonly ThreadMemory[]
  readonly descriptors: number
  readonly diskBytes: number
  /** Milliseconds of the searches since the sample before; empty while the server is down. */
  readonly searches: readonly number[]
  readonly health: readonly number[]
  readonly tasksWaiting: number
}

const EVENTS = ['restart', 'kill', 'snapshot', 'dump'] as const
export type EventKind = (typeof EVENTS)[number]
export type SoakEvent = { readonly hour: number; readonly kind: EventKind }

export type SoakReport = {
  readonly samples: readonly Sample[]
  readonly events: readonly SoakEvent[]
  /** The hours in which webhooks were refused. */
  readonly trouble: readonly [number, number]
  /** Live bytes of all threads in the morning and at the end, after garbage collection. */
  readonly heap: readonly [number, number]
  readonly searches: number
  readonly writes: number
  /** Tasks that the receiver of webhooks was notified of. */
  readonly notifiedTasks: number
  readonly problems: readonly string[]
  /** The same load all the time, without restarts. */
  readonly isSteady: boolean
}

/** Allowed growth from morning to evening: a share, and a number of bytes besides. */
const BOUNDS = {
  memoryBytes: { share: 0.3, besides: 64 * MiB },
  descriptors: { share: 0.2, besides: 12 },
  diskBytes: { share: 0.5, besides: 16 * MiB },
}
const HEAP_GROWTH_MAX = 24 * MiB
const MORNING = [4, 10] as const
const EVENING = [18, 24] as const
/** For single threads: garbage that has not been collected comes and goes. */
const THREAD_BOUND = { share: 0.3, besides: 16 * MiB }
/** Under a steady load memory must be the same after an hour as after five minutes. */
const STEADY_SHARE = 0.1
const STEADY_THREAD_BOUND = { share: STEADY_SHARE, besides: 8 * MiB }
const STEADY_BOUNDS = {
  ...BOUNDS,
  memoryBytes: { ...BOUNDS.memoryBytes, share: STEADY_SHARE, besides: 8 * MiB },
}
/** In hours of a day that lasts an hour: from five minutes on, and the last five minutes. */
const STEADY_MORNING = [2, 4] as const
const STEADY_EVENING = [22, 24] as const

type Hours = readonly [number, number]
/** Allowed growth in the evening: a share, and a number of bytes besides. */
type Bound = { readonly share: number; readonly besides: number }

/** Returns a description of each quantity that grows. */
export function growth({ samples, heap, isSteady }: SoakReport): readonly string[] {
  const found: string[] = []
  const hours = isSteady ? [STEADY_MORNING, STEADY_EVENING] : [MORNING, EVENING]
  const [early, late] = hours.map((span) => samplesWithin(samples, span)) as [Sample[], Sample[]]
  const look = (
    name: string,
    { share, besides }: Bound,
    measure: (sample: Sample) => number | undefined,
    text = bytesText,
  ): void => {
    const values = (all: readonly Sample[]): readonly number[] =>
      all.map(measure).filter((value) => value !== undefined)
    if (values(early).length === 0 || values(late).length === 0) return
    // The median: a batch or a snapshot that happens to run does not count.
    const [morning, evening] = [percentile(values(early), 0.5), percentile(values(late), 0.5)]
    if (evening <= morning * (1 + share) + besides) return
    found.push(`${name} grew from ${text(morning)} to ${text(evening)}`)
  }
  const bounds = isSteady ? STEADY_BOUNDS : BOUNDS
  look('memory', bounds.memoryBytes, (sample) => sample.memoryBytes)
  look('descriptors', bounds.descriptors, (sample) => sample.descriptors, String)
  look('disk', bounds.diskBytes, (sample) => sample.diskBytes)
  for (const name of threadNames(samples)) {
    const bound = isSteady ? STEADY_THREAD_BOUND : THREAD_BOUND
    for (const part of ['heap', 'external', 'buffers'] as const) {
      const of = ({ threads }: Sample) => threads.find((one) => one.name === name)?.[part]
      look(`${WORDS[part]} of ${name}`, bound, of)
    }
  }
  const [before, after] = heap
  if (after > before + HEAP_GROWTH_MAX) {
    found.push(`the heap grew from ${bytesText(before)} to ${bytesText(after)}`)
  }
  return found
}

const WORDS = { heap: 'the heap', external: 'external memory', buffers: 'buffers' } as const

const samplesWithin = (samples: readonly Sample[], [from, to]: Hours): readonly Sample[] =>
  samples.filter(({ hour }) => hour >= from && hour < to)

/** Returns all threads that existed at some moment, in order. */
export const threadNames = (samples: readonly Sample[]): readonly string[] =>
  [...new Set(samples.flatMap(({ threads }) => threads.map(({ name }) => name)))].sort()
