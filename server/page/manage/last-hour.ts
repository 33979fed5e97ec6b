// The plots of the last hour: documents per second, the size of the database, the size of each index.
import { ask, bytesText, countText, fill, h, type List, ServerError } from '../parts/index.ts'
import {
  type HistoryAnswer,
  type IndexingBatch,
  type Point,
  peakOf,
  ratePoints,
  sizePoints,
} from './history.ts'
import { plot } from './plot.ts'

/** Batches that are read; those before the newest ones are missing in the plot. */
const BATCHES_MAX = 1000
const READ_MS = 15_000

export class LastHour {
  readonly element = h('div', { class: 'last-hour' })
  readonly #sizes = new Map<string, HTMLElement>()
  #history: HistoryAnswer | null = null
  #readAt = 0

  /** Returns the place of the plot of an index's size. */
  sizeOf(index: string): HTMLElement {
    const place = h('div', {})
    this.#sizes.set(index, place)
    this.#showSize(index, place)
    return place
  }

  /** Reads the history, at most every 15 seconds. */
  read(): void {
    if (Date.now() - this.#readAt < READ_MS) return
    this.#readAt = Date.now()
    this.#read().catch((error: unknown) => {
      if (!(error instanceof ServerError)) throw error
      // A key may permit neither; the view then has no plots, nor those that another key has read.
      this.#history = null
      for (const place of [this.element, ...this.#sizes.values()]) fill(place)
    })
  }

  async #read(): Promise<void> {
    const now = Date.now()
    const query = new URLSearchParams({
      types: 'documentAdditionOrUpdate,documentEdition',
      afterFinishedAt: new Date(now - 3_600_000).toISOString(),
      limit: String(BATCHES_MAX),
    })
    const [history, batches] = await Promise.all([
      ask<HistoryAnswer>('GET', '/stats/history'),
      ask<List<IndexingBatch>>('GET', `/batches?${query}`),
    ])
    this.#history = history
    const rates = ratePoints(batches.results, now)
    fill(
      this.element,
      plot(rates, 'Documents per second, last hour', `at most ${rateText(peakOf(rates))}`),
      sizePlot(sizePoints(history, null, now), 'Size of the database, last hour'),
    )
    for (const [index, place] of this.#sizes) this.#showSize(index, place)
  }

  #showSize(index: string, place: HTMLElement): void {
    if (this.#history === null) return
    const points = sizePoints(this.#history, index, Date.now())
    fill(place, sizePlot(points, 'Files, last hour'))
  }
}

const sizePlot = (points: readonly Point[], label: string): HTMLElement =>
  plot(points, label, bytesText(points.at(-1)?.value ?? 0))

const rateText = (rate: number): string =>
  rate === 0 || rate >= 10 ? countText(Math.round(rate)) : rate.toPrecision(2)
