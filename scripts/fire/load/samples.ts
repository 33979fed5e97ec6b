// The measurements of a soak run, and the check for growth.
import { MiB } from '../../../format/bytes/index.ts'
import { bytesText } from '../../../tools/terminal/index.ts'
import type { ThreadMemory } from '../parts/inspector.ts'
import { percentile } from '../parts/report.ts'

export type Sample = {
  /** Hour of the simulated day, from 0 to 24. */
  readonly hour: number
  readonly memoryBytes: number
  /** By name; empty while the server is down. */
  readonly threads: readonly ThreadMemory[]
  readonly descriptors: number
  readonly diskBytes: number
}

export type Day = {
  readonly samples: readonly Sample[]
  /** Live bytes of all threads in the morning and at the end, after garbage collection. */
  readonly heap: readonly [number, number]
  /** The same load all the time, without restarts. */
  readonly isSteady: boolean
}

/** Allowed growth in the evening: a share, and a number besides. */
type Bound = readonly [share: number, besides: number]

const HEAP_GROWTH_MAX = 24 * MiB
/** Single threads: garbage that has not been collected comes and goes. */
const BOUNDS = {
  hours: [
    [4, 10],
    [18, 24],
  ],
  memory: [0.3, 64 * MiB],
  thread: [0.3, 16 * MiB],
} as const
/** In hours of a day that lasts an hour: from five minutes on, and the last five minutes. */
const STEADY_BOUNDS = {
  hours: [
    [2, 4],
    [22, 24],
  ],
  memory: [0.1, 8 * MiB],
  thread: [0.1, 8 * MiB],
} as const
const DESCRIPTORS_BOUND = [0.2, 12] as const
const DISK_BOUND = [0.5, 16 * MiB] as const
const WORDS = { heap: 'the heap', external: 'external memory', buffers: 'buffers' } as const

/** Returns a description of each quantity that grows. */
export function growth({ samples, heap, isSteady }: Day): readonly string[] {
  const found: string[] = []
  const { hours, memory, thread } = isSteady ? STEADY_BOUNDS : BOUNDS
  const [early = [], late = []] = hours.map(([from, to]) =>
    samples.filter(({ hour }) => hour >= from && hour < to),
  )
  const look = (
    name: string,
    [share, besides]: Bound,
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
  look('memory', memory, (sample) => sample.memoryBytes)
  look('descriptors', DESCRIPTORS_BOUND, (sample) => sample.descriptors, String)
  look('disk', DISK_BOUND, (sample) => sample.diskBytes)
  for (const name of threadNames(samples)) {
    for (const part of ['heap', 'external', 'buffers'] as const) {
      const of = ({ threads }: Sample) => threads.find((one) => one.name === name)?.[part]
      look(`${WORDS[part]} of ${name}`, thread, of)
    }
  }
  const [before, after] = heap
  if (after > before + HEAP_GROWTH_MAX) {
    found.push(`the heap grew from ${bytesText(before)} to ${bytesText(after)}`)
  }
  return found
}

/** Returns all threads that existed at some moment, in order. */
export const threadNames = (samples: readonly Sample[]): readonly string[] =>
  [...new Set(samples.flatMap(({ threads }) => threads.map(({ name }) => name)))].sort()
