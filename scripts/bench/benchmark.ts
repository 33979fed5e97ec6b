// The definition of a benchmark: a name, a preparation that runs once, and a run that does the same
// work each time.

/**
 * Prepared work. `run` returns a number that depends on all of its work and is the same each time.
 */
export type Work = {
  /** How many operations one run does. */
  readonly operations: number
  /** Bytes of input per run, or null if they are meaningless. */
  readonly bytes: number | null
  readonly run: (() => number) | (() => Promise<number>)
  /** Bytes that the last run wrote, where a smaller result is a better one. */
  readonly produced?: () => number
  /** Releases prepared resources: files, descriptors. */
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

/** The environment of a benchmark. */
export type Bench = {
  /** Creates an empty folder, which is removed when the benchmark ends. */
  readonly folder: () => string
  /** Whether to use small data, when only a test that it runs is needed. */
  readonly isSmoke: boolean
}
