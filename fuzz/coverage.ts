// Measures which code ran with V8's block counters (inspector domain Profiler, "precise coverage").
// A report contains, for each function called since the last report, nested ranges with their
// counts. Painted over each other, outer ranges first, they tell for every character of source
// whether it ran. Counters slow targets little; a report takes longer than many inputs, so there is
// one per batch.
import { Session } from 'node:inspector'

type Range = {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}
type Report = {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly Range[] }[]
  }[]
}
type Script = { seen: Uint8Array; now: Uint8Array }
/** Characters [from, to) of a script that ran for the first time. */
export type Fresh = { readonly script: Script; readonly from: number; readonly to: number }

export class Coverage {
  readonly #session = new Session()
  readonly #scripts = new Map<string, Script>()
  readonly #counts: (url: string) => boolean

  /** Starts the counters; code loaded before is not covered. `counts` selects the scripts. */
  constructor(counts: (url: string) => boolean) {
    this.#counts = counts
    this.#session.connect()
    this.#post('Profiler.enable')
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Returns the characters that ran since the last call for the first time. */
  take(): readonly Fresh[] {
    const fresh: Fresh[] = []
    const { result } = this.#post('Profiler.takePreciseCoverage') as Report
    for (const { url, functions } of result) {
      if (!this.#counts(url)) continue
      const script = this.#scriptOf(url, functions)
      for (const { ranges } of functions) paint(script.now, ranges)
      for (const { ranges } of functions) collect(script, ranges[0]!, fresh)
    }
    return fresh
  }

  commit(fresh: readonly Fresh[]): void {
    for (const { script, from, to } of fresh) script.seen.fill(1, from, to)
  }

  /** Marks all code as not covered. */
  forget(): void {
    for (const { seen } of this.#scripts.values()) seen.fill(0)
  }

  /** Number of covered characters of source. */
  get covered(): number {
    let covered = 0
    for (const { seen } of this.#scripts.values()) for (const mark of seen) covered += mark
    return covered
  }

  #scriptOf(url: string, functions: Report['result'][number]['functions']): Script {
    let script = this.#scripts.get(url)
    const end = functions.reduce((most, { ranges }) => Math.max(most, ranges[0]!.endOffset), 0)
    if (script === undefined) {
      script = { seen: new Uint8Array(end), now: new Uint8Array(end) }
      this.#scripts.set(url, script)
    } else if (end > script.seen.length) {
      const seen = new Uint8Array(end)
      seen.set(script.seen)
      script.seen = seen
      script.now = new Uint8Array(end)
    }
    return script
  }

  #post(method: string, parameters: object = {}): unknown {
    let answer: unknown
    let failure: Error | null = null
    this.#session.post(method, parameters, (error, result) => {
      failure = error
      answer = result
    })
    if (failure !== null) throw failure
    return answer
  }
}

function paint(now: Uint8Array, ranges: readonly Range[]): void {
  for (const { startOffset, endOffset, count } of ranges) {
    now.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  }
}

/** Moves the painted characters inside `range` to `fresh` and clears them. */
function collect(script: Script, range: Range, fresh: Fresh[]): void {
  const { seen, now } = script
  const end = range.endOffset
  for (let at = range.startOffset; at < end; at++) {
    if (now[at] === 0 || seen[at] === 1) continue
    const from = at
    while (at < end && now[at] === 1 && seen[at] === 0) at++
    fresh.push({ script, from, to: at })
  }
  now.fill(0, range.startOffset, end)
}
