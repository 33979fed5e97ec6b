// What is measured of a soak run, moment by moment, and whether it grows.
import { bytesText } from '../../tools/terminal/index.ts'
import { percentile } from './summary.ts'

export type Sample = {
  /** Of the day that is played, from 0 to 24. */
  readonly hour: number
  readonly memoryBytes: number
  readonly descriptors: number
  readonly diskBytes: number
  /** Milliseconds of the searches since the sample before; empty while the server is away. */
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
  /** From when to when webhooks were refused. */
  readonly trouble: readonly [number, number]
  /** Live bytes of all threads in the morning and at the end, garbage collected. */
  readonly heap: readonly [number, number]
  readonly searches: number
  readonly writes: number
  /** Tasks that the receiver of webhooks has been told of. */
  readonly told: number
  readonly problems: readonly string[]
}

const MIB = 1024 * 1024
/** Growth is what the evening has on top of the morning: a share, and so much besides. */
const BOUNDS = {
  memoryBytes: { name: 'memory', share: 0.3, besides: 64 * MIB },
  descriptors: { name: 'descriptors', share: 0.2, besides: 12 },
  diskBytes: { name: 'disk', share: 0.5, besides: 16 * MIB },
} as const
const HEAP_GROWTH_MAX = 24 * MIB
const MORNING = [4, 10] as const
const EVENING = [18, 24] as const

/** What grows, in words; empty: nothing does. */
export function growth({ samples, heap }: SoakReport): readonly string[] {
  const found: string[] = []
  for (const [part, { name, share, besides }] of Object.entries(BOUNDS)) {
    const values = (hours: readonly [number, number]): readonly number[] =>
      samples
        .filter(({ hour }) => hour >= hours[0] && hour < hours[1])
        .map((sample) => sample[part as keyof typeof BOUNDS])
    // The middle one: a batch or a snapshot that happens to run does not count.
    const [morning, evening] = [percentile(values(MORNING), 0.5), percentile(values(EVENING), 0.5)]
    if (evening <= morning * (1 + share) + besides) continue
    const text = (value: number): string =>
      part === 'descriptors' ? String(value) : bytesText(value)
    found.push(`${name} grew from ${text(morning)} to ${text(evening)}`)
  }
  const [before, after] = heap
  if (after > before + HEAP_GROWTH_MAX) {
    found.push(`the heap grew from ${bytesText(before)} to ${bytesText(after)}`)
  }
  return found
}
