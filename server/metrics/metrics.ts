// The text that Prometheus collects. Values are read when the text is requested; the library that
// formats them is loaded then.
import type { Engine } from '../../engine/index.ts'
import { batchSamples, engineSamples } from './engine-samples.ts'
import type { EventTally } from './event-tally.ts'
import { METRIC_NAMES, type MetricName } from './metrics.table.ts'
import { networkSamples, type RemoteMeasures } from './network-samples.ts'
import { promWriter } from './prom-writer.ts'
import type { RequestTally } from './request-tally.ts'
import type { Sample, Samples, Writer } from './samples.ts'

export type MetricsOptions = {
  readonly engine: Pick<
    Engine,
    'administration' | 'tasks' | 'follows' | 'publication' | 'unpublishedWrites'
  >
  readonly requests: RequestTally
  readonly events: EventTally
  /** The other instances of a network. */
  readonly network: () => RemoteMeasures
  /** Connections of clients; absent if nothing listens. */
  readonly connections?: () => { readonly open: number; readonly dropped: number }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export class Metrics {
  readonly #options: MetricsOptions
  #writer: Promise<Writer> | null = null

  constructor(options: MetricsOptions) {
    this.#options = options
  }

  /** Returns the metrics in text format 0.0.4. @throws StorageError */
  async text(): Promise<string> {
    this.#writer ??= promWriter()
    const { engine, requests, now, network } = this.#options
    const batches = await batchSamples(engine, now())
    const writer = await this.#writer
    const found: Samples = new Map([
      ...this.#eventSamples(),
      ...engineSamples(engine, now()),
      ...batches,
      ...networkSamples(network()),
      ...this.#connectionSamples(),
      ['http_requests_total', [...requests.counts()].map(requestSample)],
    ])
    const all = METRIC_NAMES.map((name) => [name, found.get(name) ?? []] as const)
    return writer(all, [...requests.times()])
  }

  #connectionSamples(): readonly (readonly [MetricName, readonly Sample[]])[] {
    const { open, dropped } = this.#options.connections?.() ?? { open: 0, dropped: 0 }
    return [
      ['http_connections', [{ labels: {}, value: open }]],
      ['http_connections_dropped_total', [{ labels: {}, value: dropped }]],
    ]
  }

  #eventSamples(): readonly (readonly [MetricName, readonly Sample[]])[] {
    const { personalizedSearches, chatSearches, chatTokens, webhookFailures } = this.#options.events
    const tokens = [...chatTokens].flatMap(([workspace, models]) =>
      [...models].map(([model, used]) => ({ labels: { workspace, model }, used })),
    )
    return [
      ['personalized_search_requests', [{ labels: {}, value: personalizedSearches }]],
      [
        'webhook_failures_total',
        [...webhookFailures].map(([webhook, value]) => ({ labels: { webhook }, value })),
      ],
      [
        'chat_searches_total',
        [...chatSearches].map(([type, value]) => ({ labels: { type }, value })),
      ],
      [
        'chat_prompt_tokens_total',
        tokens.map(({ labels, used }) => ({ labels, value: used.prompt })),
      ],
      [
        'chat_completion_tokens_total',
        tokens.map(({ labels, used }) => ({ labels, value: used.completion })),
      ],
      [
        'chat_tokens_total',
        tokens.map(({ labels, used }) => ({ labels, value: used.prompt + used.completion })),
      ],
    ]
  }
}

const requestSample = ({
  method,
  path,
  status,
  count,
}: {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly count: number
}): Sample => ({ labels: { method, path, status: String(status) }, value: count })
