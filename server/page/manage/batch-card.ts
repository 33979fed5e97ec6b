// A card for a batch: its progress while it runs, and the duration of its steps after it has
// finished.
import { agoText, type Batch, bar, durationText, h, plural } from '../parts/index.ts'

export function batchCard(batch: Batch): HTMLElement {
  const { uid, stats, startedAt, finishedAt, duration } = batch
  const tasks = plural(stats.totalNbTasks, 'task')
  const since = agoText(startedAt, Date.now())
  return h(
    'article',
    { class: 'card batch' },
    h(
      'header',
      {},
      h('h2', {}, `Batch #${uid}`),
      finishedAt === null
        ? h('span', { class: 'pill is-processing' }, `${percentageOf(batch).toFixed(0)} %`)
        : h('span', { class: 'pill is-succeeded' }, `took ${durationText(duration)}`),
      h('span', { class: 'muted' }, `${tasks} · ${since}`),
    ),
    finishedAt === null ? progress(batch) : trace(batch),
  )
}

const percentageOf = ({ progress }: Batch): number => progress?.percentage ?? 0

const progress = (batch: Batch): readonly HTMLElement[] => [
  bar(percentageOf(batch) / 100, `${percentageOf(batch).toFixed(0)} percent`),
  steps(
    (batch.progress?.steps ?? []).map(({ currentStep, finished, total }) => [
      currentStep,
      `${finished} / ${total}`,
    ]),
  ),
]

/** Returns the duration of each step, and the reason why the batch did not include more tasks. */
const trace = ({ stats, batchStrategy }: Batch): readonly (HTMLElement | null)[] => [
  batchStrategy === undefined ? null : h('p', { class: 'muted' }, batchStrategy),
  steps(Object.entries(stats.progressTrace ?? {})),
]

const steps = (lines: readonly (readonly [string, string])[]): HTMLElement =>
  h(
    'ol',
    { class: 'steps' },
    lines.map(([name, value]) => h('li', {}, name, h('span', { class: 'count' }, value))),
  )
