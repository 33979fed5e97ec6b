// Formats metrics with prom-client: its own registry, its metrics of the process, and ours, which
// are set anew for each text.
import { readFileSync } from 'node:fs'
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { METRICS, PREFIX } from './metrics.table.ts'
import { type RequestTimes, TIME_BUCKETS_S } from './request-tally.ts'
import type { Sample, Writer } from './samples.ts'

type Set = (samples: readonly Sample[]) => void

/** The library takes longer to load than a server to start: it is loaded with the first writer. */
export async function promWriter(): Promise<Writer> {
  const library = await import('prom-client')
  const registry = new library.Registry()
  let times: readonly RequestTimes[] = []
  const setters = new Map<string, Set>()
  for (const [name, { kind, help, labels }] of Object.entries(METRICS)) {
    const shape = { name: PREFIX + name, help, labelNames: labels, registers: [registry] }
    if (kind === 'histogram') {
      registry.registerMetric(histogramOf(PREFIX + name, help, () => times))
    } else if (kind === 'gauge') setters.set(name, gaugeSetter(new library.Gauge(shape)))
    else setters.set(name, counterSetter(new library.Counter(shape)))
  }
  library.collectDefaultMetrics({ register: registry })
  addThreads(registry, library)
  let last: Promise<unknown> = Promise.resolve()
  return (samples, newTimes) => {
    // Texts are made one after another, because they share the registry.
    const text = last.then(() => {
      times = newTimes
      for (const [name, values] of samples) setters.get(name)?.(values)
      return registry.metrics()
    })
    last = text.catch(ignoreReportedError)
    return text
  }
}

/** The request for that text has already received its error. */
const ignoreReportedError = (): void => undefined

const gaugeSetter =
  (gauge: Gauge<string>): Set =>
  (samples) => {
    gauge.reset()
    for (const { labels, value } of samples) gauge.set(labels, value)
  }

const counterSetter =
  (counter: Counter<string>): Set =>
  (samples) => {
    counter.reset()
    for (const { labels, value } of samples) counter.inc(labels, value)
  }

/**
 * Formats a histogram that was counted elsewhere: the registry only asks a metric for its values.
 * The library's own histogram would require loading it with the server.
 */
function histogramOf(
  name: string,
  help: string,
  times: () => readonly RequestTimes[],
): Histogram<string> {
  const get = () =>
    Promise.resolve({ name, help, type: 'histogram', values: valuesOf(name, times()) })
  return { name, help, get, reset: () => undefined } as unknown as Histogram<string>
}

const valuesOf = (name: string, all: readonly RequestTimes[]): readonly object[] =>
  all.flatMap(({ method, path, counts, count, sumS }) => {
    const labels = { method, path }
    let below = 0
    const buckets = [...TIME_BUCKETS_S, '+Inf'].map((le, at) => {
      below += counts[at]!
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sumS },
      { metricName: `${name}_count`, labels, value: count },
    ]
  })

/** Available on Linux only, like the other numbers from `/proc`. */
function addThreads(registry: Registry, { Gauge }: typeof import('prom-client')): void {
  const threads = (): number | null => {
    try {
      const found = /^Threads:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))
      return found === null ? null : Number(found[1])
    } catch {
      // On other systems the metric is left out.
      return null
    }
  }
  if (threads() === null) return
  new Gauge({
    name: 'process_threads',
    help: 'Number of OS threads in the process.',
    registers: [registry],
    collect() {
      this.set(threads() ?? 0)
    },
  })
}
