// What a benchmark is: a name, something prepared once, and a run that does the same work each
// time.

/** Prepared work. `run` returns a number that depends on all it did, the same each time. */
export type Work = {
  /** How many operations one run does. */
  readonly operations: number
  /** How many bytes one run takes in; null where bytes say nothing. */
  readonly bytes: number | null
  readonly run: (() => number) | (() => Promise<number>)
  /** Bytes that the last run wrote, where a smaller result is a better one. */
  readonly produced?: () => number
  /** Gives back what was prepared: files, descriptors. */
  readonly close?: () => void | Promise<void>
}

export type Benchmark = {
  /** `folder/what`. Stays the same as long as results are comparable. */
  readonly name: string
  readonly about: string
  /** What an operation is: `key`, `document`. */
  readonly operation: string
  readonly prepare: (bench: Bench) => Work | Promise<Work>
}

/** What a benchmark is given. */
export type Bench = {
  /** Makes an empty folder, removed with all in it when the benchmark ends. */
  readonly folder: () => string
  /** Smaller data, where only is asked whether it runs. */
  readonly isSmoke: boolean
}
