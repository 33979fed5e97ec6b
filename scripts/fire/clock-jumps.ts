// Sets the wall clock of a started server: a script that its process loads first shifts `Date` by
// the milliseconds in a file, and reads the file again at SIGUSR2. The steady clock stays as it is,
// as on a machine whose time is corrected.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'SVC_FIRE_CLOCK_FILE'

/** Runs as text: threads of the server load it as well, and get no signals. */
const SOURCE = `
  const { readFileSync } = require('node:fs')
  const { isMainThread } = require('node:worker_threads')
  const Real = Date
  let ahead = 0
  const read = () => {
    ahead = Number(readFileSync(process.env.${FILE}, 'utf8'))
  }
  globalThis.Date = class Date extends Real {
    constructor(...words) {
      if (words.length === 0) super(Real.now() + ahead)
      else super(...words)
    }
    static now() {
      return Real.now() + ahead
    }
  }
  read()
  if (isMainThread) process.on('SIGUSR2', read)
`

export class WallClock {
  readonly #file: string
  readonly #script: string
  #aheadMs = 0

  /** `folder`: an existing one, for the script and its file. */
  constructor(folder: string) {
    this.#file = join(folder, 'clock')
    this.#script = join(folder, 'clock.cjs')
    writeFileSync(this.#script, SOURCE)
    this.set(0)
  }

  get aheadMs(): number {
    return this.#aheadMs
  }

  /** Options of Node.js for a process with this clock. */
  get node(): readonly string[] {
    return ['--enable-source-maps', '--require', this.#script]
  }

  get variables(): { readonly [name: string]: string } {
    return { [FILE]: this.#file }
  }

  /** Sets how far the clock is ahead; a running process needs SIGUSR2 as well. */
  set(aheadMs: number): void {
    this.#aheadMs = aheadMs
    writeFileSync(this.#file, String(aheadMs))
  }
}
