// Reports of a run under load, and the expectations that failed.
import { MiB } from '../../format/bytes/index.ts'
import { bytesText } from '../../tools/terminal/index.ts'
import type { Held } from './heap.ts'
import type { LoadReport } from './load.ts'
import { percentile, summary } from './summary.ts'

/** Growth beyond this counts as a leak. */
const HEAP_GROWTH_MAX = 16 * MiB
const BUFFERS_GROWTH_MAX = 16 * MiB
const RESIDENT_GROWTH_MAX = 96 * MiB
const HEALTH_MS_MAX = 20
const PROBLEMS_MAX = 20

/** Returns the failed expectations that do not depend on the speed of the machine. */
export function loadProblems({ problems, rough, before, after }: LoadReport): readonly string[] {
  const grown = (name: string, part: keyof Held, bytesMax: number): readonly string[] =>
    after[part] - before[part] > bytesMax
      ? [`${name} grew from ${bytesText(before[part])} to ${bytesText(after[part])}`]
      : []
  return [
    ...problems,
    ...rough.problems.slice(0, PROBLEMS_MAX),
    ...grown('the heap', 'heap', HEAP_GROWTH_MAX),
    ...grown('buffers', 'buffers', BUFFERS_GROWTH_MAX),
    ...grown('memory', 'resident', RESIDENT_GROWTH_MAX),
  ]
}

export function loadText(report: LoadReport): string {
  const { answers, seconds, statuses, rough, health, before, after, queue } = report
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`)
  const isQuick = percentile(health, 0.99) < HEALTH_MS_MAX
  const lines = [
    `${answers} answers in ${seconds.toFixed(1)} s, ${Math.round(answers / seconds)} a second`,
    `by status:    ${counts.join(' · ')}`,
    `rough:        ${rough.answers} answers, ${rough.cut} connections cut`,
    `GET /health:  ${summary(health, 'ms')}${isQuick ? '' : `: p99 above ${HEALTH_MS_MAX} ms`}`,
    `held before:  ${heldText(before)}`,
    `held after:   ${heldText(after)}`,
    `queue:        ${queue.tasks} tasks accepted in ${queue.acceptedSeconds.toFixed(1)} s, ` +
      `finished after ${queue.finishedSeconds.toFixed(1)} s`,
    `GET /health:  ${summary(queue.health, 'ms')} meanwhile`,
    ...loadProblems(report).map((problem) => `PROBLEM ${problem}`),
  ]
  return `${lines.join('\n')}\n`
}

const heldText = ({ heap, buffers, resident }: Held): string =>
  `heap ${bytesText(heap)} · buffers ${bytesText(buffers)} · resident ${bytesText(resident)}`
