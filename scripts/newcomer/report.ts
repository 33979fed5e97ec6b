// The report of the newcomer: one line for each check, with the message that a user would read.

/** The result of a command or a request: its exit code or its status, and its whole text. */
export type Outcome = { readonly code: number | null; readonly text: string }
export type Expected = {
  readonly code: number
  /** Texts or patterns that must occur. */
  readonly says?: readonly (string | RegExp)[]
}

/** Marks of a message that was not written for users: a stack, a missing value. */
const NEVER = [/\n\s+at .+:\d+:\d+/, /\[object Object\]/, /\bundefined\b/, /a mistake of ours/i]
const SHOWN_CHARACTERS_MAX = 110

/** Returns what is wrong with an outcome; empty if it is as expected. */
export function faultsOf({ code, text }: Outcome, expected: Expected): readonly string[] {
  const missing = (expected.says ?? []).filter((part) =>
    typeof part === 'string' ? !text.includes(part) : !part.test(text),
  )
  return [
    ...(code === expected.code ? [] : [`code ${code} instead of ${expected.code}`]),
    ...missing.map((part) => `does not say ${String(part)}`),
    ...NEVER.filter((pattern) => pattern.test(text)).map((pattern) => `says ${pattern}`),
  ]
}

export class Report {
  readonly #write: (text: string) => void
  #passed = 0
  #failed = 0

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  chapter(name: string): void {
    this.#write(`\n${name}\n`)
  }

  /** Writes one line for a check; if it fails, also the faults and the whole text. */
  check(what: string, outcome: Outcome, expected: Expected): void {
    const faults = faultsOf(outcome, expected)
    if (faults.length === 0) {
      this.#passed++
      this.#write(`  ok    ${what}: ${shortened(outcome.text)}\n`)
      return
    }
    this.#failed++
    const text = outcome.text.trimEnd().replaceAll('\n', '\n          | ')
    this.#write(`  FAIL  ${what}\n`)
    for (const fault of faults) this.#write(`          ${fault}\n`)
    this.#write(`          | ${text}\n`)
  }

  /** Writes the line of a check without a message; `found` is shown. */
  holds(what: string, isTrue: boolean, found: string): void {
    this.check(what, { code: isTrue ? 0 : 1, text: found }, { code: 0 })
  }

  /** Writes the number of checks; returns the exit code. */
  finish(): 0 | 1 {
    this.#write(`\n${this.#passed} checks passed, ${this.#failed} failed\n`)
    return this.#failed === 0 ? 0 : 1
  }
}

/** Returns the most informative line of a message: the first that is not a line of the log. */
function shortened(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const line =
    lines.find((one) => !/^\d{4}-\d\d-\d\dT\S+ +(?:INFO|WARN)/.test(one)) ?? lines[0] ?? ''
  const plain = line.trim()
  return plain.length > SHOWN_CHARACTERS_MAX ? `${plain.slice(0, SHOWN_CHARACTERS_MAX)}…` : plain
}
